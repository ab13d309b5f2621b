#include "visualizer/app/window.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "lab/usage_error.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/gl.hpp"
#include "visualizer/app/host.hpp"
#include "visualizer/app/key_queue.hpp"
#include "visualizer/app/offscreen.hpp"
#include "visualizer/app/png.hpp"

namespace whybits::viz {
namespace {

struct Glfw {
  Glfw() {
    glfwSetErrorCallback([](int, const char*) {});
    if (!glfwInit())
      throw NoDisplay(
          "no display: whybits-viz opens a window. Without one, use --screenshot FILE.png");
  }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
  ~Glfw() { glfwTerminate(); }
};

GLFWwindow* open_window(const WindowRequest& request) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* window = glfwCreateWindow(request.width, request.height, "whybits", nullptr, nullptr);
  if (!window) throw NoDisplay("the display gives no OpenGL 3.3 window");
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  return window;
}

/// Pixels of a monitor that is denser than 96 dpi.
float monitor_scale(GLFWwindow* window) {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window, &x, &y);
  return std::clamp(std::round(x * 4) / 4, smallest_scale, largest_scale);
}

void toggle_full_screen(GLFWwindow* window) {
  static int x, y, width, height;
  if (glfwGetWindowMonitor(window)) {
    glfwSetWindowMonitor(window, nullptr, x, y, width, height, 0);
    return;
  }
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &width, &height);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = glfwGetVideoMode(monitor);
  glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

/// What GLFW says of the keyboard goes through a KeyQueue before Dear ImGui's back end has it.
class Keyboard {
 public:
  explicit Keyboard(GLFWwindow* window) : window_(window) {
    current_ = this;
    key_ = glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int code, int action, int mods) {
      current_->key(w, key, code, action, mods);
    });
    character_ = glfwSetCharCallback(
        window, [](GLFWwindow* w, unsigned int c) { current_->character(w, c); });
  }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard() {
    glfwSetKeyCallback(window_, key_);
    glfwSetCharCallback(window_, character_);
    current_ = nullptr;
  }

  void frame_drawn() { queue_.frame_drawn(); }
  bool told() const { return queue_.told(); }

 private:
  void key(GLFWwindow* w, int key, int code, int action, int mods) {
    if (action == GLFW_REPEAT) return;  // Dear ImGui repeats by its own clock
    queue_.happened({action == GLFW_PRESS ? KeyEvent::What::press : KeyEvent::What::release, key,
                     key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER,
                     [=, this] { key_(w, key, code, action, mods); }});
  }
  void character(GLFWwindow* w, unsigned int c) {
    queue_.happened({KeyEvent::What::character, 0, false, [=, this] { character_(w, c); }});
  }

  static inline Keyboard* current_ = nullptr;  // a callback of GLFW has no other way here
  GLFWwindow* window_;
  GLFWkeyfun key_;
  GLFWcharfun character_;
  KeyQueue queue_;
};

void save_picture(Application& application, const Wishes::Picture& wish, float scale, int width,
                  int height) {
  const Rect r = application.panel_rect(wish.panel);
  const auto pixel = [&](float v) { return static_cast<int>(std::lround(v * scale)); };
  try {
    write_png(wish.path,
              cropped(gl_read(width, height), pixel(r.x0), pixel(r.y0), pixel(r.x1), pixel(r.y1)));
    application.notify(text("note.saved", wish.path.string()));
  } catch (const UsageError& error) {
    application.notify(error.what(), true);
  }
}

}  // namespace

void run_window(const WindowRequest& request, const std::function<void(Application&)>& prepare,
                const std::function<void(Application&)>& finish) {
  const Glfw glfw;
  GLFWwindow* window = open_window(request);
  Settings settings = request.settings;
  if (!request.scale_given) settings.scale = monitor_scale(window);
  Application application(settings, [] { glfwPostEmptyEvent(); });
  prepare(application);
  ImContext imgui;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  imgui.prepare(application.settings());
  ImGui_ImplOpenGL3_Init("#version 330");
  {
    GlTextures textures;
    Keyboard keyboard(window);
    int still = 0;  // frames since something moved: Dear ImGui settles in two
    bool quit = false;
    while (!quit && !glfwWindowShouldClose(window)) {
      if (still > 3 && !keyboard.told() && !application.animating())
        glfwWaitEventsTimeout(0.5);
      else
        glfwPollEvents();
      const bool moving = application.animating() || ImGui::GetIO().MouseDown[0];
      still = keyboard.told() || moving ? 0 : still + 1;
      if (imgui.prepare(application.settings())) {
        if (!imgui.missing_font().empty())
          application.notify(text("note.font", imgui.missing_font()), true);
#if IMGUI_VERSION_NUM < 19200
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
      }
      ImGui_ImplOpenGL3_NewFrame();
      ImGui_ImplGlfw_NewFrame();
      ImGui::NewFrame();
      run_frame(application, imgui.fonts(), &textures);
      ImGui::Render();
      int width = 0, height = 0;
      glfwGetFramebufferSize(window, &width, &height);
      gl_clear(width, height, application.background());
      ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
      const Wishes wishes = application.take_wishes();
      if (wishes.picture)
        save_picture(application, *wishes.picture, imgui.fonts().scale, width, height);
      if (wishes.clipboard) glfwSetClipboardString(window, wishes.clipboard->c_str());
      if (wishes.full_screen) toggle_full_screen(window);
      quit = wishes.quit;
      glfwSwapBuffers(window);
      keyboard.frame_drawn();
      if (ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0) still = 0;
    }
  }
  finish(application);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  glfwDestroyWindow(window);
}

}  // namespace whybits::viz
