// Undo over values: states that were, and those that were undone. A gesture (dragging a slider,
// panning) is one entry however many states it passes through.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace whybits::viz {

template <class State>
class History {
 public:
  explicit History(State start, std::size_t most = 200) : present_(std::move(start)), most_(most) {}

  const State& present() const { return present_; }
  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }

  /// The next state. With the gesture of the previous call (not empty) it replaces that state. The
  /// same state again is no entry.
  void go(State next, const std::string& gesture = {}) {
    if (next == present_) return;
    const bool continues = !gesture.empty() && gesture == gesture_ && future_.empty();
    if (!continues) {
      past_.push_back(std::move(present_));
      if (past_.size() > most_) past_.pop_front();
    }
    future_.clear();
    present_ = std::move(next);
    gesture_ = gesture;
  }
  /// Ends a gesture: the next one of the same name is an entry of its own.
  void settle() { gesture_.clear(); }

  bool undo() { return step(past_, future_); }
  bool redo() { return step(future_, past_); }

 private:
  template <class From, class To>
  bool step(From& from, To& to) {
    if (from.empty()) return false;
    to.push_back(std::move(present_));
    present_ = std::move(from.back());
    from.pop_back();
    gesture_.clear();
    return true;
  }

  State present_;
  std::size_t most_;
  std::deque<State> past_, future_;
  std::string gesture_;
};

}  // namespace whybits::viz
