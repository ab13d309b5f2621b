// What `whybits compare` says about two dumps: a table for people, JSON and CSV for programs.
#pragma once

#include <string>

#include "lab/compare.hpp"
#include "lab/dump.hpp"

namespace whybits {

struct DumpComparison {
  std::string name_a, name_b;
  std::vector<std::uint64_t> shape;  ///< of both; of the one with more dimensions
  Comparison comparison;
};

/// Compares two dumps. A list without shape fits any shape of its length; otherwise shapes must
/// agree but for dimensions of 1. Throws UsageError.
DumpComparison compare_dumps(const Dump& a, const Dump& b, std::size_t keep);

std::string comparison_text(const DumpComparison& compared);
/// One object; codes as hexadecimal text, ulp distances as numbers or null.
std::string comparison_json(const DumpComparison& compared);
/// The kept differences, one a line, under a header.
std::string comparison_csv(const DumpComparison& compared);

}  // namespace whybits
