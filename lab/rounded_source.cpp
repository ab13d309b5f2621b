#include "lab/rounded_source.hpp"

#include "sim/arith.hpp"

namespace whybits {

void RoundedSource::read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const {
  inner_->read(first, stride, out);
  const Format from = inner_->format();
  for (Bits& code : out) code = convert(from, conversion_.to, code, conversion_.rule);
}

}  // namespace whybits
