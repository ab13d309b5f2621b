// Two dumps of one tensor: which words are the same, and what kind of difference the others are.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "exact/measure.hpp"
#include "sim/source.hpp"

namespace whybits {

enum class DifferenceKind : std::uint8_t {
  ulp,                 ///< two finite numbers
  infinity,            ///< an infinity against anything else but NaN
  nan_against_number,  ///< one of the two is NaN
  nan_payload,         ///< two NaN with different words
  zero_sign            ///< +0 against −0
};
inline constexpr std::array<std::string_view, 5> difference_kind_names{
    "ulp", "infinity", "nan_against_number", "nan_payload", "zero_sign"};

struct Difference {
  std::uint64_t index = 0;
  Bits a = 0, b = 0;
  DifferenceKind kind = DifferenceKind::ulp;
  std::optional<std::uint64_t> ulp;  ///< absent where a NaN is involved

  bool operator==(const Difference&) const = default;
};

struct Comparison {
  Format format;
  std::uint64_t elements = 0;
  std::uint64_t differ = 0;
  std::array<std::uint64_t, 5> kinds{};  ///< by DifferenceKind
  exact::UlpHistogram histogram;         ///< of the elements that differ
  std::vector<Difference> first;         ///< the first of them, in index order

  std::uint64_t same() const { return elements - differ; }
  bool all_same() const { return differ == 0; }
};

/// How two different codes of one format differ. Precondition: a ≠ b.
Difference classify_difference(const Format& format, std::uint64_t index, Bits a, Bits b);

/// Compares words, NaN and −0 included, and keeps the first `keep` differences. Throws UsageError
/// if formats or sizes differ. Constant memory.
Comparison compare_codes(const CodeSource& a, const CodeSource& b, std::size_t keep = 10);

}  // namespace whybits
