#include "visualizer/app/commands.hpp"

#include <fmt/format.h>

#include "lab/files.hpp"
#include "lab/usage_error.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/app/pair_commands.hpp"
#include "visualizer/app/session_store.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

void scale_by(Application& app, float by) {
  app.settings().scale = std::clamp(app.settings().scale + by, smallest_scale, largest_scale);
}

void next_theme(Application& app) {
  app.settings().theme =
      app.settings().theme == ThemeName::dark ? ThemeName::light : ThemeName::dark;
}

void next_language(Application& app) {
  app.settings().language =
      app.settings().language == Language::english ? Language::chinese : Language::english;
}

/// A name that is not taken yet.
std::filesystem::path free_path(const Application& app, const std::string& stem,
                                const std::string& extension) {
  for (int i = 1;; ++i) {
    std::filesystem::path path =
        app.folder / fmt::format("whybits-{}-{:03}.{}", stem, i, extension);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return path;
  }
}

void export_svg(Application& app, const std::string& panel) {
  save_export(app, panel, "svg", [&] { return app.panel_svg(panel); });
}

void export_png(Application& app, const std::string& panel) {
  app.wishes().picture = Wishes::Picture{panel, free_path(app, panel, "png")};
}

void copy_command_line(Application& app) {
  const auto result = app.document().pair();
  std::optional<std::uint64_t> output;
  if (result && result->story) output = result->story->output;
  const std::string line = command_line(app.document().state(), output);
  app.wishes().clipboard = line;
  app.notify(text("note.copied", line));
}

void save_session(Application& app) {
  std::error_code ignored;
  std::filesystem::create_directories(app.sessions, ignored);
  const std::string start = (app.sessions / "session.json").string();
  app.show(
      make_file_prompt(text("prompt.save"), start, [](Application& a, const std::string& path) {
        try {
          write_session(path, a.document().session());
          a.notify(text("note.saved", path));
        } catch (const UsageError& error) {
          a.notify(error.what(), true);
        }
      }));
}

void open_session(Application& app) {
  const std::string start = (app.sessions / "session.json").string();
  app.show(
      make_file_prompt(text("prompt.open"), start, [](Application& a, const std::string& path) {
        try {
          a.document().open(read_session(path));
        } catch (const UsageError& error) {
          a.notify(error.what() + (error.remedy.empty() ? "" : ". " + error.remedy), true);
        }
      }));
}

void browse_recordings(Application& app) {
  app.show(make_file_prompt(
      text("prompt.recordings"), (std::filesystem::current_path() / "tests/recordings").string(),
      [](Application& a, const std::string& folder) { a.show(make_recordings_browser(folder)); }));
}

template <class F>
auto undo_or_say(F f, const char* nothing) {
  return [f, nothing](Application& app) {
    if (!f(app)) app.notify(text(nothing));
  };
}

}  // namespace

std::string command_label(const Command& command) {
  return command.label ? command.label() : text("command." + command.name);
}

void save_export(Application& application, const std::string& stem, const std::string& extension,
                 const std::function<std::string()>& make) {
  try {
    const std::string content = make();
    const std::filesystem::path path = free_path(application, stem, extension);
    write_file_atomically(path, content);
    application.notify(text("note.saved", path.string()));
  } catch (const UsageError& error) {
    application.notify(error.what(), true);
  }
}

std::vector<Command> make_commands() {
  std::vector<Command> list{
      {"palette", {Key::k, true, false}, [](Application& a) { a.show(make_palette()); }, {}},
      {"help", {Key::f1, false, false}, [](Application& a) { a.show(make_help()); }, {}},
      {"undo",
       {Key::z, true, false},
       undo_or_say([](Application& a) { return a.document().undo(); }, "note.no_undo"),
       {}},
      {"redo",
       {Key::z, true, true},
       undo_or_say([](Application& a) { return a.document().redo(); }, "note.no_redo"),
       {}},
      {"copy_command", {Key::c, true, false}, copy_command_line, {}},
      {"save", {Key::s, true, false}, save_session, {}},
      {"open", {Key::o, true, false}, open_session, {}},
      {"recordings", {Key::r, true, false}, browse_recordings, {}},
      {"scene.bits",
       {Key::n1, false, false},
       [](Application& a) { a.document().switch_scene("bits"); },
       {}},
      {"scene.sum",
       {Key::n2, false, false},
       [](Application& a) { a.document().switch_scene("sum"); },
       {}},
      {"scene.gemm",
       {Key::n3, false, false},
       [](Application& a) { a.document().switch_scene("gemm"); },
       {}},
  };
  add_pair_commands(list);
  const std::vector<Command> looks{
      {"guidance",
       {Key::g, false, false},
       [](Application& a) { a.hide_guidance(!a.guidance_hidden()); },
       {}},
      {"lesson", {Key::j, false, false}, [](Application& a) { a.show_or_hide_lesson(); }, {}},
      {"theme.next", {Key::t, false, false}, next_theme, {}},
      {"language.next", {Key::l, false, false}, next_language, {}},
      {"scale.up", {Key::plus, true, false}, [](Application& a) { scale_by(a, 0.25F); }, {}},
      {"scale.down", {Key::minus, true, false}, [](Application& a) { scale_by(a, -0.25F); }, {}},
      {"motion", {}, [](Application& a) { a.settings().reduced_motion ^= true; }, {}},
      {"full_screen",
       {Key::f11, false, false},
       [](Application& a) { a.wishes().full_screen = true; },
       {}},
      {"png.all", {Key::p, true, false}, [](Application& a) { export_png(a, "all"); }, {}},
      {"png.stage", {}, [](Application& a) { export_png(a, "stage"); }, {}},
      {"png.axis", {}, [](Application& a) { export_png(a, "axis"); }, {}},
      {"png.step", {}, [](Application& a) { export_png(a, "step"); }, {}},
      {"svg.axis", {}, [](Application& a) { export_svg(a, "axis"); }, {}},
      {"svg.map", {}, [](Application& a) { export_svg(a, "map"); }, {}},
      {"svg.step", {}, [](Application& a) { export_svg(a, "step"); }, {}},
      {"quit", {Key::q, true, false}, [](Application& a) { a.wishes().quit = true; }, {}},
  };
  list.insert(list.end(), looks.begin(), looks.end());
  for (const Session& preset : presets())
    list.push_back({"preset." + preset.preset->name,
                    {},
                    [&preset](Application& a) { a.document().open(preset); },
                    [&preset] {
                      return text("scene." + std::string(scene_name(preset.state))) + ": " +
                             preset.preset->words().title;
                    }});
  return list;
}

}  // namespace whybits::viz
