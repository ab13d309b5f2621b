#include "sim/special/functions.hpp"

#include <cmath>
#include <limits>

#include "sim/special/instructions.hpp"
#include "sim/special/unit.hpp"

namespace whybits::special {
namespace {

using words::infinity;
using words::magnitude;
using words::minus;

constexpr std::array<LogPolynomial, 2> polynomials{{
    {"nvcc 13.0.88",
     {-0x1.0aa04ep-3F, 0x1.2073ecp-3F, -0x1.f19b98p-4F, 0x1.1e52aap-3F, -0x1.55b172p-3F,
      0x1.99da16p-3F, -0x1.fffe44p-3F, 0x1.5554fp-2F, -0.5F},
     "every argument, H200"},
    {"PyTorch 2.11, CUDA 13.0",
     {-0.130187988F, 0.140889794F, -0.121483512F, 0.139814854F, -0.166846126F, 0.200120345F,
      -0.249996200F, 0.333331972F, -0.5F},
     "20,480 results of log_softmax, H200"},
}};

Ftz flushing(Mode mode) {
  return mode == Mode::standard ? Ftz::no : Ftz::yes;
}

/// 2^(x·log2 of the base) with the whole part taken off first. `scaled` is that logarithm / 252.
struct Base {
  std::uint32_t scaled;
  float high, low;  ///< the logarithm
};
constexpr Base base_e{0x3bbb989d, 0x1.715476p+0F, 0x1.4ae0cp-26F};
constexpr Base base_10{0x3c57fa62, 0x1.a934fp+1F, 0x1.2f346ep-24F};

std::uint32_t exponential(std::uint32_t x, const Base& base, Ftz ftz) {
  constexpr float one_in_units = 12582913.0F;  // 1.5·2^23 + 1
  const std::uint32_t part = saturate(fma(x, base.scaled, word(0.5F), ftz));
  const std::uint32_t whole = fma_down(part, word(252.0F), word(one_in_units), ftz);
  const std::uint32_t k = add(whole, word(-12583039.0F), ftz);
  std::uint32_t r = fma(x, word(base.high), k ^ minus, ftz);
  r = fma(x, word(base.low), r, ftz);
  return mul(whole << 23, unit::ex2(r), ftz);
}

/// x = m·2^e with m near 1, then e + log(m): what all logarithms without the unit share.
struct Split {
  std::uint32_t x;                   ///< scaled to be normal
  std::uint32_t exponent, fraction;  ///< as f32; m − 1
};
Split split(std::uint32_t x, std::uint32_t offset, Ftz ftz) {
  const bool small = value(x) < std::numeric_limits<float>::min();  // also everything below 0
  if (small) x = mul(x, word(0x1p23F), ftz);
  const std::uint32_t whole = (x + offset) & 0xff800000;
  const std::uint32_t e = fma(word(static_cast<float>(static_cast<std::int32_t>(whole))),
                              word(0x1p-23F), word(small ? -23.0F : 0.0F), ftz);
  return {x, e, add(x - whole, word(-1.0F), ftz)};
}
std::uint32_t with_specials(const Split& at, std::uint32_t result, Ftz ftz) {
  if ((at.x & magnitude) == 0) return minus | infinity;
  if (at.x >= infinity) return fma(at.x, infinity, infinity, ftz);
  return result;
}

/// x, flushed; one NaN for all.
std::uint32_t copy(std::uint32_t x, Ftz ftz) {
  return mul(x, word(1.0F), ftz);
}

std::uint32_t ieee_quotient(std::uint32_t x, std::uint32_t y, Ftz ftz) {
  return copy(word(value(copy(x, ftz)) / value(copy(y, ftz))), ftz);
}

}  // namespace

std::span<const LogPolynomial> log_polynomials() {
  return polynomials;
}

std::uint32_t expf(std::uint32_t x, Mode mode) {
  return mode == Mode::fast ? fast_expf(x, mode) : exponential(x, base_e, flushing(mode));
}

std::uint32_t exp2f(std::uint32_t x, Mode mode) {
  return ex2(x, flushing(mode));
}

std::uint32_t exp10f(std::uint32_t x, Mode mode) {
  return mode == Mode::fast ? fast_exp10f(x, mode) : exponential(x, base_10, flushing(mode));
}

std::uint32_t logf(std::uint32_t x, Mode mode, const LogPolynomial& polynomial) {
  if (mode == Mode::fast) return fast_logf(x, mode);
  const Ftz ftz = flushing(mode);
  const Split at = split(x, 0xc0d55555, ftz);
  const std::uint32_t f = at.fraction;
  std::uint32_t r = word(polynomial.c[0]);
  for (std::size_t i = 1; i < polynomial.c.size(); ++i) r = fma(r, f, word(polynomial.c[i]), ftz);
  r = fma(f, mul(f, r, ftz), f, ftz);
  return with_specials(at, fma(at.exponent, word(0x1.62e43p-1F), r, ftz), ftz);
}

std::uint32_t log2f(std::uint32_t x, Mode mode) {
  if (mode == Mode::fast) return unit::lg2(x);
  constexpr std::array c{0x1.8d64fep-4F,          -0.16845393180847167969F,
                         0.1716887056827545166F,  -0.17900948226451873779F,
                         0.20512372255325317383F, -0.24046532809734344482F,
                         0.28857114911079406738F, -0.36067417263984680176F,
                         0.48089820146560668945F, -0.72134751081466674805F};
  const Ftz ftz = flushing(mode);
  const Split at = split(x, 0xc0cafb0d, ftz);
  const std::uint32_t f = at.fraction;
  std::uint32_t r = word(c[0]);
  for (std::size_t i = 1; i < c.size(); ++i) r = fma(r, f, word(c[i]), ftz);
  r = mul(f, mul(f, r, ftz), ftz);
  r = fma(f, word(base_e.high), r, ftz);
  return with_specials(at, add(at.exponent, r, ftz), ftz);
}

std::uint32_t log10f(std::uint32_t x, Mode mode) {
  if (mode == Mode::fast) return fast_log10f(x, mode);
  return mul(logf(x, mode), word(0.43429449200630187988F), flushing(mode));
}

std::uint32_t sqrtf(std::uint32_t x, Mode mode) {
  if (mode == Mode::fast) return unit::sqrt(x);
  const Ftz ftz = flushing(mode);
  return copy(word(std::sqrt(value(copy(x, ftz)))), ftz);
}

std::uint32_t rsqrtf(std::uint32_t x, Mode mode) {
  return rsqrt(x, flushing(mode));
}

std::uint32_t tanhf(std::uint32_t x, Mode mode) {
  if (mode == Mode::fast) return unit::tanh(x);
  constexpr std::array c{0x1.01e104p-6F, -0.052303962409496307373F, 0.1331529766321182251F,
                         -0.33332768082618713379F};
  const Ftz ftz = flushing(mode);
  const float size = std::fabs(value(x));
  if (size >= 0.60000002384185791016F) {  // 1 − 2/(1 + e^2x)
    const std::uint32_t e = unit::ex2(mul(word(size), word(2 * base_e.high), ftz));
    const std::uint32_t q = unit::rcp(add(e, word(1.0F), ftz));
    const std::uint32_t y = fma(q, word(-2.0F), word(1.0F), ftz);
    return (size >= 9.010913848876953125F ? word(1.0F) : y & magnitude) | (x & minus);
  }
  const std::uint32_t square = mul(x, x, ftz);
  std::uint32_t r = word(c[0]);
  for (std::size_t i = 1; i < c.size(); ++i) r = fma(square, r, word(c[i]), ftz);
  return fma(x, fma(square, r, 0, ftz), x, ftz);
}

std::uint32_t reciprocal(std::uint32_t x, Mode mode) {
  return mode == Mode::fast ? unit::rcp(x) : ieee_quotient(word(1.0F), x, flushing(mode));
}

std::uint32_t divide(std::uint32_t x, std::uint32_t y, Mode mode) {
  return mode == Mode::fast ? fast_divide(x, y, mode) : ieee_quotient(x, y, flushing(mode));
}

std::uint32_t fast_expf(std::uint32_t x, Mode mode) {
  const Ftz ftz = flushing(mode);
  return ex2(mul(x, word(base_e.high), ftz), ftz);
}

std::uint32_t fast_exp10f(std::uint32_t x, Mode mode) {
  const Ftz ftz = flushing(mode);
  return ex2(mul(x, word(base_10.high), ftz), ftz);
}

std::uint32_t fast_logf(std::uint32_t x, Mode mode) {
  const Ftz ftz = flushing(mode);
  return mul(lg2(x, ftz), word(0x1.62e43p-1F), ftz);
}

std::uint32_t fast_log2f(std::uint32_t x, Mode mode) {
  return lg2(x, flushing(mode));
}

std::uint32_t fast_log10f(std::uint32_t x, Mode mode) {
  const Ftz ftz = flushing(mode);
  return mul(lg2(x, ftz), word(0.30103000998497009277F), ftz);
}

std::uint32_t fast_tanf(std::uint32_t x, Mode mode) {
  return fast_divide(sin(x, Ftz::no), cos(x, Ftz::no), mode);
}

std::uint32_t fast_divide(std::uint32_t x, std::uint32_t y, Mode mode) {
  return div_approx(x, y, flushing(mode));
}

std::uint32_t fast_powf(std::uint32_t x, std::uint32_t y, Mode mode) {
  const Ftz ftz = flushing(mode);
  return ex2(mul(lg2(x, ftz), y, ftz), ftz);
}

}  // namespace whybits::special
