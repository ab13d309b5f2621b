#include "tests/support/naive_units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/support/naive_formats.hpp"

namespace whybits::test {
namespace {

using Products = std::vector<std::pair<Bits, Bits>>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

int operand_bytes(const std::string& type) {
  return type == "tf32" ? 4 : type == "f16" || type == "bf16" ? 2 : 1;
}

/// Widest k that the instruction has for operands of this size.
int widest_k(const std::string& instruction, int architecture, int bytes) {
  if (architecture == 70) return 4;
  if (architecture == 75) return 8;
  if (instruction != "mma") return 32 / bytes;
  return bytes == 4 ? 8 : bytes == 2 ? 16 : 32;
}

struct Term {
  bool negative = false;
  mpz_class magnitude = 0;
  long last_place = 0;  ///< value = magnitude · 2^last_place
  long exponent = 0;    ///< what it brings to the alignment
};

/// Rule 6: what a step with NaN or infinities gives; nullopt if all is finite.
std::optional<Bits> special_result(const NaiveMatrixUnit& unit, Bits accumulator,
                                   const Products& products) {
  bool plus = false, minus = false, nan = false, special = false;
  const NaiveNumber c = naive_decode(unit.accumulator, accumulator);
  nan = c.nan;
  (c.negative ? minus : plus) = c.infinite;
  special = !c.finite();
  for (const auto& [a, b] : products) {
    const NaiveNumber x = naive_decode(unit.a, a);
    const NaiveNumber y = naive_decode(unit.b, b);
    if (x.finite() && y.finite()) continue;
    special = true;
    if (x.nan || y.nan || x.is_zero() || y.is_zero())
      nan = true;
    else
      (x.negative != y.negative ? minus : plus) = true;
  }
  if (!special) return std::nullopt;
  if (nan || (plus && minus)) return naive_nan(unit.accumulator);
  return naive_infinity(unit.accumulator, minus);
}

Bits aligned_step(const NaiveMatrixUnit& unit, Bits accumulator, const Products& products) {
  if (const auto special = special_result(unit, accumulator, products)) return *special;
  std::vector<Term> terms;
  const auto add_term = [&](bool negative, const mpz_class& magnitude, long last_place,
                            long exponent) {
    terms.push_back(
        {negative, magnitude, last_place, magnitude == 0 ? unit.zero_exponent : exponent});
  };
  const NaiveNumber c = naive_decode(unit.accumulator, accumulator);
  add_term(c.negative, c.magnitude, c.exponent, c.exponent + unit.accumulator.fraction_bits);
  for (const auto& [a, b] : products) {
    const NaiveNumber x = naive_decode(unit.a, a);
    const NaiveNumber y = naive_decode(unit.b, b);
    const long last_place = x.exponent + y.exponent;
    add_term(x.negative != y.negative, x.magnitude * y.magnitude, last_place,
             last_place + unit.a.fraction_bits + unit.b.fraction_bits);
  }
  while (static_cast<int>(terms.size()) < unit.products + 1) add_term(false, 0, 0, 0);

  long top = terms[0].exponent;
  for (const Term& term : terms) top = std::max(top, term.exponent);
  const long cut = top - unit.fraction_bits;
  mpz_class sum = 0;
  for (const Term& term : terms) {
    mpz_class kept = term.magnitude;
    if (term.last_place >= cut)
      kept <<= static_cast<mp_bitcnt_t>(term.last_place - cut);
    else
      kept >>= static_cast<mp_bitcnt_t>(cut - term.last_place);  // magnitudes: toward zero
    sum += term.negative ? -kept : kept;
  }
  const Bits out =
      naive_round(unit.out, sgn(sum) < 0, abs(sum), cut, unit.rounding, NaiveOverflow::to_infinity);
  // A zero has no sign of its own, whatever became zero.
  if (naive_decode(unit.out, out).is_zero()) return 0;
  return naive_convert(unit.out, unit.accumulator, out);
}

/// f64: of b, c, a the first NaN with its quiet bit set; 0·∞ and ∞ − ∞ give 0xFFF8….
Bits double_step(Bits a, Bits b, Bits c) {
  constexpr Bits quiet = 0x0008000000000000;
  for (const Bits code : {b, c, a})
    if (std::isnan(std::bit_cast<double>(code))) return code | quiet;
  const double result =
      std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c));
  return std::isnan(result) ? 0xfff8000000000000 : std::bit_cast<Bits>(result);
}

/// fp8 by mma.sync where there is no fp8 unit: products with k mod 4 in {0, 1} from zero, those
/// with {2, 3} on top, then c by one IEEE add.
Bits fp8_by_f16(const NaiveMatrixUnit& unit, Bits c, const Products& products) {
  NaiveMatrixUnit half = unit;
  half.model = NaiveMatrixUnit::Model::aligned;
  half.products = std::min(16, unit.products / 2);
  Products low, high;
  for (std::size_t k = 0; k < products.size(); ++k) (k % 4 < 2 ? low : high).push_back(products[k]);
  const Bits sum = aligned_step(half, aligned_step(half, 0, low), high);
  if (unit.accumulator == formats::f32) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(sum));
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(c));
    const float result = x + y;
    return std::isnan(result) ? naive_nan(formats::f32) : std::bit_cast<std::uint32_t>(result);
  }
  const NaiveNumber x = naive_decode(formats::f16, sum);
  const NaiveNumber y = naive_decode(formats::f16, c);
  if (x.nan || y.nan || (x.infinite && y.infinite && x.negative != y.negative))
    return naive_nan(formats::f16);
  if (x.infinite || y.infinite)
    return naive_infinity(formats::f16, x.infinite ? x.negative : y.negative);
  // f16 numbers are multiples of 2^−24 below 2^16, so that a double adds them exactly.
  const double exact = std::ldexp(x.signed_magnitude().get_d(), static_cast<int>(x.exponent)) +
                       std::ldexp(y.signed_magnitude().get_d(), static_cast<int>(y.exponent));
  if (exact == 0)
    return naive_round(formats::f16, x.negative && y.negative, 0, 0, Rounding::nearest_even);
  return naive_convert(formats::f64, formats::f16, std::bit_cast<Bits>(exact));
}

}  // namespace

std::string NaiveMatrixUnit::identity() const {
  std::string text = model == Model::aligned     ? "T"
                     : model == Model::fma_chain ? "fma that keeps NaN "
                                                 : "fp8 by f16 ";
  if (model == Model::fma_chain) return text + format_name(accumulator);
  text += "(" + std::to_string(products) + "," + std::to_string(fraction_bits) + "," +
          format_name(out) + (rounding == Rounding::zero ? " rz," : " rn,") +
          std::to_string(zero_exponent) + ")";
  return text + format_name(a) + "x" + format_name(b);
}

std::optional<NaiveMatrixUnit> naive_matrix_unit(const std::string& name) {
  std::vector<std::string> parts = split(name, '.');
  if (parts.size() < 3 || parts[0].substr(0, 2) != "sm") return std::nullopt;
  const int architecture = std::stoi(parts[0].substr(2));
  const std::string& instruction = parts[1];
  const std::vector<std::string> types = split(parts[2], 'x');
  const bool f16_accumulator = parts.back() == "acc16";
  NaiveMatrixUnit unit;
  unit.a = *parse_format(types.front());
  unit.b = *parse_format(types.back());
  if (types.front() == "f64") {
    unit.model = NaiveMatrixUnit::Model::fma_chain;
    unit.out = unit.accumulator = formats::f64;
    unit.products = 1;
    return unit;
  }
  const int bytes = operand_bytes(types.front());
  int k = widest_k(instruction, architecture, bytes);
  for (const std::string& part : parts)
    if (part[0] == 'k') k = std::stoi(part.substr(1));

  const int generation = architecture < 75 ? 23 : architecture < 90 ? 24 : 25;
  const int bytes_a_step = architecture < 75 ? 8 : architecture < 90 ? 16 : 32;
  const bool fp8_mma_on_datacenter =
      bytes == 1 && instruction == "mma" && (architecture == 90 || architecture == 100);
  const bool narrow = bytes == 1 && (architecture == 89 || instruction == "wgmma");  // F = 13
  unit.accumulator = f16_accumulator ? formats::f16 : formats::f32;
  unit.out = f16_accumulator ? formats::f16
             : narrow        ? Format{8, 13, Specials::ieee}  // RZ14
                             : formats::f32;
  unit.rounding = f16_accumulator ? Rounding::nearest_even : Rounding::zero;
  unit.fraction_bits = narrow ? 13 : generation;
  const bool narrow_floor = f16_accumulator && instruction != "tcgen05";
  unit.zero_exponent = narrow_floor ? 4 - generation : -108 - generation;
  unit.products = std::min(k, bytes_a_step / bytes);
  if (fp8_mma_on_datacenter) {
    unit.model = NaiveMatrixUnit::Model::fp8_by_f16;
    unit.products = k;
  }
  return unit;
}

Bits naive_matrix_step(const NaiveMatrixUnit& unit, Bits accumulator, const Products& products) {
  switch (unit.model) {
    case NaiveMatrixUnit::Model::aligned:
      return aligned_step(unit, accumulator, products);
    case NaiveMatrixUnit::Model::fp8_by_f16:
      return fp8_by_f16(unit, accumulator, products);
    case NaiveMatrixUnit::Model::fma_chain:
      break;
  }
  return double_step(products.at(0).first, products.at(0).second, accumulator);
}

}  // namespace whybits::test
