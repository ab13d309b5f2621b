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
#include "visualizer/app/window.hpp"

namespace {

using namespace whybits;
using namespace whybits::viz;

struct Options {
  std::string preset, session, lesson, screenshot, expect, panel,
      size = "1600x1000", theme = "dark", language = "en", level;
  float scale = 1;
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

Settings settings_of(const Options& o) {
  Settings s;
  s.theme = o.theme == "light" ? ThemeName::light : ThemeName::dark;
  s.language = o.language == "zh" ? Language::chinese : Language::english;
  s.scale = o.scale;
  s.reduced_motion = !o.screenshot.empty() || !o.expect.empty() || o.frame_times;
  return s;
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
               preset.preset->claim, preset.preset->title);
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

int run(const Options& o) {
  if (o.list) return list_presets();
  const auto [width, height] = parse_size(o.size);
  const auto ready = [&](Application& application) { prepare(application, o); };
  if (o.self_test) return self_test({o.actions, o.seed, width, height});
  const ScreenshotRequest shot{width, height, settings_of(o), o.panel};
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
  run_window(
      {width, height, settings_of(o), o.scale != 1},
      [&](Application& application) {
        if (o.preset.empty() && o.session.empty()) restore_last_session(application);
        prepare(application, o);
      },
      [](Application& application) { save_last_session(application); });
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
  app.add_option("--scale", o.scale, "size of everything, 0.75 to 3; without: the monitor's")
      ->check(CLI::Range(smallest_scale, largest_scale));
  app.add_option("--theme", o.theme, "dark or light")
      ->check(CLI::IsMember({"dark", "light"}))
      ->capture_default_str();
  app.add_option("--language", o.language, "en or zh")
      ->check(CLI::IsMember({"en", "zh"}))
      ->capture_default_str();
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
