// A stable sort by a key. (std::stable_sort of libstdc++ 12 calls what C++20 deprecates.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace whybits {

template <class Value, class Key>
void sort_stably(std::vector<Value>& list, Key key) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(key(list[i]), i); });
  std::vector<Value> sorted;
  sorted.reserve(list.size());
  for (const std::size_t i : order) sorted.push_back(std::move(list[i]));
  list = std::move(sorted);
}

}  // namespace whybits
