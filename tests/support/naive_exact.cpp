#include "tests/support/naive_exact.hpp"

#include "tests/support/naive_formats.hpp"

namespace whybits::test {
namespace {

FixedPoint scaled(const mpz_class& mantissa, long exponent) {
  return mantissa << static_cast<mp_bitcnt_t>(exponent - fixed_point_exponent);
}

class Adder {
 public:
  explicit Adder(const NaiveLeaves& leaves) : leaves_(leaves) {}

  void include(const TermPtr& term) {
    if (!term) return;
    switch (term->kind) {
      case NaiveTerm::Kind::leaf:
        include(fixed_point_leaf(leaves_, term->leaf));
        return;
      case NaiveTerm::Kind::operand:
        include(fixed_point(leaves_.bias.first, leaves_.bias.second));
        [[fallthrough]];
      case NaiveTerm::Kind::round:
        include(term->inner);
        return;
      case NaiveTerm::Kind::fold:
      case NaiveTerm::Kind::any:
        break;
    }
    if (term->begin == NaiveTerm::Begin::c)
      include(fixed_point(leaves_.c->first, leaves_.c->second));
    if (term->begin == NaiveTerm::Begin::term) include(term->start);
    for (const auto& step : term->steps)
      for (const TermPtr& item : step) include(item);
  }

  std::optional<FixedPoint> sum() const { return sum_; }

 private:
  void include(const std::optional<FixedPoint>& value) {
    if (sum_ && value)
      *sum_ += *value;
    else
      sum_.reset();
  }

  const NaiveLeaves& leaves_;
  std::optional<FixedPoint> sum_ = FixedPoint(0);
};

}  // namespace

std::optional<FixedPoint> fixed_point(const Format& format, Bits code) {
  const NaiveNumber x = naive_decode(format, code);
  if (!x.finite()) return std::nullopt;
  return scaled(x.signed_magnitude(), x.exponent);
}

std::optional<FixedPoint> fixed_point_product(const Format& fa, Bits a, const Format& fb, Bits b) {
  const NaiveNumber x = naive_decode(fa, a);
  const NaiveNumber y = naive_decode(fb, b);
  if (!x.finite() || !y.finite()) return std::nullopt;
  return scaled(x.signed_magnitude() * y.signed_magnitude(), x.exponent + y.exponent);
}

FixedPoint fixed_point(const Dyadic& value) {
  return scaled(value.mantissa(), value.exponent());
}

std::optional<FixedPoint> fixed_point_leaf(const NaiveLeaves& leaves, std::uint64_t leaf) {
  if (!leaves.b_format) return fixed_point(leaves.a_format, leaves.a.at(leaf));
  if (!leaves.products_to_f32)
    return fixed_point_product(leaves.a_format, leaves.a.at(leaf), *leaves.b_format,
                               leaves.b.at(leaf));
  const auto exact =
      fixed_point_product(leaves.a_format, leaves.a.at(leaf), *leaves.b_format, leaves.b.at(leaf));
  if (!exact) return std::nullopt;
  return fixed_point(formats::f32, naive_round(formats::f32, *exact < 0, abs(*exact),
                                               fixed_point_exponent, Rounding::nearest_even));
}

std::optional<FixedPoint> naive_exact_sum(const TermPtr& term, const NaiveLeaves& leaves) {
  Adder adder(leaves);
  adder.include(term);
  return adder.sum();
}

}  // namespace whybits::test
