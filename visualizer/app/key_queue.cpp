#include "visualizer/app/key_queue.hpp"

#include <algorithm>
#include <utility>

namespace whybits::viz {

bool KeyQueue::hides(const KeyEvent& next) const {
  switch (next.what) {
    case KeyEvent::What::press:
      return chord_;  // one chord a frame: it has its own modifiers, and its command may open
                      // what the next key is for
    case KeyEvent::What::release:
      // Nor may a modifier go, pressed long ago or not, before its chord was seen.
      return (next.modifier && chord_) || std::ranges::find(pressed_, next.key) != pressed_.end();
    case KeyEvent::What::character:
      return false;
  }
  return false;
}

void KeyQueue::tell(const KeyEvent& event) {
  told_ = true;
  if (event.what == KeyEvent::What::press) {
    pressed_.push_back(event.key);
    chord_ = chord_ || !event.modifier;
  }
  event.tell();
}

void KeyQueue::happened(KeyEvent event) {
  if (waiting_.empty() && !hides(event))
    tell(event);
  else
    waiting_.push_back(std::move(event));
}

void KeyQueue::frame_drawn() {
  told_ = chord_ = false;
  pressed_.clear();
  while (!waiting_.empty() && !hides(waiting_.front())) {
    const KeyEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    tell(event);
  }
}

}  // namespace whybits::viz
