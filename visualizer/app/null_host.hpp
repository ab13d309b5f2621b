// Frames that nobody sees: for tests of everything but pixels.
#pragma once

#include "visualizer/app/application.hpp"
#include "visualizer/app/host.hpp"

namespace whybits::viz {

class NullHost {
 public:
  NullHost(Application& application, int width, int height);

  void frame();
  void press(const Chord& chord);  ///< down, a frame, up, a frame
  void type(const char* utf8);
  void click(float x, float y);  ///< logical pixels
  void double_click(float x, float y);
  void drag(float x0, float y0, float x1, float y1);
  void wheel(float x, float y, float by);
  std::uint64_t frames() const { return frames_; }

 private:
  void move(float x, float y);

  Application& application_;
  ImContext imgui_;
  std::uint64_t frames_ = 0;
};

}  // namespace whybits::viz
