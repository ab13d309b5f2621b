// Reading memory once: the bound of whatever has to look at every word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace whybits::bench {

/// The exclusive or of all words, by vectors as wide as the optimized evaluator is pinned to.
/// Precondition: a multiple of 512 bytes.
std::uint64_t xor_words(std::span<const std::byte> words);

}  // namespace whybits::bench
