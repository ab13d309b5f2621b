#include "lab/generators.hpp"

#include <bit>
#include <cassert>
#include <cmath>

#include "lab/integer_rounder.hpp"
#include "lab/word_stream.hpp"
#include "sim/arith.hpp"

namespace whybits {
namespace {

/// A source whose codes are computed by `Generator::operator()(index)`.
template <typename Generator>
class GeneratedSource final : public CodeSource {
 public:
  GeneratedSource(const Format& format, std::uint64_t size, Generator generator)
      : format_(format), size_(size), generator_(generator) {}

  Format format() const override { return format_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    assert(out.empty() || first + (out.size() - 1) * stride < size_);
    // A local copy, so that the compiler need not reload the constants after every store.
    const Generator generator = generator_;
    std::uint64_t index = first;
    for (Bits& code : out) {
      code = generator(index);
      index += stride;
    }
  }

 private:
  Format format_;
  std::uint64_t size_;
  Generator generator_;
};

template <typename Generator>
std::unique_ptr<CodeSource> make_source(const Format& format, std::uint64_t size,
                                        Generator generator) {
  return std::make_unique<GeneratedSource<Generator>>(format, size, generator);
}

/// 2^23 times the uniform value of word h.
std::int32_t uniform_integer(std::uint64_t h) {
  return static_cast<std::int32_t>(h >> 40) - (std::int32_t{1} << 23);
}

}  // namespace

RoundRule generator_rule(const Format& format) {
  RoundRule rule;
  if (format.code_bits() <= 8) rule.overflow = Overflow::saturate;
  return rule;
}

std::unique_ptr<CodeSource> uniform_source(const Format& format, std::uint64_t size,
                                           std::uint64_t stream) {
  return make_source(
      format, size,
      [words = WordStream(stream), round = IntegerRounder(format, generator_rule(format))](
          std::uint64_t i) { return round(uniform_integer(words[i]), -23); });
}

std::unique_ptr<CodeSource> wide_source(const Format& format, std::uint64_t size,
                                        std::uint64_t stream) {
  return make_source(format, size,
                     [words = WordStream(stream),
                      round = IntegerRounder(format, generator_rule(format))](std::uint64_t i) {
                       const std::uint64_t h = words[i];
                       return round(uniform_integer(h), static_cast<int>(h & 15) - 8 - 23);
                     });
}

std::unique_ptr<CodeSource> outliers_source(const Format& format, std::uint64_t size,
                                            std::uint64_t stream) {
  return make_source(format, size,
                     [words = WordStream(stream),
                      round = IntegerRounder(format, generator_rule(format))](std::uint64_t i) {
                       const std::uint64_t h = words[i];
                       return round(uniform_integer(h), (h & 255) == 0 ? -23 : -28);
                     });
}

std::unique_ptr<CodeSource> bits_source(const Format& format, std::uint64_t size,
                                        std::uint64_t stream) {
  const Format stored = stored_format(format);
  // A format narrower than its word (e2m1 in a byte) takes the low bits of the word.
  return make_source(
      stored, size,
      [words = WordStream(stream), drop = 64 - stored.word_bits(),
       mask = stored.code_mask()](std::uint64_t i) { return (words[i] >> drop) & mask; });
}

std::unique_ptr<CodeSource> ones_source(const Format& format, std::uint64_t size) {
  const Bits one = static_cast<Bits>(format.bias()) << format.fraction_bits;
  return make_source(format, size, [one](std::uint64_t) { return one; });
}

std::unique_ptr<CodeSource> linspace_source(const Format& format, std::uint64_t size, double first,
                                            double last) {
  const double width = last - first;
  const double steps = size > 1 ? static_cast<double>(size - 1) : 1.0;
  return make_source(format, size, [=, rule = generator_rule(format)](std::uint64_t i) {
    const double value = first + (static_cast<double>(i) * width) / steps;
    return convert(formats::f64, format, std::bit_cast<Bits>(value), rule);
  });
}

}  // namespace whybits
