// Adds neighbours first, as CUB does inside a warp.
#include <span>
#include <vector>

namespace learner {

/// (x0 + x1) + (x2 + x3) + …, layer by layer; an odd one passes up. +0 if there is none.
float pairs(std::span<const float> x) {
  // TODO: this is a chain. Add neighbours, then neighbours of the sums, until one is left.
  if (x.empty()) return 0;
  float total = x[0];
  for (float value : x.subspan(1)) total += value;
  return total;
}

}  // namespace learner
