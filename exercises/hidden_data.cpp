#include "exercises/hidden_data.hpp"

#include "lab/generators.hpp"

namespace whybits::course {

std::vector<DataSet> data_sets(std::uint64_t n) {
  const std::uint64_t many = n <= 4096 ? 64 : 8;
  std::vector<DataSet> sets{{DataKind::uniform, many}, {DataKind::wide, many}};
  if (n <= 64) sets.push_back({DataKind::words, many});
  return sets;
}

std::unique_ptr<CodeSource> hidden_codes(const DataSet& set, const Format& format, std::uint64_t n,
                                         std::uint64_t operand) {
  const std::uint64_t stream = 0x77686279u + 16 * n + operand;
  const std::uint64_t size = set.vectors * n;
  switch (set.kind) {
    case DataKind::uniform:
      return uniform_source(format, size, stream);
    case DataKind::wide:
      return wide_source(format, size, stream);
    case DataKind::words:
      break;
  }
  return bits_source(format, size, stream);
}

}  // namespace whybits::course
