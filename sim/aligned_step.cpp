#include "sim/aligned_step.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/arith.hpp"
#include "sim/expand.hpp"

namespace whybits {
namespace {

/// Result in the register that carries it: e8m13 in an f32 register, for instance.
Bits in_register(const Unit& unit, Bits code) {
  const Format& out = unit.aligned.out;
  return out == unit.format ? code : convert(out, unit.format, code);
}

Bits special_step(const Unit& unit, const Unpacked& acc, const Term* a, const Term* b,
                  std::ptrdiff_t stride, int count) {
  bool plus = acc.cls == FpClass::infinity && !acc.negative;
  bool minus = acc.cls == FpClass::infinity && acc.negative;
  bool nan = acc.cls == FpClass::nan;
  for (int i = 0; i < count; ++i, a += stride, b += stride) {
    if (a->cls == FpClass::nan || b->cls == FpClass::nan) nan = true;
    if (a->cls != FpClass::infinity && b->cls != FpClass::infinity) continue;
    if (a->cls == FpClass::zero || b->cls == FpClass::zero) nan = true;
    (a->negative != b->negative ? minus : plus) = true;
  }
  if (nan || (plus && minus)) return unit.format.gpu_nan();
  return unit.format.infinity() | (minus ? unit.format.sign_mask() : 0);
}

/// How far magnitudes move between their own last place and the cut: one direction is zero.
struct Shift {
  int up;
  int down;
  explicit Shift(int by) : up(std::max(by, 0)), down(std::max(-by, 0)) {}
  /// A magnitude whose exponent lies `below` the largest, cut toward zero. (A zero may lie above.)
  std::uint64_t cut(std::uint64_t magnitude, int below) const {
    return (magnitude << up) >> std::clamp(below + down, 0, 63);
  }
};

struct Formats {
  Shift product;
  Shift accumulator;
  explicit Formats(const Unit& unit)
      : product(unit.aligned.fraction_bits - product_fraction_bits(unit)),
        accumulator(unit.aligned.fraction_bits - unit.format.fraction_bits) {}

  static int product_fraction_bits(const Unit& unit) {
    const int scales = unit.scale ? 2 * unit.scale->format.fraction_bits : 0;
    return unit.operand_a->fraction_bits + unit.operand_b->fraction_bits + scales;
  }
};

/// The exact sum of one group, in units of the last place of its products.
struct Group {
  std::int64_t sum = 0;
  int exponent = 0;  ///< of the scales; e0 if every product is zero
};

Group group_sum(const AlignedSum& aligned, const Term* a, const Term* b, std::ptrdiff_t stride,
                int count) {
  Group group{0, aligned.zero_exponent};
  bool zero = true;
  for (int i = 0; i < count; ++i, a += stride, b += stride) {
    const std::int64_t product = std::int64_t{a->significand} * b->significand;
    if (product == 0) continue;
    const int exponent = a->exponent + b->exponent;
    if (!zero && exponent != group.exponent)
      throw TopologyError("a group of " + std::to_string(aligned.group) +
                          " products spans blocks with different scales; let steps begin at "
                          "multiples of the block");
    group.exponent = exponent;
    group.sum += product;
    zero = false;
  }
  return group;
}

std::vector<Group> group_sums(const AlignedSum& aligned, const Term* a, const Term* b,
                              std::ptrdiff_t stride, int count) {
  std::vector<Group> groups;
  for (int i = 0; i < aligned.addends; i += aligned.group) {
    const int first = std::min(i, count);
    const int members = std::min(count - first, aligned.group);
    groups.push_back(group_sum(aligned, a + first * stride, b + first * stride, stride, members));
  }
  return groups;
}

bool all_finite(const Unpacked& acc, const Term* a, const Term* b, std::ptrdiff_t stride,
                int count) {
  bool finite = acc.finite();
  for (int i = 0; i < count; ++i)
    finite =
        finite && a[i * stride].cls < FpClass::infinity && b[i * stride].cls < FpClass::infinity;
  return finite;
}

Bits converted(const Unit& unit, std::int64_t total, int exponent, RoundTrace* trace) {
  const AlignedSum& sum = unit.aligned;
  const Unrounded exact{total < 0, false, exponent, static_cast<Uint128>(std::abs(total))};
  const Bits code = round_pack(
      sum.out, exact, {sum.rounding, Overflow::infinity, NanRule::gpu, Flush::none}, trace);
  const bool zero = (code & sum.out.magnitude_mask()) == 0;
  return zero ? 0 : in_register(unit, code);
}

Bits grouped_step(const Unit& unit, const Unpacked& acc, const Term* a, const Term* b,
                  std::ptrdiff_t stride, int count) {
  if (!all_finite(acc, a, b, stride, count)) return special_step(unit, acc, a, b, stride, count);
  const AlignedSum& sum = unit.aligned;
  const std::vector<Group> groups = group_sums(sum, a, b, stride, count);
  const int acc_exponent =
      acc.significand == 0 ? sum.zero_exponent : acc.exponent + unit.format.fraction_bits;
  int top = acc_exponent;
  for (const Group& group : groups) top = std::max(top, group.exponent);

  const Formats formats(unit);
  const auto signed_cut = [](const Shift& shift, bool negative, std::uint64_t magnitude,
                             int below) {
    const auto kept = static_cast<std::int64_t>(shift.cut(magnitude, below));
    return negative ? -kept : kept;
  };
  std::int64_t total =
      signed_cut(formats.accumulator, acc.negative, acc.significand, top - acc_exponent);
  for (const Group& group : groups)
    total += signed_cut(formats.product, group.sum < 0,
                        static_cast<std::uint64_t>(std::abs(group.sum)), top - group.exponent);
  return converted(unit, total, top - sum.fraction_bits, nullptr);
}

}  // namespace

Bits aligned_step(const Unit& unit, Bits accumulator, const Term* a, const Term* b,
                  std::ptrdiff_t stride, int count) {
  const AlignedSum& sum = unit.aligned;
  const Unpacked acc = unpack(unit.format, accumulator);
  if (sum.group > 0) return grouped_step(unit, acc, a, b, stride, count);
  const int e0 = sum.zero_exponent;
  const int acc_exponent = acc.significand == 0 ? e0 : acc.exponent + unit.format.fraction_bits;
  int top = count < sum.addends ? std::max(acc_exponent, e0) : acc_exponent;
  bool finite = acc.finite();
  for (int i = 0; i < count; ++i) {
    const Term& x = a[i * stride];
    const Term& y = b[i * stride];
    const bool zero = x.significand == 0 || y.significand == 0;
    finite = finite && x.cls < FpClass::infinity && y.cls < FpClass::infinity;
    top = std::max(top, zero ? e0 : x.exponent + y.exponent);
  }
  if (!finite) return special_step(unit, acc, a, b, stride, count);

  const Formats formats(unit);
  const auto acc_kept =
      static_cast<std::int64_t>(formats.accumulator.cut(acc.significand, top - acc_exponent));
  std::int64_t total = acc.negative ? -acc_kept : acc_kept;
  for (int i = 0; i < count; ++i) {
    const Term& x = a[i * stride];
    const Term& y = b[i * stride];
    const std::int64_t product = std::int64_t{x.significand} * y.significand;
    const auto kept = static_cast<std::int64_t>(formats.product.cut(
        static_cast<std::uint64_t>(std::abs(product)), top - x.exponent - y.exponent));
    total += product < 0 ? -kept : kept;
  }
  return converted(unit, total, top - sum.fraction_bits, nullptr);
}

AlignedTrace trace_aligned_step(const Unit& unit, Bits accumulator, const Term* a, const Term* b,
                                std::ptrdiff_t stride, int count) {
  const AlignedSum& sum = unit.aligned;
  const Formats formats(unit);
  const Unpacked acc = unpack(unit.format, accumulator);
  AlignedTrace trace;
  const auto row = [&](bool negative, std::uint64_t magnitude, int exponent, int lsb) {
    trace.rows.push_back(
        {negative, magnitude == 0 ? sum.zero_exponent : exponent, magnitude, lsb, 0});
  };
  row(acc.negative, acc.significand, acc.exponent + unit.format.fraction_bits, acc.exponent);
  const int fraction_bits = Formats::product_fraction_bits(unit);
  if (sum.group > 0)
    for (const Group& group : group_sums(sum, a, b, stride, count))
      trace.rows.push_back({group.sum < 0, group.exponent,
                            static_cast<std::uint64_t>(std::abs(group.sum)),
                            group.exponent - fraction_bits, 0});
  for (int i = 0; sum.group == 0 && i < sum.addends; ++i) {
    const Term x = i < count ? a[i * stride] : Term{};
    const Term y = i < count ? b[i * stride] : Term{};
    const std::int64_t product = std::int64_t{x.significand} * y.significand;
    const int exponent = x.exponent + y.exponent;
    row(product < 0, static_cast<std::uint64_t>(std::abs(product)), exponent,
        exponent - fraction_bits);
  }
  trace.top_exponent = trace.rows[0].exponent;
  for (const AlignedTrace::Row& r : trace.rows)
    trace.top_exponent = std::max(trace.top_exponent, r.exponent);
  trace.cut_exponent = trace.top_exponent - sum.fraction_bits;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    AlignedTrace::Row& r = trace.rows[i];
    r.kept = (i == 0 ? formats.accumulator : formats.product)
                 .cut(r.magnitude, trace.top_exponent - r.exponent);
    trace.sum +=
        r.negative ? -static_cast<std::int64_t>(r.kept) : static_cast<std::int64_t>(r.kept);
  }
  trace.result = converted(unit, trace.sum, trace.cut_exponent, &trace.conversion);
  return trace;
}

}  // namespace whybits
