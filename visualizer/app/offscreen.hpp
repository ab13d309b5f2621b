// Pictures without a display or a graphics card: EGL's surfaceless platform, and where that is not
// there a hidden window (Xvfb will do).
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "visualizer/app/settings.hpp"
#include "visualizer/draw/canvas.hpp"

namespace whybits::viz {

class Application;

struct ScreenshotRequest {
  int width = 1600, height = 1000;  ///< pixels
  Settings settings;
  std::string panel;  ///< only this panel; empty: all
};

/// Nothing here can draw: the command ends with exit code 3.
struct NoDisplay : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FrameTimes {
  double build_ms = 0;      ///< CPU time of this thread, until the draw lists stand
  double frame_ms = 0;      ///< of the clock, drawn to the last pixel
  double frame_cpu_ms = 0;  ///< of the processor, all threads
};

/// Draws the application until it is settled. `prepare` is called once, before the first frame.
/// Errors: NoDisplay; UsageError for an unknown panel.
Image take_screenshot(const ScreenshotRequest& request,
                      const std::function<void(Application&)>& prepare);

/// Median times over `frames` frames of the settled application, and seconds from start to the
/// first finished frame, of the clock and of the processor.
struct TimedRun {
  FrameTimes median;
  double first_frame_s = 0, first_frame_cpu_s = 0;
};
TimedRun time_frames(const ScreenshotRequest& request,
                     const std::function<void(Application&)>& prepare, int frames);

}  // namespace whybits::viz
