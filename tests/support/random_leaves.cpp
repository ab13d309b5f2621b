#include "tests/support/random_leaves.hpp"

#include <algorithm>
#include <sstream>

#include "tests/support/naive_formats.hpp"

namespace whybits::test {

Bits random_code(Random& random, const Format& f, LeafKind kind) {
  const Bits fraction = random.below(Bits{1} << f.fraction_bits);
  const Bits sign = random.below(2) << (f.exponent_bits + f.fraction_bits);
  const std::uint64_t bias = (std::uint64_t{1} << (f.exponent_bits - 1)) - 1;
  if (kind == LeafKind::ordinary)  // exponents −3 … 0
    return sign | ((bias - random.below(std::min<std::uint64_t>(bias, 4))) << f.fraction_bits) |
           fraction;
  const std::uint64_t draw = random.below(kind == LeafKind::special ? 14 : 12);
  if (draw == 0) return sign;             // ±0
  if (draw == 1) return sign | fraction;  // subnormal
  if (draw == 12) return naive_infinity(f, sign != 0);
  if (draw == 13) return f.specials == Specials::none ? sign : naive_nan(f);
  for (;;) {
    const std::uint64_t fields = std::uint64_t{1} << f.exponent_bits;
    const std::uint64_t near_one = bias + 8 - std::min<std::uint64_t>(bias + 8, random.below(17));
    const std::uint64_t exponent = draw < 6 ? std::min(near_one, fields - 1) : random.below(fields);
    const Bits code = sign | (exponent << f.fraction_bits) | fraction;
    if (naive_decode(f, code).finite()) return code;
  }
}

std::vector<Bits> random_codes(Random& random, const Format& format, std::uint64_t n,
                               LeafKind kind) {
  std::vector<Bits> codes(n);
  // NaN and infinities swamp a sum: a few among many.
  for (Bits& code : codes)
    code = random_code(random, format,
                       kind == LeafKind::special && random.below(n) >= 2 ? LeafKind::wide : kind);
  return codes;
}

std::string describe(const NaiveLeaves& leaves) {
  std::ostringstream text;
  text << leaves.a.size() << " leaves, " << std::hex;
  const auto list = [&](const Format& format, const std::vector<Bits>& codes) {
    text << format_name(format) << ":";
    for (std::size_t i = 0; i < std::min<std::size_t>(codes.size(), 8); ++i)
      text << " " << codes[i];
    text << "; ";
  };
  list(leaves.a_format, leaves.a);
  if (leaves.b_format) list(*leaves.b_format, leaves.b);
  if (leaves.c) list(leaves.c->first, {leaves.c->second});
  return text.str();
}

SimLeaves::SimLeaves(const NaiveLeaves& naive) : a_(naive.a_format, naive.a) {
  leaves_.a = &a_;
  if (naive.b_format) leaves_.b = &b_.emplace(*naive.b_format, naive.b);
  if (naive.products_to_f32) leaves_.product = Conversion{formats::f32, {}};
  if (naive.c) leaves_.c = Scalar{naive.c->first, naive.c->second};
  leaves_.operands = {{"bias", Scalar{naive.bias.first, naive.bias.second}}};
}

}  // namespace whybits::test
