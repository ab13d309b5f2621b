// Adds neighbours first, as CUB does inside a warp.
#include <cstddef>
#include <span>
#include <vector>

namespace learner {

/// (x0 + x1) + (x2 + x3) + …, layer by layer; an odd one passes up. +0 if there is none.
float pairs(std::span<const float> x) {
  if (x.empty()) return 0;
  std::vector<float> layer(x.begin(), x.end());
  while (layer.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i + 1 < layer.size(); i += 2) next.push_back(layer[i] + layer[i + 1]);
    if (layer.size() % 2 == 1) next.push_back(layer.back());
    layer = next;
  }
  return layer[0];
}

}  // namespace learner
