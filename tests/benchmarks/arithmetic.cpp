// round_pack and the reference additions, against MPFR at the same precision.
#include <mpfr.h>

#include <bit>

#include "sim/arith.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

constexpr std::size_t count = 1 << 16;
constexpr int repeats = 8;
constexpr double items = static_cast<double>(count) * repeats;

/// Words of f32 numbers between 2^−16 and 2^16, of both signs.
std::vector<Bits> f32_codes(std::uint64_t stream) {
  std::vector<Bits> codes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = random_word(stream << 32 | i);
    codes[i] = (word >> 32 & 0x807fffff) | (111 + word % 32) << 23;
  }
  return codes;
}

double round_pack_rate(int runs) {
  std::vector<Unrounded> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = random_word(i);
    values[i] = {(word & 1) != 0, false, -40 - static_cast<int>(word >> 8 & 15), Uint128{word}};
  }
  return rate(runs, items, [&] {
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (const Unrounded& value : values) keep(round_pack(formats::f32, value, {}));
  });
}

double mpfr_round_rate(int runs) {
  mpfr_t wide, narrow;
  mpfr_init2(wide, 64);
  mpfr_init2(narrow, 24);
  mpfr_set_ui(wide, 0xfedcba9876543211U, MPFR_RNDN);
  const double result = rate(runs, items, [&] {
    for (std::size_t i = 0; i < count * repeats; ++i) {
      mpfr_set(narrow, wide, MPFR_RNDN);
      keep(narrow);
    }
  });
  mpfr_clear(wide);
  mpfr_clear(narrow);
  return result;
}

double add_rate(int runs, const std::vector<Bits>& a, const std::vector<Bits>& b) {
  return rate(runs, items, [&] {
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t i = 0; i < count; ++i) keep(add(formats::f32, a[i], b[i]));
  });
}

double mpfr_add_rate(int runs, const std::vector<Bits>& a, const std::vector<Bits>& b) {
  std::vector<__mpfr_struct> x(count), y(count);
  const auto set = [](mpfr_ptr value, Bits code) {
    mpfr_init2(value, 24);
    mpfr_set_flt(value, std::bit_cast<float>(static_cast<std::uint32_t>(code)), MPFR_RNDN);
  };
  for (std::size_t i = 0; i < count; ++i) {
    set(&x[i], a[i]);
    set(&y[i], b[i]);
  }
  mpfr_t sum;
  mpfr_init2(sum, 24);
  const double result = rate(runs, items, [&] {
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t i = 0; i < count; ++i) {
        mpfr_add(sum, &x[i], &y[i], MPFR_RNDN);
        keep(sum);
      }
  });
  for (std::size_t i = 0; i < count; ++i) {
    mpfr_clear(&x[i]);
    mpfr_clear(&y[i]);
  }
  mpfr_clear(sum);
  return result;
}

}  // namespace

Results arithmetic(int runs) {
  const std::vector<Bits> a = f32_codes(1), b = f32_codes(2);
  return {{"round_pack to f32", "rounding", round_pack_rate(runs), "mpfr_set, 64 to 24 bits",
           mpfr_round_rate(runs)},
          {"reference f32 add", "addition", add_rate(runs, a, b), "mpfr_add, 24 bits",
           mpfr_add_rate(runs, a, b)}};
}

}  // namespace whybits::bench
