// The state of the Bits scene: a number, or an operation of up to three, in a format.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace whybits::viz {

struct BitsState {
  /// "none" (look at one number), or add, sub, mul, fma, div, sqrt, convert.
  std::string operation = "none";
  std::string format = "f16";
  std::string result_format;  ///< of convert; else empty
  std::string rounding = "nearest-even";
  std::vector<std::string> operands{"2049"};  ///< as typed: "0.1", "0x6800", "inf"
  std::size_t selected = 0;                   ///< operand whose bits are edited
  std::optional<int> bit;                     ///< counted from the last place

  bool operator==(const BitsState&) const = default;
};

}  // namespace whybits::viz
