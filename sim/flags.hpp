// The five exceptions of IEEE 754 §7. An operation hands its own back beside the result; nothing
// is global and nothing accumulates by itself.
#pragma once

#include <cstdint>

namespace whybits {

struct Flags {
  bool invalid = false;         ///< no useful answer, or a signalling NaN among the operands
  bool divide_by_zero = false;  ///< an exact infinity from finite operands
  bool overflow = false;        ///< rounded, it is beyond the largest finite number
  bool underflow = false;       ///< tiny and inexact; what tiny means is Tininess's choice
  bool inexact = false;         ///< the result is not the exact one

  constexpr bool operator==(const Flags&) const = default;

  /// As Berkeley SoftFloat and TestFloat write them.
  constexpr std::uint8_t byte() const {
    return static_cast<std::uint8_t>(inexact | underflow << 1 | overflow << 2 |
                                     divide_by_zero << 3 | invalid << 4);
  }
};

constexpr Flags operator|(const Flags& a, const Flags& b) {
  return {a.invalid || b.invalid, a.divide_by_zero || b.divide_by_zero, a.overflow || b.overflow,
          a.underflow || b.underflow, a.inexact || b.inexact};
}

}  // namespace whybits
