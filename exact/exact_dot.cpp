#include "exact/exact_dot.hpp"

#include <algorithm>
#include <array>

#include "exact/decode.hpp"
#include "exact/exact_path.hpp"
#include "exact/integer_sum.hpp"
#include "exact/product_bins.hpp"
#include "exact/wide_bins.hpp"

namespace whybits::exact {
namespace {

constexpr std::size_t block_size = 256;
/// Below this many terms, emptying the bins costs more than they save.
constexpr std::size_t worthwhile_bins = 64;
constexpr std::size_t worthwhile_wide_bins = 512;

/// Which terms of a block are added one by one.
enum class Terms : std::uint8_t { all, not_finite };

/// Terms of two operands, or of one, in whatever form, as the paths ask for them.
struct Products {
  OperandWords a, b;

  std::size_t size() const { return a.size(); }
  bool doubles(std::size_t first, std::span<double> out) const {
    std::array<double, block_size> other;
    const std::span<double> factors(other.data(), out.size());
    decode(a.part(first, out.size()), out);
    decode(b.part(first, out.size()), factors);
    multiply(out, factors);
    return true;
  }
  void factors(std::size_t first, std::span<double> x, std::span<double> y) const {
    decode(a.part(first, x.size()), x);
    decode(b.part(first, y.size()), y);
  }
  void one_by_one(Superaccumulator& sum, std::size_t first, std::size_t count, Terms which) const {
    for (std::size_t i = first; i < first + count; ++i) {
      const Unpacked x = unpack(a.format(), a.code(i));
      const Unpacked y = unpack(b.format(), b.code(i));
      if (which == Terms::all || !x.finite() || !y.finite()) sum.add_product(x, y);
    }
  }
};

struct UnpackedProducts {
  std::span<const Unpacked> a, b;

  std::size_t size() const { return a.size(); }
  bool doubles(std::size_t first, std::span<double> out) const {
    std::array<double, block_size> other;
    const std::span<double> factors(other.data(), out.size());
    if (!decode(a.subspan(first, out.size()), out)) return false;
    if (!decode(b.subspan(first, out.size()), factors)) return false;
    multiply(out, factors);
    return true;
  }
  void one_by_one(Superaccumulator& sum, std::size_t first, std::size_t count, Terms which) const {
    for (std::size_t i = first; i < first + count; ++i)
      if (which == Terms::all || !a[i].finite() || !b[i].finite()) sum.add_product(a[i], b[i]);
  }
};

struct Values {
  OperandWords x;

  std::size_t size() const { return x.size(); }
  bool doubles(std::size_t first, std::span<double> out) const {
    decode(x.part(first, out.size()), out);
    return true;
  }
  void factors(std::size_t first, std::span<double> values, std::span<double> ones) const {
    decode(x.part(first, values.size()), values);
    std::fill(ones.begin(), ones.end(), 1.0);
  }
  void one_by_one(Superaccumulator& sum, std::size_t first, std::size_t count, Terms which) const {
    for (std::size_t i = first; i < first + count; ++i) {
      const Unpacked value = unpack(x.format(), x.code(i));
      if (which == Terms::all || !value.finite()) sum.add(value);
    }
  }
};

template <class Operands>
void by_bins(Superaccumulator& sum, const Operands& operands) {
  if (operands.size() < worthwhile_bins)
    return operands.one_by_one(sum, 0, operands.size(), Terms::all);
  ProductBins bins;
  std::array<double, block_size> block;
  std::size_t held = 0;
  const auto empty = [&] {
    bins.empty([&](Int128 value, int exponent) { sum.add_integer(value, exponent); },
               [&](bool negative) { sum.add_zero(negative); });
    held = 0;
  };
  for (std::size_t first = 0; first < operands.size(); first += block_size) {
    const std::span<double> terms(block.data(), std::min(block_size, operands.size() - first));
    if (!operands.doubles(first, terms)) {
      operands.one_by_one(sum, first, terms.size(), Terms::all);
      continue;
    }
    if (held + terms.size() > ProductBins::capacity) empty();
    bins.add(terms);
    held += terms.size();
    if (bins.take_special()) operands.one_by_one(sum, first, terms.size(), Terms::not_finite);
  }
  empty();
}

/// Products of doubles, or doubles, in 128 bits an exponent.
template <class Operands>
void by_wide_bins(Superaccumulator& sum, const Operands& operands) {
  if (operands.size() < worthwhile_wide_bins)
    return operands.one_by_one(sum, 0, operands.size(), Terms::all);
  WideBins bins;
  std::array<double, block_size> block_a, block_b;
  std::size_t held = 0;
  const auto empty = [&] {
    bins.empty([&](Int128 value, int exponent) { sum.add_integer(value, exponent); });
    held = 0;
  };
  for (std::size_t first = 0; first < operands.size(); first += block_size) {
    const std::size_t count = std::min(block_size, operands.size() - first);
    const std::span a(block_a.data(), count), b(block_b.data(), count);
    operands.factors(first, a, b);
    if (held + count > WideBins::capacity) empty();
    held += count;
    const bool finite = WideBins::finite(a) && WideBins::finite(b);
    if (finite && bins.add_products(a, b))
      sum.add_integer(0, 0);  // something is not zero, even if all of it cancels
    else
      operands.one_by_one(sum, first, count, Terms::all);
  }
  empty();
}

/// An integer accumulator that is emptied before it can overflow.
template <class Sum>
class IntegerSum {
 public:
  IntegerSum(Superaccumulator& sum, int unit) : sum_(sum), unit_(unit) {}
  ~IntegerSum() { empty(); }
  IntegerSum(const IntegerSum&) = delete;
  IntegerSum& operator=(const IntegerSum&) = delete;

  /// Returns false if the block cancelled before anything else was seen: whether a zero sum is
  /// positive then depends on its terms.
  bool add(Sum block) {
    nonzero_ = nonzero_ || block != 0;
    total_ += block;
    if (++blocks_ == most_blocks) empty();
    return nonzero_;
  }

 private:
  /// Of 2^8 terms each; the paths leave 16 bits.
  static constexpr int most_blocks = 1 << 8;

  void empty() {
    if (nonzero_) sum_.add_integer(total_, unit_);
    total_ = 0;
    blocks_ = 0;
  }

  Superaccumulator& sum_;
  int unit_;
  Sum total_ = 0;
  int blocks_ = 0;
  bool nonzero_ = false;
};

template <class Sum>
void by_integers(Superaccumulator& sum, const Products& operands) {
  const Format& fa = operands.a.format();
  const Format& fb = operands.b.format();
  const IntegerDecoder decode_a(fa, operands.size()), decode_b(fb, operands.size());
  IntegerSum<Sum> total(sum, integer_unit(fa) + integer_unit(fb));
  std::array<std::int64_t, block_size> block_a, block_b;
  for (std::size_t first = 0; first < operands.size(); first += block_size) {
    const std::size_t count = std::min(block_size, operands.size() - first);
    const std::span a(block_a.data(), count), b(block_b.data(), count);
    const bool finite_a = decode_a(operands.a.part(first, count), a);
    const bool finite_b = decode_b(operands.b.part(first, count), b);
    if (!finite_a || !finite_b || !total.add(sum_of_products<Sum>(a, b)))
      operands.one_by_one(sum, first, count, Terms::all);
  }
}

template <class Sum>
void by_integers(Superaccumulator& sum, const Values& operands) {
  const IntegerDecoder decode_x(operands.x.format(), operands.size());
  IntegerSum<Sum> total(sum, integer_unit(operands.x.format()));
  std::array<std::int64_t, block_size> block;
  for (std::size_t first = 0; first < operands.size(); first += block_size) {
    const std::size_t count = std::min(block_size, operands.size() - first);
    const std::span x(block.data(), count);
    const bool finite = decode_x(operands.x.part(first, count), x);
    Sum partial = 0;
    for (const std::int64_t value : x) partial += value;
    if (!finite || !total.add(partial)) operands.one_by_one(sum, first, count, Terms::all);
  }
}

template <class Operands>
void add_by(ExactPath path, Superaccumulator& sum, const Operands& operands) {
  switch (path) {
    case ExactPath::fixed64:
      return by_integers<std::int64_t>(sum, operands);
    case ExactPath::fixed128:
      return by_integers<Int128>(sum, operands);
    case ExactPath::bins:
      return by_bins(sum, operands);
    case ExactPath::wide_bins:
      return by_wide_bins(sum, operands);
    case ExactPath::limbs:
      return operands.one_by_one(sum, 0, operands.size(), Terms::all);
  }
}

/// A dot product decodes every operand once. Where no table does that (f16), the integers of 128
/// bits take longer to make than they save over the bins; a matrix product uses them many times.
ExactPath dot_path(const Format& a, const Format& b) {
  const ExactPath path = exact_path(a, b);
  const bool tables = a.code_bits() <= 8 && b.code_bits() <= 8;
  return path == ExactPath::fixed128 && !tables ? ExactPath::bins : path;
}

void require_equal(std::size_t a, std::size_t b) {
  if (a != b) throw std::invalid_argument("a dot product of vectors of different lengths");
}

}  // namespace

void add_products(Superaccumulator& sum, const OperandWords& a, const OperandWords& b) {
  require_equal(a.size(), b.size());
  add_by(dot_path(a.format(), b.format()), sum, Products{a, b});
}

void add_products(Superaccumulator& sum, std::span<const Unpacked> a, std::span<const Unpacked> b) {
  require_equal(a.size(), b.size());
  by_bins(sum, UnpackedProducts{a, b});
}

void add_values(Superaccumulator& sum, const OperandWords& x) {
  add_by(exact_path(x.format(), std::nullopt), sum, Values{x});
}

Superaccumulator exact_dot(const OperandWords& a, const OperandWords& b) {
  Superaccumulator sum;
  add_products(sum, a, b);
  return sum;
}

Superaccumulator exact_sum(const OperandWords& x) {
  Superaccumulator sum;
  add_values(sum, x);
  return sum;
}

}  // namespace whybits::exact
