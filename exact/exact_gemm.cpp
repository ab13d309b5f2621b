#include "exact/exact_gemm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <vector>

#include "exact/decode.hpp"
#include "exact/exact_path.hpp"
#include "exact/integer_sum.hpp"
#include "exact/product_bins.hpp"

namespace whybits::exact {
namespace {

constexpr std::size_t panel_width = 32;

/// The exponent fields of the doubles in a vector that are neither zero nor NaN nor infinite.
struct FieldRange {
  int low = 2047;
  int high = 0;

  explicit FieldRange(std::span<const double> values) {
    for (const double value : values) {
      const auto field = static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff);
      if (field == 0 || field == 2047) continue;
      low = std::min(low, field);
      high = std::max(high, field);
    }
  }
};

/// Dot products of decoded vectors by exponent bins. Only the bins that the exponents of the two
/// vectors can reach are emptied.
class BinsDot {
 public:
  using Number = double;
  struct Vector {
    std::span<const double> values;
    FieldRange fields;
    Vector(std::span<const double> v, bool) : values(v), fields(v) {}
  };

  /// Returns false if there is a NaN or an infinity: the products are then to be looked at.
  bool operator()(Superaccumulator& sum, const Vector& x, const Vector& y) {
    const int low = std::max(x.fields.low + y.fields.low - 1023, ProductBins::lowest_field);
    const int high = std::min(x.fields.high + y.fields.high - 1022, ProductBins::highest_field);
    bool finite = true;
    for (std::size_t first = 0; first < x.values.size(); first += ProductBins::capacity) {
      const std::size_t count = std::min(ProductBins::capacity, x.values.size() - first);
      bins_.add_products(x.values.subspan(first, count), y.values.subspan(first, count));
      finite = !bins_.take_special() && finite;
      bins_.empty([&](Int128 value, int exponent) { sum.add_integer(value, exponent); },
                  [&](bool negative) { sum.add_zero(negative); }, low, high);
    }
    return finite;
  }

 private:
  ProductBins bins_;
};

/// Dot products of integers. Sum holds 2^16 products (exact_path.hpp).
template <class Sum>
class IntegerDot {
 public:
  using Number = std::int64_t;
  struct Vector {
    std::span<const std::int64_t> values;
    bool finite;
    Vector(std::span<const std::int64_t> v, bool is_finite) : values(v), finite(is_finite) {}
  };

  explicit IntegerDot(int unit) : unit_(unit) {}

  /// Returns false if there is a NaN or an infinity, or if the sign of a zero depends on the terms.
  bool operator()(Superaccumulator& sum, const Vector& x, const Vector& y) const {
    constexpr std::size_t capacity = 1 << 16;
    bool nonzero = false;
    for (std::size_t first = 0; first < x.values.size(); first += capacity) {
      const std::size_t count = std::min(capacity, x.values.size() - first);
      const Sum part =
          sum_of_products<Sum>(x.values.subspan(first, count), y.values.subspan(first, count));
      nonzero = nonzero || part != 0;
      if (part != 0) sum.add_integer(part, unit_);
    }
    return x.finite && y.finite && nonzero;
  }

 private:
  int unit_;
};

class Gemm {
 public:
  using Visit = std::function<void(std::size_t, std::size_t, const Superaccumulator&)>;

  Gemm(const OperandWords& a, const OperandWords& b, const MatrixShape& shape, const Visit& visit)
      : a_(a), b_(b), shape_(shape), visit_(visit) {}

  /// decode_a and decode_b write numbers and return false if that cannot say what there is, dot
  /// adds products of two decoded vectors.
  template <class Dot, class DecodeA, class DecodeB>
  void run(Dot dot, DecodeA decode_a, DecodeB decode_b) const {
    using Number = typename Dot::Number;
    const std::size_t k = shape_.k;
    std::vector<Number> row(k), panel(k * panel_width), part(panel_width);
    for (std::size_t left = 0; left < shape_.n; left += panel_width) {
      const std::size_t width = std::min(panel_width, shape_.n - left);
      std::array<bool, panel_width> finite;
      finite.fill(true);
      for (std::size_t i = 0; i < k; ++i) {
        const bool all =
            decode_b(b_.part(i * shape_.n + left, width), std::span(part).first(width));
        for (std::size_t j = 0; j < width; ++j) panel[j * k + i] = part[j];
        if (!all) mark_not_finite(i, left, width, finite);
      }
      std::vector<typename Dot::Vector> columns;
      for (std::size_t j = 0; j < width; ++j)
        columns.emplace_back(std::span<const Number>(panel).subspan(j * k, k), finite[j]);
      for (std::size_t i = 0; i < shape_.m; ++i) {
        const bool all = decode_a(a_.part(i * k, k), std::span(row));
        const typename Dot::Vector x(std::span<const Number>(row), all);
        for (std::size_t j = 0; j < width; ++j) {
          Superaccumulator sum;
          if (dot(sum, x, columns[j]))
            visit_(i, left + j, sum);
          else
            visit_(i, left + j, one_by_one(i, left + j));
        }
      }
    }
  }

  void run_one_by_one() const {
    for (std::size_t i = 0; i < shape_.m; ++i)
      for (std::size_t j = 0; j < shape_.n; ++j) visit_(i, j, one_by_one(i, j));
  }

 private:
  void mark_not_finite(std::size_t row, std::size_t left, std::size_t width,
                       std::span<bool> finite) const {
    for (std::size_t j = 0; j < width; ++j)
      if (!unpack(b_.format(), b_.code(row * shape_.n + left + j)).finite()) finite[j] = false;
  }

  Superaccumulator one_by_one(std::size_t row, std::size_t column) const {
    Superaccumulator sum;
    for (std::size_t i = 0; i < shape_.k; ++i)
      sum.add_product(unpack(a_.format(), a_.code(row * shape_.k + i)),
                      unpack(b_.format(), b_.code(i * shape_.n + column)));
    return sum;
  }

  const OperandWords& a_;
  const OperandWords& b_;
  const MatrixShape& shape_;
  const Visit& visit_;
};

}  // namespace

void exact_gemm(
    const OperandWords& a, const OperandWords& b, const MatrixShape& shape,
    const std::function<void(std::size_t, std::size_t, const Superaccumulator&)>& visit) {
  if (a.size() != shape.m * shape.k || b.size() != shape.k * shape.n)
    throw std::invalid_argument("the operands of a matrix product do not have its shape");
  const Gemm gemm(a, b, shape, visit);
  const auto doubles = [](const OperandWords& words, std::span<double> out) {
    decode(words, out);
    return true;
  };
  const IntegerDecoder integers_a(a.format(), a.size()), integers_b(b.format(), b.size());
  const int unit = integer_unit(a.format()) + integer_unit(b.format());
  switch (exact_path(a.format(), b.format())) {
    case ExactPath::fixed64:
      return gemm.run(IntegerDot<std::int64_t>(unit), integers_a, integers_b);
    case ExactPath::fixed128:
      return gemm.run(IntegerDot<Int128>(unit), integers_a, integers_b);
    case ExactPath::bins:
      return gemm.run(BinsDot(), doubles, doubles);
    case ExactPath::wide_bins:
    case ExactPath::limbs:
      return gemm.run_one_by_one();
  }
}

}  // namespace whybits::exact
