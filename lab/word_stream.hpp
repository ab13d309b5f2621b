// Reproducible random words that any language can make: a counter through SplitMix64's finalizer
// (Steele, Lea, Flood, OOPSLA 2014). Word i of stream S is mix(mix(S) + i), in 64-bit arithmetic
// that wraps, so that any word is had without the words before it.
#pragma once

#include <cstdint>

#include "sim/hash.hpp"

namespace whybits {

class WordStream {
 public:
  explicit constexpr WordStream(std::uint64_t stream) : base_(mix(stream)) {}
  constexpr std::uint64_t operator[](std::uint64_t i) const { return mix(base_ + i); }

 private:
  std::uint64_t base_;
};

}  // namespace whybits
