#include "visualizer/app/key_queue.hpp"

#include <algorithm>
#include <utility>

namespace whybits::viz {
namespace {

/// What the coming frame will see of those told so far.
struct Told {
  std::vector<int> pressed;
  bool chord = false;  ///< a key that is no modifier went down

  bool hides(const KeyEvent& next) const {
    switch (next.what) {
      case KeyEvent::What::press:
        return chord;  // one chord a frame: it has its own modifiers, and its command may open
                       // what the next key is for
      case KeyEvent::What::release:
        // Nor may a modifier go, pressed long ago or not, before its chord was seen.
        return (next.modifier && chord) || std::ranges::find(pressed, next.key) != pressed.end();
      case KeyEvent::What::character:
        return false;
    }
    return false;
  }

  void add(const KeyEvent& event) {
    if (event.what != KeyEvent::What::press) return;
    pressed.push_back(event.key);
    chord = chord || !event.modifier;
  }
};

}  // namespace

bool KeyQueue::tell_frame() {
  Told told;
  bool any = false;
  while (!waiting_.empty() && !told.hides(waiting_.front())) {
    const KeyEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    told.add(event);
    event.tell();
    any = true;
  }
  return any;
}

}  // namespace whybits::viz
