// Where operands come from. An evaluator asks for the codes that it needs by logical index, so a
// generated operand of a hundred million elements need not exist in memory.
#pragma once

#include <cstdint>
#include <span>

#include "sim/format.hpp"

namespace whybits {

/// Codes of one operand by logical index (matrices are row-major whatever the library saw:
/// index = row · columns + column). Reading is pure: the same index always gives the same code.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  virtual Format format() const = 0;
  virtual std::uint64_t size() const = 0;
  /// out[i] = code at first + i·stride. Precondition: all indices < size().
  virtual void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const = 0;
};

}  // namespace whybits
