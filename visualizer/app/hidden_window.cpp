#include "visualizer/app/hidden_window.hpp"

#include <GLFW/glfw3.h>

namespace whybits::viz {

std::unique_ptr<HiddenWindow> HiddenWindow::create() {
  if (!glfwInit()) return nullptr;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(64, 64, "whybits", nullptr, nullptr);
  if (!window) {
    glfwTerminate();
    return nullptr;
  }
  glfwMakeContextCurrent(window);
  return std::unique_ptr<HiddenWindow>(new HiddenWindow(window));
}

HiddenWindow::~HiddenWindow() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

}  // namespace whybits::viz
