// What the keyboard did between two frames, handed on so that a frame sees each of it.
//
// A frame only sees which keys are down when it begins. Frames can be long: a chord struck between
// two of them is over before anybody looks. So an event is told at once unless it would hide from
// the coming frame what was told before it; then it, and all that follows, waits for the next
// frame. Dear ImGui queues nothing before 1.87, and later lets a Ctrl go in the frame of its chord.
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
  void happened(KeyEvent event);
  /// A frame has seen what was told: what waited is told to the next one.
  void frame_drawn();
  /// The coming frame has something to see.
  bool told() const { return told_; }

 private:
  bool hides(const KeyEvent& next) const;
  void tell(const KeyEvent& event);

  std::deque<KeyEvent> waiting_;
  // Of the coming frame:
  bool told_ = false;
  bool chord_ = false;  ///< a key that is no modifier went down
  std::vector<int> pressed_;
};

}  // namespace whybits::viz
