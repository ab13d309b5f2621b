// A GLFW window that is never shown, for its OpenGL context.
#pragma once

#include <memory>

struct GLFWwindow;

namespace whybits::viz {

class HiddenWindow {
 public:
  /// Made current; null without a display.
  static std::unique_ptr<HiddenWindow> create();
  HiddenWindow(const HiddenWindow&) = delete;
  HiddenWindow& operator=(const HiddenWindow&) = delete;
  ~HiddenWindow();

 private:
  explicit HiddenWindow(GLFWwindow* window) : window_(window) {}
  GLFWwindow* window_;
};

}  // namespace whybits::viz
