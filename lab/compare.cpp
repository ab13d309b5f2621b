#include "lab/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/usage_error.hpp"
#include "sim/plural.hpp"

namespace whybits {

Difference classify_difference(const Format& format, std::uint64_t index, Bits a, Bits b) {
  const Unpacked x = unpack(format, a);
  const Unpacked y = unpack(format, b);
  Difference difference{index, a, b, DifferenceKind::ulp, exact::ulp_distance(format, a, b)};
  const bool x_nan = x.cls == FpClass::nan;
  const bool y_nan = y.cls == FpClass::nan;
  if (x_nan && y_nan) {
    difference.kind = DifferenceKind::nan_payload;
  } else if (x_nan || y_nan) {
    difference.kind = DifferenceKind::nan_against_number;
  } else if (!x.finite() || !y.finite()) {
    difference.kind = DifferenceKind::infinity;
  } else if (x.cls == FpClass::zero && y.cls == FpClass::zero) {
    difference.kind = DifferenceKind::zero_sign;
  }
  return difference;
}

Comparison compare_codes(const CodeSource& a, const CodeSource& b, std::size_t keep) {
  if (a.format() != b.format())
    throw UsageError(
        fmt::format("cannot compare {} with {}", format_name(a.format()), format_name(b.format())),
        "compare two dumps of one format");
  if (a.size() != b.size())
    throw UsageError(
        fmt::format("cannot compare {} with {}", counted_plainly(a.size(), "element"), b.size()),
        "compare two dumps of one shape");
  Comparison result;
  result.format = a.format();
  result.elements = a.size();
  constexpr std::uint64_t block = 16384;
  std::vector<Bits> codes_a(std::min(block, a.size())), codes_b(codes_a.size());
  for (std::uint64_t start = 0; start < a.size(); start += block) {
    const std::size_t count = std::min(block, a.size() - start);
    a.read(start, 1, std::span(codes_a).first(count));
    b.read(start, 1, std::span(codes_b).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (codes_a[i] == codes_b[i]) continue;
      const Difference difference =
          classify_difference(result.format, start + i, codes_a[i], codes_b[i]);
      ++result.differ;
      ++result.kinds[static_cast<std::size_t>(difference.kind)];
      result.histogram.add(difference.ulp);
      if (result.first.size() < keep) result.first.push_back(difference);
    }
  }
  return result;
}

}  // namespace whybits
