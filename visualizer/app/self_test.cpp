#include "visualizer/app/self_test.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "visualizer/app/null_host.hpp"

namespace whybits::viz {
namespace {

struct Failures {
  std::vector<std::string> list;

  void expect(bool good, const std::string& what) {
    if (!good) list.push_back(what);
  }
};

/// A folder of its own as the current one: exports and sessions of the tour end there.
class ScratchFolder {
 public:
  ScratchFolder()
      : before_(std::filesystem::current_path()),
        path_(std::filesystem::temp_directory_path() /
              fmt::format("whybits-self-test-{}", static_cast<long>(::getpid()))) {
    std::filesystem::create_directories(path_);
    std::filesystem::current_path(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path before_, path_;
};

/// What must hold after every frame.
void check_frame(Application& app, Failures& failures, const std::string& where) {
  for (const auto& [name, r] : app.panels()) {
    const bool finite =
        std::isfinite(r.x0) && std::isfinite(r.y0) && std::isfinite(r.x1) && std::isfinite(r.y1);
    failures.expect(finite && r.x1 >= r.x0 && r.y1 >= r.y0,
                    fmt::format("{}: panel '{}' has no place", where, name));
  }
}

/// The state can be written down and read again, whatever was clicked.
void check_session(Application& app, Failures& failures, const std::string& where) {
  const Session& session = app.document().session();
  try {
    const std::string written = session_text(session);
    failures.expect(session_text(parse_session(written, "self-test")) == written,
                    where + ": the session changes when it is saved");
  } catch (const std::exception& error) {
    failures.expect(false, where + ": the session cannot be saved: " + error.what());
  }
}

Point middle_of(Application& app, const std::string& panel) {
  const auto found = app.panels().find(panel);
  return found == app.panels().end() ? Point{-1, -1} : found->second.center();
}

/// Every panel is clicked, dragged and scrolled, every command without a window run.
void tour(Application& app, NullHost& host, Failures& failures) {
  for (const Session& preset : presets()) {
    const std::string name = preset.preset->name;
    app.document().open(preset);
    app.wait();
    host.frame();
    host.frame();
    const auto names = app.panels();
    for (const auto& [panel, rect] : names) {
      if (panel == "all") continue;
      const Point p = middle_of(app, panel);
      host.click(p.x, p.y);
      host.double_click(p.x + 3, p.y + 2);
      host.drag(p.x, p.y, p.x + 40, p.y + 5);
      host.wheel(p.x, p.y, 2);
      host.wheel(p.x, p.y, -2);
      app.wait();
      host.frame();
      check_frame(app, failures, fmt::format("{}, {}", name, panel));
    }
    for (const Command& command : app.commands()) {
      if (command.name == "quit" || command.name == "full_screen" ||
          command.name.starts_with("preset."))
        continue;
      command.run(app);
      host.frame();
      host.frame();
      host.press({Key::escape, false, false});
      app.wait();
      check_frame(app, failures, name + ", command " + command.name);
    }
    check_session(app, failures, name);
  }
}

/// Tab reaches everything and comes round; Enter on each thing does no harm.
void tab_through(Application& app, NullHost& host, Failures& failures) {
  for (const std::string_view scene : scene_names()) {
    app.document().switch_scene(scene);
    app.wait();
    host.frame();
    for (int i = 0; i < 60; ++i) {
      host.press({Key::tab, false, i % 7 == 6});
      if (i % 5 == 4) host.press({Key::right, false, false});
      if (i % 5 == 2) host.press({Key::enter, false, false});
      if (app.has_overlay()) host.press({Key::escape, false, false});
      if (app.document().scene() != scene) app.document().switch_scene(scene);
    }
    app.wait();
    host.frame();
    check_frame(app, failures, "tab through " + std::string(scene));
    check_session(app, failures, "tab through " + std::string(scene));
  }
}

/// Undoing everything comes back to the beginning, redoing everything to the end.
void undo_all(Application& app, NullHost& host, Failures& failures) {
  app.document().open(presets().front());
  const std::string first = session_text(app.document().session());
  int steps = 0;
  for (const char* command : {"level.step", "level.bits", "level.matrix", "rounding",
                              "measure.next", "gate.b.up", "zoom.in", "zoom.in"}) {
    const std::string before = session_text(app.document().session());
    app.run(command);
    app.wait();
    host.frame();
    app.document().settle();
    steps += session_text(app.document().session()) == before ? 0 : 1;
  }
  const std::string last = session_text(app.document().session());
  int undone = 0;
  while (session_text(app.document().session()) != first && app.document().undo()) ++undone;
  failures.expect(session_text(app.document().session()) == first,
                  "undo does not come back to the beginning");
  failures.expect(undone == steps, fmt::format("{} changes took {} undos", steps, undone));
  while (undone-- > 0) app.document().redo();
  failures.expect(session_text(app.document().session()) == last,
                  "redo does not come back to the end");
}

class RandomActions {
 public:
  RandomActions(Application& app, NullHost& host, std::uint64_t seed)
      : app_(app), host_(host), random_(seed) {}

  void one() {
    switch (pick(12)) {
      case 0:
      case 1:
      case 2: {
        const Point p = place();
        host_.click(p.x, p.y);
        break;
      }
      case 3: {
        const Point p = place();
        const Point q = place();
        host_.drag(p.x, p.y, q.x, q.y);
        break;
      }
      case 4: {
        const Point p = place();
        host_.wheel(p.x, p.y, static_cast<float>(pick(7)) - 3);
        break;
      }
      case 5:
      case 6:
      case 7: {
        const auto key = static_cast<Key>(1 + pick(static_cast<std::size_t>(Key::count) - 1));
        host_.press({key, pick(4) == 0, pick(3) == 0});
        break;
      }
      case 8: {
        static constexpr std::array<const char*, 8> texts{"0x7f800000", "fold(f32)", "nan", "-1e9",
                                                          "slices(3, ", "λ中",       "…)",  "z"};
        host_.type(texts[pick(texts.size())]);
        break;
      }
      case 9: {
        const auto& commands = app_.commands();
        const Command& command = commands[pick(commands.size())];
        if (command.name != "quit") command.run(app_);
        host_.frame();
        break;
      }
      case 10:
        host_.press({Key::escape, false, false});
        break;
      default:
        host_.press({Key::tab, false, pick(2) == 0});
        break;
    }
    app_.take_wishes();
    if (pick(400) == 0) {  // back to something small: work must not pile up
      app_.settings().scale = 1;
      app_.document().open(presets()[pick(presets().size())]);
    }
  }

 private:
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  /// Mostly somewhere in a panel.
  Point place() {
    const auto& panels = app_.panels();
    auto it = panels.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(pick(std::max<std::size_t>(1, panels.size()))));
    const Rect r = panels.empty() ? Rect{0, 0, 100, 100} : it->second;
    const auto along = [&](float low, float high) {
      return low + (high - low) * static_cast<float>(pick(1001)) / 1000;
    };
    return {along(r.x0, r.x1), along(r.y0, r.y1)};
  }

  Application& app_;
  NullHost& host_;
  std::mt19937_64 random_;
};

}  // namespace

int self_test(const SelfTestRequest& request) {
  const ScratchFolder scratch;
  Failures failures;
  Settings settings;
  settings.reduced_motion = true;
  Application app(settings);
  app.folder = app.sessions = scratch.path();
  NullHost host(app, request.width, request.height);
  tour(app, host, failures);
  app.settings() = settings;
  tab_through(app, host, failures);
  undo_all(app, host, failures);
  RandomActions actions(app, host, request.seed);
  for (std::uint64_t i = 0; i < request.actions && failures.list.empty(); ++i) {
    actions.one();
    const std::string where = fmt::format("random action {} of seed {}", i, request.seed);
    check_frame(app, failures, where);
    if (i % 50 == 0) check_session(app, failures, where);
  }
  app.wait();
  for (const std::string& failure : failures.list) fmt::print("failed: {}\n", failure);
  fmt::print("{} presets, {} commands, {} random actions, {} frames: {}\n", presets().size(),
             app.commands().size(), request.actions, host.frames(),
             failures.list.empty() ? "all held" : fmt::format("{} failures", failures.list.size()));
  return failures.list.empty() ? 0 : 1;
}

}  // namespace whybits::viz
