#include "visualizer/app/offscreen.hpp"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>

#include "lab/usage_error.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/egl_context.hpp"
#include "visualizer/app/gl.hpp"
#include "visualizer/app/hidden_window.hpp"
#include "visualizer/app/host.hpp"
#include "visualizer/app/png.hpp"

namespace whybits::viz {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_milliseconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

/// An OpenGL context from wherever there is one.
class AnyContext {
 public:
  AnyContext() {
    std::string why;
    try {
      egl_ = std::make_unique<EglContext>();
      return;
    } catch (const std::runtime_error& error) {
      why = error.what();
    }
    window_ = HiddenWindow::create();
    if (!window_)
      throw NoDisplay("no way to draw off screen: " + why +
                      ", and no display. Run it as: xvfb-run -a whybits-viz …");
  }

 private:
  std::unique_ptr<EglContext> egl_;
  std::unique_ptr<HiddenWindow> window_;
};

class Offscreen {
 public:
  Offscreen(const ScreenshotRequest& request, Application& application)
      : width_(request.width),
        height_(request.height),
        application_(application),
        frame_(width_, height_) {
    ImGui::GetIO().DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
    imgui_.prepare(application.settings());
    ImGui_ImplOpenGL3_Init("#version 330");
  }
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;
  ~Offscreen() { ImGui_ImplOpenGL3_Shutdown(); }

  FrameTimes draw() {
    const auto begin = Clock::now();
    const double thread = cpu_milliseconds(CLOCK_THREAD_CPUTIME_ID);
    const double process = cpu_milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    ImGui::GetIO().DeltaTime = 1.F / 60;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    run_frame(application_, imgui_.fonts(), &textures_);
    ImGui::Render();
    FrameTimes times;
    times.build_ms = cpu_milliseconds(CLOCK_THREAD_CPUTIME_ID) - thread;
    frame_.bind();
    gl_clear(width_, height_, application_.background());
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    gl_finish();
    times.frame_ms = milliseconds(begin);
    times.frame_cpu_ms = cpu_milliseconds(CLOCK_PROCESS_CPUTIME_ID) - process;
    return times;
  }

  void settle() {
    application_.wait();
    do {
      draw();
    } while (application_.animating());
    draw();
  }

  Image picture() const { return gl_read(width_, height_); }

 private:
  int width_, height_;
  Application& application_;
  ImContext imgui_;
  GlFrameBuffer frame_;
  GlTextures textures_;
};

}  // namespace

Image take_screenshot(const ScreenshotRequest& request,
                      const std::function<void(Application&)>& prepare) {
  const AnyContext context;
  Application application(request.settings);
  prepare(application);
  Offscreen screen(request, application);
  screen.settle();
  Image image = screen.picture();
  if (request.panel.empty()) return image;
  const float scale = request.settings.scale;
  const Rect r = application.panel_rect(request.panel);
  const auto pixel = [&](float v) { return static_cast<int>(std::lround(v * scale)); };
  return cropped(image, pixel(r.x0), pixel(r.y0), pixel(r.x1), pixel(r.y1));
}

TimedRun time_frames(const ScreenshotRequest& request,
                     const std::function<void(Application&)>& prepare, int frames) {
  TimedRun run;
  const auto begin = Clock::now();
  const AnyContext context;
  Application application(request.settings);
  prepare(application);
  Offscreen screen(request, application);
  screen.draw();
  run.first_frame_s = milliseconds(begin) / 1000;
  run.first_frame_cpu_s = cpu_milliseconds(CLOCK_PROCESS_CPUTIME_ID) / 1000;
  screen.settle();
  std::vector<double> build, frame, cpu;
  for (int i = 0; i < frames; ++i) {
    const FrameTimes times = screen.draw();
    build.push_back(times.build_ms);
    frame.push_back(times.frame_ms);
    cpu.push_back(times.frame_cpu_ms);
  }
  const auto median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  run.median = {median(build), median(frame), median(cpu)};
  return run;
}

}  // namespace whybits::viz
