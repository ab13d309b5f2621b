#include "sim/libraries/cublaslt/atlas_line.hpp"

#include <algorithm>
#include <charconv>

namespace whybits::cublaslt {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void Line::fail(const std::string& what) const {
  throw AtlasError(std::string(name_) + ": line " + std::to_string(number_) + ": " + what);
}

std::uint64_t Line::number(std::string_view cell, std::string_view column) const {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    fail(std::string(column) + " '" + std::string(cell) + "' is no number");
  return value;
}

StorageB Line::layout(std::string_view cell) const {
  const auto layout = std::ranges::find(layout_names, cell);
  if (layout == layout_names.end()) fail("layout '" + std::string(cell) + "' is neither NN nor TN");
  return static_cast<StorageB>(layout - layout_names.begin());
}

TypeKind Line::types(std::string_view cell) const {
  const auto types = find_type_kind(cell);
  if (!types) fail("types '" + std::string(cell) + "' are not known");
  return *types;
}

Algorithm Line::fields(std::span<const std::string_view> cells) const {
  Algorithm algorithm;
  for (std::size_t i = 0; i < algorithm_fields.size(); ++i) {
    const auto& [name, field] = algorithm_fields[i];
    if (field == &Algorithm::split_k && cells[i] == "-1") {
      algorithm.split_k = decided_by_kernel;
      continue;
    }
    const std::uint64_t value = number(cells[i], name);
    if (value > decided_by_kernel) fail(std::string(name) + " is too large");
    algorithm.*field = static_cast<std::uint32_t>(value);
  }
  return algorithm;
}

}  // namespace whybits::cublaslt
