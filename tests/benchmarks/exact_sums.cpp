// Exact dot products against mpfr_dot and against a double that rounds every step.
#include <mpfr.h>

#include <bit>

#include "exact/exact_dot.hpp"
#include "sim/arith.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

constexpr std::size_t count = 1'000'000;

/// Numbers in (−1, 1), as inputs of networks are, in a format's storage words.
template <class Word>
std::vector<Word> uniform_words(const Format& format, std::uint64_t stream) {
  std::vector<Word> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(random_word(stream * count + i) >> 40) * 0x1p-23 - 1;
    const Bits code = convert(formats::f64, format, std::bit_cast<Bits>(value));
    words[i] = static_cast<Word>(word_from_code(format, code));
  }
  return words;
}

/// MPFR's numbers of the same values.
class MpfrVector {
 public:
  MpfrVector(const std::vector<double>& values, mpfr_prec_t precision) : values_(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      mpfr_init2(&values_[i], precision);
      mpfr_set_d(&values_[i], values[i], MPFR_RNDN);
      pointers_.push_back(&values_[i]);
    }
  }
  MpfrVector(const MpfrVector&) = delete;
  MpfrVector& operator=(const MpfrVector&) = delete;
  ~MpfrVector() {
    for (auto& value : values_) mpfr_clear(&value);
  }
  const mpfr_ptr* pointers() const { return pointers_.data(); }

 private:
  std::vector<__mpfr_struct> values_;
  std::vector<mpfr_ptr> pointers_;
};

template <class Word>
std::vector<double> values_of(const Format& format, const std::vector<Word>& words) {
  std::vector<double> values;
  for (const Word word : words)
    values.push_back(
        std::bit_cast<double>(convert(format, formats::f64, code_from_word(format, word))));
  return values;
}

double mpfr_dot_rate(int runs, const std::vector<double>& a, const std::vector<double>& b,
                     mpfr_prec_t precision) {
  const MpfrVector x(a, precision), y(b, precision);
  mpfr_t sum;
  mpfr_init2(sum, 24);
  const double result = rate(runs, count, [&] {
    mpfr_dot(sum, x.pointers(), y.pointers(), count, MPFR_RNDN);
    keep(sum);
  });
  mpfr_clear(sum);
  return result;
}

double naive_rate(int runs, const std::vector<double>& a, const std::vector<double>& b) {
  return rate(runs, count, [&] {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
    keep(sum);
  });
}

template <class Word>
double exact_rate(int runs, const Format& format, const std::vector<Word>& a,
                  const std::vector<Word>& b) {
  return rate(runs, count, [&] {
    keep(exact::exact_dot({format, std::span(a)}, {format, std::span(b)}).round_to(formats::f32));
  });
}

template <class Word>
void against_mpfr(Results& results, int runs, const std::string& name, const Format& format) {
  const auto a = uniform_words<Word>(format, 1), b = uniform_words<Word>(format, 2);
  const auto x = values_of(format, a), y = values_of(format, b);
  const double own = exact_rate(runs, format, std::as_const(a), std::as_const(b));
  results.push_back({"exact dot " + name + ", 10^6", "pair", own, "mpfr_dot",
                     mpfr_dot_rate(runs, x, y, format.precision())});
  if (format == formats::f32)
    results.push_back({"exact dot " + name + ", 10^6", "pair", own, "double loop, rounding",
                       naive_rate(runs, x, y)});
}

}  // namespace

Results exact_sums(int runs) {
  Results results;
  against_mpfr<std::uint32_t>(results, runs, "f32", formats::f32);
  against_mpfr<std::uint16_t>(results, runs, "bf16", formats::bf16);
  against_mpfr<std::uint16_t>(results, runs, "f16", formats::f16);
  against_mpfr<std::uint8_t>(results, runs, "e5m2", formats::e5m2);
  against_mpfr<std::uint8_t>(results, runs, "e4m3", formats::e4m3);
  against_mpfr<Bits>(results, runs, "f64", formats::f64);
  return results;
}

}  // namespace whybits::bench
