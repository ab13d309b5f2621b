// What a recording says about its operands and outputs.
#include "lab/recording.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <numeric>
#include <stdexcept>

#include "lab/generators.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/usage_error.hpp"

namespace whybits {

std::vector<std::string> Recording::operand_names() const {
  switch (computation) {
    case RecordedComputation::row_sums:
      return {"a"};
    case RecordedComputation::gemm:
      if (!types.c) return {"a", "b"};
      [[fallthrough]];
    case RecordedComputation::mma:
      return {"a", "b", "c"};
    case RecordedComputation::all_reduce:
      break;
  }
  std::vector<std::string> names;
  names.reserve(shape.ranks);
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank)
    names.push_back(fmt::format("rank{}", rank));
  return names;
}

Format Recording::operand_format(const std::string& operand) const {
  if (operand == "b" && types.b) return *types.b;
  if (operand == "c" && types.c) return *types.c;
  return types.a;
}

OperandExtent Recording::operand_extent(const std::string& operand) const {
  if (computation == RecordedComputation::all_reduce) return {shape.count, {shape.count}};
  const bool tiled = computation == RecordedComputation::mma;
  std::vector<std::uint64_t> extents;
  if (tiled) extents.push_back(shape.tiles);
  if (operand == "a") {
    extents.insert(extents.end(), {shape.m, shape.k});
  } else if (operand == "c") {
    extents.insert(extents.end(), {shape.m, shape.n});
  } else if (tiled) {
    extents.insert(extents.end(), {shape.n, shape.k});
  } else {
    extents.insert(extents.end(), {shape.k, shape.n});
  }
  const std::uint64_t count =
      std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
  return {count, extents};
}

std::unique_ptr<CodeSource> Recording::open(const std::string& operand) const {
  try {
    return open_input(inputs.at(operand), operand_format(operand), operand_extent(operand), folder);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: inputs.{}: {}", name, operand, error.what()), error.remedy);
  } catch (const std::out_of_range&) {
    throw UsageError(fmt::format("{}: inputs: '{}' is missing", name, operand));
  }
}

std::vector<std::uint64_t> Recording::output_rows() const {
  if (!output.rows.empty()) return output.rows;
  std::vector<std::uint64_t> rows(shape.m);
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  return rows;
}

std::uint64_t Recording::output_elements() const {
  switch (computation) {
    case RecordedComputation::gemm:
      return (output.rows.empty() ? shape.m : output.rows.size()) * shape.n;
    case RecordedComputation::mma:
      return shape.tiles * shape.m * shape.n;
    case RecordedComputation::all_reduce:
      return shape.count;
    case RecordedComputation::row_sums:
      return shape.m;
  }
  return 0;
}

std::optional<VectorSource> Recording::output_codes() const {
  if (!output.words) return std::nullopt;
  return VectorSource(stored_format(types.out), *output.words);
}

std::string utc_date() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

void set_output(Recording& recording, std::vector<std::uint8_t> words) {
  recording.output.xxh3_128 = xxh3_128_hex(words);
  recording.output.words = std::move(words);
}

}  // namespace whybits
