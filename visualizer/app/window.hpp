// The window of GLFW.
#pragma once

#include <functional>

#include "visualizer/app/settings.hpp"

namespace whybits::viz {

class Application;

struct WindowRequest {
  int width = 1600, height = 1000;
  Settings settings;
  bool scale_given = false;  ///< else the monitor's
};

/// Runs until the window is closed. Errors: NoDisplay.
void run_window(const WindowRequest& request, const std::function<void(Application&)>& prepare,
                const std::function<void(Application&)>& finish);

}  // namespace whybits::viz
