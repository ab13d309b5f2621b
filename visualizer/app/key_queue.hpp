// What the keyboard did between two frames, handed on so that a frame sees each of it.
//
// A frame only sees which keys are down when it begins. Frames can be long: a chord struck between
// two of them is over before anybody looks. So a frame is told a prefix of what happened, up to the
// first event that would hide an earlier one, and the next frame the rest, in order. For hosts
// whose Dear ImGui does not queue by itself (before 1.87).
#pragma once

#include <deque>
#include <functional>
#include <vector>

namespace whybits::viz {

struct KeyEvent {
  enum class What : unsigned char { press, release, character };
  What what = What::press;
  int key = 0;            ///< any number that tells keys apart; of a character 0
  bool modifier = false;  ///< Ctrl, Shift, Alt, Super
  std::function<void()> tell;
};

class KeyQueue {
 public:
  void happened(KeyEvent event) { waiting_.push_back(std::move(event)); }

  /// Before a frame: tells it what it can see. Returns whether anything was told.
  bool tell_frame();
  /// Something waits for the frame after this one.
  bool waits() const { return !waiting_.empty(); }

 private:
  std::deque<KeyEvent> waiting_;
};

}  // namespace whybits::viz
