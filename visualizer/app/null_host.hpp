// Frames that nobody sees: for tests of everything but pixels.
#pragma once

#include <string>

#include "visualizer/app/application.hpp"
#include "visualizer/app/host.hpp"
#include "visualizer/app/key_queue.hpp"

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

  // What happens between two frames: the next ones are told as a window tells them.
  void key_goes(Key key, bool down);
  void ctrl_goes(bool down);
  void character_comes(std::string utf8);
  void settle();  ///< frames until nothing waits and what was opened stands

  std::uint64_t frames() const { return frames_; }

 private:
  void move(float x, float y);

  Application& application_;
  ImContext imgui_;
  KeyQueue keys_;
  std::uint64_t frames_ = 0;
};

}  // namespace whybits::viz
