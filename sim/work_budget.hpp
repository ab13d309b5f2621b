// A bound on the work that one topology may cause: whoever hands in a topology must not be able to
// make the program run for hours.
#pragma once

#include <cstdint>

namespace whybits {

class WorkBudget {
 public:
  explicit WorkBudget(std::uint64_t limit) : left_(limit) {}

  /// About one a run of addends handled. Errors: TopologyError when nothing is left.
  void spend(std::uint64_t work) {
    if (work > left_) exhausted();
    left_ -= work;
  }

 private:
  [[noreturn]] static void exhausted();
  std::uint64_t left_;
};

}  // namespace whybits
