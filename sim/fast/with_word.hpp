// From a width that is known when the program runs to a type that is known when it is compiled.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whybits::fast {

/// Calls function(word) with a word of so many bytes: 1, 2, 4, else 8.
template <class Function>
void with_word(std::size_t bytes, Function function) {
  switch (bytes) {
    case 1:
      return function(std::uint8_t{});
    case 2:
      return function(std::uint16_t{});
    case 4:
      return function(std::uint32_t{});
    default:
      return function(std::uint64_t{});
  }
}

}  // namespace whybits::fast
