#include "lab/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/memory_limit.hpp"
#include "lab/rounded_source.hpp"
#include "lab/usage_error.hpp"
#include "sim/any_order.hpp"

namespace whybits {
namespace {

using Visit = std::function<void(const ReplayedOutput&)>;

OperandVector row_of(const CodeSource& source, std::uint64_t index, std::uint64_t k) {
  std::vector<Bits> codes(k);
  source.read(index * k, 1, codes);
  return {source.format(), std::move(codes)};
}

std::unique_ptr<CodeSource> open_rounded(const Recording& recording, const std::string& operand,
                                         const OperandRounding& rounding) {
  std::unique_ptr<CodeSource> source = recording.open(operand);
  if (!rounding) return source;
  return std::make_unique<RoundedSource>(std::move(source), *rounding);
}

void replay_gemm(const Recording& recording, const GemmOptions& options, const Visit& visit,
                 const OperandRounding& rounding) {
  const std::unique_ptr<CodeSource> a = open_rounded(recording, "a", rounding);
  const std::unique_ptr<CodeSource> b = open_rounded(recording, "b", rounding);
  const std::unique_ptr<CodeSource> c = recording.types.c ? recording.open("c") : nullptr;
  GemmOperands operands;
  operands.shape = {recording.shape.m, recording.shape.n, recording.shape.k};
  operands.a = a.get();
  operands.b = b.get();
  operands.c = c.get();
  if (recording.types.product) operands.product = Conversion{*recording.types.product, {}};
  ChosenOutputs chosen = ChosenOutputs::all({1, recording.shape.n, 0});
  chosen.rows = recording.output_rows();
  for_each_output(operands, chosen, options,
                  [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                    visit({i * chosen.columns.size() + j,
                           chosen.rows[i] * recording.shape.n + chosen.columns[j], leaves});
                  });
}

/// Tiles a[t][m][k], b[t][n][k], c[t][m][n]: one accumulator chain an output.
void replay_mma(const Recording& recording, const Visit& visit) {
  const std::unique_ptr<CodeSource> a = recording.open("a");
  const std::unique_ptr<CodeSource> b = recording.open("b");
  const std::unique_ptr<CodeSource> c = recording.open("c");
  const RecordedShape& s = recording.shape;
  for (std::uint64_t t = 0; t < s.tiles; ++t) {
    std::vector<OperandVector> columns;
    for (std::uint64_t j = 0; j < s.n; ++j) columns.push_back(row_of(*b, t * s.n + j, s.k));
    for (std::uint64_t i = 0; i < s.m; ++i) {
      const OperandVector x = row_of(*a, t * s.m + i, s.k);
      for (std::uint64_t j = 0; j < s.n; ++j) {
        const std::uint64_t index = (t * s.m + i) * s.n + j;
        Leaves leaves;
        leaves.a = &x;
        leaves.b = &columns[j];
        leaves.c = Scalar{c->format(), 0};
        c->read(index, 1, std::span<Bits>(&leaves.c->code, 1));
        visit({index, index, leaves});
      }
    }
  }
}

void replay_sums(const Recording& recording, const Visit& visit) {
  const std::unique_ptr<CodeSource> a = recording.open("a");
  for (std::uint64_t i = 0; i < recording.shape.m; ++i) {
    const OperandVector row = row_of(*a, i, recording.shape.k);
    Leaves leaves;
    leaves.a = &row;
    visit({i, i, leaves});
  }
}

}  // namespace

Model::Model(const std::variant<SchemaPtr, TopologyMap>& topology, std::uint64_t k,
             const LeafTypes& types, std::uint64_t elements) {
  if (const auto* schema = std::get_if<SchemaPtr>(&topology)) {
    reductions_.push_back(make_reduction(*schema, k, types));
    ends_.push_back(elements);
    of_region_.push_back(0);
    return;
  }
  std::map<std::uint64_t, std::vector<std::size_t>> by_hash;  // equal trees are made once
  std::uint64_t end = 0;
  for (const MapRegion& region : std::get<TopologyMap>(topology).regions) {
    if (region.begin != end)
      throw UsageError(
          fmt::format("the map has no topology for outputs {} to {}", end, region.begin - 1));
    end = region.end;
    Reduction reduction = make_reduction(region.topology, k, types);
    std::vector<std::size_t>& candidates = by_hash[reduction.tree.hash()];
    const auto same = std::ranges::find_if(
        candidates, [&](std::size_t i) { return reductions_[i].tree == reduction.tree; });
    ends_.push_back(end);
    if (same != candidates.end()) {
      of_region_.push_back(*same);
      continue;
    }
    of_region_.push_back(reductions_.size());
    candidates.push_back(reductions_.size());
    reductions_.push_back(std::move(reduction));
  }
  if (end != elements)
    throw UsageError(fmt::format("the map describes {} outputs, there are {}", end, elements));
}

const Reduction& Model::at(std::uint64_t element) const {
  const auto region = std::ranges::upper_bound(ends_, element) - ends_.begin();
  return reductions_[of_region_[static_cast<std::size_t>(region)]];
}

bool Model::order_undefined() const {
  return std::ranges::any_of(reductions_, [](const Reduction& r) { return has_any_order(r.tree); });
}

LeafTypes leaf_types(const Recording& recording, const OperandRounding& rounding) {
  LeafTypes types;
  types.a = open_rounded(recording, "a", rounding)->format();
  if (recording.types.b) types.b = open_rounded(recording, "b", rounding)->format();
  if (recording.types.c) types.c = recording.open("c")->format();
  if (recording.types.product) types.product = Conversion{*recording.types.product, {}};
  return types;
}

void for_each_recorded_output(const Recording& recording, const GemmOptions& options,
                              const Visit& visit, const OperandRounding& rounding) {
  switch (recording.computation) {
    case RecordedComputation::gemm:
      return replay_gemm(recording, options, visit, rounding);
    case RecordedComputation::mma:
      return replay_mma(recording, visit);
    case RecordedComputation::row_sums:
      return replay_sums(recording, visit);
    case RecordedComputation::all_reduce:
      break;
  }
  throw UsageError(recording.name + ": an all_reduce has no outputs that are reduced one by one");
}

std::string output_place(const Recording& recording, std::uint64_t index) {
  const std::uint64_t n = recording.shape.n;
  switch (recording.computation) {
    case RecordedComputation::gemm: {
      const auto& rows = recording.output.rows;
      const std::uint64_t row = rows.empty() ? index / n : rows[index / n];
      return fmt::format("[{},{}]", row, index % n);
    }
    case RecordedComputation::mma: {
      const std::uint64_t m = recording.shape.m;
      return fmt::format("tile {}, [{},{}]", index / (m * n), index / n % m, index % n);
    }
    case RecordedComputation::all_reduce:
    case RecordedComputation::row_sums:
      break;
  }
  return fmt::format("[{}]", index);
}

std::uint64_t replay_bytes(const Recording& recording, std::uint64_t models,
                           const GemmOptions& options) {
  const RecordedShape& s = recording.shape;
  const std::uint64_t outputs = recording.output_elements();
  const std::uint64_t codes = saturating_product(outputs, (models + 1) * sizeof(Bits));
  constexpr std::uint64_t element = sizeof(Bits) + sizeof(Term) + sizeof(Unpacked);
  if (recording.computation != RecordedComputation::gemm)
    return saturating_sum(codes, saturating_product(s.n + 1, saturating_product(s.k, element)));
  const std::uint64_t rows = outputs / s.n;
  const std::uint64_t working = gemm_working_bytes(s.k, rows, s.n, options.threads);
  return saturating_sum(codes, saturating_sum(working, (rows + s.n) * sizeof(std::uint64_t)));
}

}  // namespace whybits
