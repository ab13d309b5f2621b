// whybits-viz: the command line of the visualizer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "lab/usage_error.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/offscreen.hpp"
#include "visualizer/app/png.hpp"
#include "visualizer/app/self_test.hpp"
#include "visualizer/app/session_store.hpp"
#include "visualizer/app/settings_store.hpp"
#include "visualizer/app/window.hpp"

namespace {

using namespace whybits;
using namespace whybits::viz;

struct Options {
  std::string preset, session, lesson, screenshot, expect, panel, size = "1600x1000", theme,
                                                                  language, level;
  float scale = 0;  // not given
  bool self_test = false, list = false, frame_times = false;
  std::uint64_t actions = 0, seed = 1;
};

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  const int read = std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest);
  if (read != 2 || width < 320 || height < 200 || width > 8192 || height > 8192)
    throw UsageError("--size: '" + text + "' is no size",
                     "write WIDTHxHEIGHT, 320x200 to 8192x8192: --size 1600x1000");
  return {width, height};
}

ChosenSettings chosen(const Options& o) {
  ChosenSettings out;
  if (!o.theme.empty()) out.theme = theme_named(o.theme);
  if (!o.language.empty()) out.language = language_named(o.language);
  if (o.scale > 0) out.scale = o.scale;
  return out;
}

/// Of pictures: whatever was kept between runs, a command line draws one and the same.
Settings still_settings(const Options& o) {
  Settings settings = merged(chosen(o), {});
  settings.reduced_motion = true;
  return settings;
}

void prepare(Application& application, const Options& o) {
  if (!o.session.empty()) application.document().open(read_session(o.session));
  if (!o.preset.empty()) application.document().open(find_preset(o.preset));
  if (!o.lesson.empty()) application.read_lesson(o.lesson);
  if (!o.level.empty()) application.run("level." + o.level);
}

int list_presets() {
  for (const Session& preset : presets())
    fmt::print("{:<24} {:<5} {:<4} {}\n", preset.preset->name, scene_name(preset.state),
               preset.preset->claim, preset.preset->english.title);
  return 0;
}

/// The same picture up to what fonts and drivers of another machine may change.
int compare_picture(const std::string& path, const Image& image) {
  constexpr int tolerance = 48;   // of 255, in a channel
  constexpr double share = 0.02;  // of the pixels
  const Image expected = read_png(path);
  const auto apart = pixels_apart(image, expected, tolerance);
  if (!apart) {
    fmt::print("{} is {}x{}, the picture {}x{}\n", path, expected.width, expected.height,
               image.width, image.height);
    return 1;
  }
  const double part = static_cast<double>(*apart) / static_cast<double>(image.pixels.size());
  fmt::print("{}: {:.2f} % of the pixels differ visibly, {:.0f} % may\n", path, part * 100,
             share * 100);
  return part > share ? 1 : 0;
}

/// What does not come back at the next start is said where the program was started.
void keep(const Application& application, const std::filesystem::path& settings_file,
          const Settings& settings) {
  if (!save_last_session(application))
    std::cerr << "whybits-viz: the session was not kept: no writing to "
              << application.sessions.string() << '\n';
  if (settings_file.empty()) return;
  try {
    write_settings(settings_file, settings);
  } catch (const UsageError& error) {
    std::cerr << "whybits-viz: theme, language and scale were not kept: " << error.what() << '\n';
  }
}

int run(const Options& o) {
  if (o.list) return list_presets();
  const auto [width, height] = parse_size(o.size);
  const auto ready = [&](Application& application) { prepare(application, o); };
  if (o.self_test) return self_test({o.actions, o.seed, width, height});
  const ScreenshotRequest shot{width, height, still_settings(o), o.panel};
  if (o.frame_times) {
    const TimedRun times = time_frames(shot, ready, 60);
    fmt::print(
        "first frame        {:7.1f} ms of the clock, {:.1f} ms of the processor\n"
        "building a frame   {:7.2f} ms of the processor (median of 60)\n"
        "a whole frame      {:7.2f} ms of the clock, {:.2f} ms of the processor (median of 60)\n",
        times.first_frame_s * 1000, times.first_frame_cpu_s * 1000, times.median.build_ms,
        times.median.frame_ms, times.median.frame_cpu_ms);
    return 0;
  }
  if (!o.expect.empty()) return compare_picture(o.expect, take_screenshot(shot, ready));
  if (!o.screenshot.empty()) {
    write_png(o.screenshot, take_screenshot(shot, ready));
    return 0;
  }
  const std::filesystem::path kept_at = settings_path();
  ChosenSettings kept;
  std::string complaint;
  try {
    kept = read_settings(kept_at);
  } catch (const UsageError& error) {
    complaint = error.what();
  }
  const ChosenSettings given = chosen(o);
  run_window(
      {width, height, merged(given, kept), given.scale || kept.scale},
      [&](Application& application) {
        if (!complaint.empty()) application.notify(complaint, true);
        if (o.preset.empty() && o.session.empty()) restore_last_session(application);
        prepare(application, o);
      },
      [&](Application& application) {
        // A file that was not understood is left to its owner.
        keep(application, complaint.empty() ? kept_at : std::filesystem::path(),
             application.settings());
      });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"See which addition order changed which bits."};
  app.name("whybits-viz");
  app.set_version_flag("--version", WHYBITS_VERSION);
  Options o;
  app.add_option("--preset", o.preset, "open a preset (see --list)");
  app.add_option("--session", o.session, "open a saved session");
  app.add_option("--lesson", o.lesson,
                 "show this text left of the picture, and read it again whenever it changes");
  app.add_option("--level", o.level, "zoom level of the preset: matrix, axis, step or bits")
      ->check(CLI::IsMember({"matrix", "axis", "step", "bits"}));
  app.add_option("--screenshot", o.screenshot,
                 "write a PNG and end; needs neither display nor graphics card");
  app.add_option("--expect", o.expect,
                 "compare the picture with this PNG instead; exit 1 if more than 2 % of its pixels "
                 "differ visibly");
  app.add_option("--panel", o.panel, "only this panel of the picture");
  app.add_option("--size", o.size, "pixels, WIDTHxHEIGHT")->capture_default_str();
  app.add_option("--scale", o.scale,
                 "size of everything, 0.75 to 3; without: as last time, at first the monitor's")
      ->check(CLI::Range(smallest_scale, largest_scale));
  app.add_option("--theme", o.theme, "dark or light; without: as last time, at first dark")
      ->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--language", o.language, "en or zh; without: as last time, at first en")
      ->check(CLI::IsMember({"en", "zh"}));
  app.add_flag("--list", o.list, "list the presets");
  app.add_flag("--self-test", o.self_test, "drive every scene by clicks and keys, draw nothing");
  app.add_option("--actions", o.actions, "with --self-test: so many random actions as well");
  app.add_option("--seed", o.seed, "of the random actions")->capture_default_str();
  app.add_flag("--frame-times", o.frame_times,
               "measure frames off screen: first, CPU to build one, whole");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return run(o);
  } catch (const NoDisplay& error) {
    std::cerr << "whybits-viz: " << error.what() << '\n';
    return 3;
  } catch (const UsageError& error) {
    std::cerr << "whybits-viz: " << error.what() << '\n';
    if (!error.remedy.empty()) std::cerr << "  " << error.remedy << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "whybits-viz: " << error.what() << '\n';
    return 70;
  }
}
