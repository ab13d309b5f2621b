// Exact matrix products against mpfr_dot for every element.
#include <mpfr.h>

#include <bit>

#include "exact/exact_gemm.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

constexpr std::size_t size = 256;
constexpr double products = static_cast<double>(size) * size * size;

/// Finite bf16 words of both signs with exponents −24 … −1, and the same as e4m3 bytes.
std::vector<std::uint16_t> bf16_words(std::uint64_t stream) {
  std::vector<std::uint16_t> words(size * size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word = random_word(stream << 32 | i);
    const std::uint64_t exponent = 103 + word % 24;
    words[i] = static_cast<std::uint16_t>((word >> 32 & 0x807f) | exponent << 7);
  }
  return words;
}

std::vector<std::uint8_t> e4m3_words(std::uint64_t stream) {
  std::vector<std::uint8_t> words(size * size);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::uint8_t>(random_word(stream << 32 | i) & 0xf7);
  return words;
}

template <class Word>
double exact_rate(int runs, const Format& format, const std::vector<Word>& a,
                  const std::vector<Word>& b) {
  return rate(runs, products, [&] {
    Bits mixed = 0;
    exact::exact_gemm({format, std::span(a)}, {format, std::span(b)}, {size, size, size},
                      [&](std::size_t, std::size_t, const Superaccumulator& sum) {
                        mixed ^= sum.round_to(formats::f32);
                      });
    keep(mixed);
  });
}

/// One row of the result, element by element.
double mpfr_rate(int runs, const std::vector<std::uint16_t>& a,
                 const std::vector<std::uint16_t>& b) {
  std::vector<__mpfr_struct> row(size), matrix(size * size);
  const auto set = [](mpfr_ptr value, std::uint16_t word) {
    mpfr_init2(value, 24);
    mpfr_set_flt(value, std::bit_cast<float>(std::uint32_t{word} << 16), MPFR_RNDN);
  };
  for (std::size_t i = 0; i < size; ++i) set(&row[i], a[i]);
  for (std::size_t i = 0; i < size * size; ++i) set(&matrix[i], b[i]);
  mpfr_t sum;
  mpfr_init2(sum, 24);
  std::vector<mpfr_ptr> x(size), y(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = &row[i];
  const double result = rate(runs, static_cast<double>(size) * size, [&] {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < size; ++i) y[i] = &matrix[i * size + j];
      mpfr_dot(sum, x.data(), y.data(), size, MPFR_RNDN);
      keep(sum);
    }
  });
  for (auto& value : row) mpfr_clear(&value);
  for (auto& value : matrix) mpfr_clear(&value);
  mpfr_clear(sum);
  return result;
}

}  // namespace

Results exact_products(int runs) {
  const std::vector<std::uint16_t> a = bf16_words(1), b = bf16_words(2);
  const std::vector<std::uint8_t> c = e4m3_words(3), d = e4m3_words(4);
  const double peer = mpfr_rate(runs, a, b);
  const double bf16 = exact_rate(runs, formats::bf16, a, b);
  const double e4m3 = exact_rate(runs, formats::e4m3, c, d);
  const auto seconds = [](double of) { return std::to_string(products / of) + " s in all"; };
  return {{"exact GEMM bf16, 256^3", "product", bf16, "mpfr_dot an element", peer, seconds(bf16)},
          {"exact GEMM e4m3, 256^3", "product", e4m3, "mpfr_dot an element, bf16", peer,
           seconds(e4m3)}};
}

}  // namespace whybits::bench
