#include "sim/libraries/cublaslt/rules.hpp"

#include <algorithm>

#include "sim/device_table.hpp"
#include "sim/libraries/cublaslt/families.hpp"
#include "sim/notation.hpp"

namespace whybits::cublaslt {
namespace {

using enum TypeKind;

constexpr std::string_view lt = "13.1.0", sm90 = "9.0";

/// Runs: whole output rows of one H200, every bit (docs/cublaslt.md). "Controls" are neighbouring
/// rules and what they would still get right.
const std::vector<RuleRow>& rows() {
  static const std::vector<RuleRow> table{
      {.id = 66,
       .name = "nvjet, ragged slices",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "sums of ones at m 1, n 8: the 14 of 2,187 lengths below 20,000 that lose "
                   "products, with a split_k that was inferred; other m and n were not measured",
       .derive = nvjet,
       .applies = nvjet_ragged},
      {.id = 66,
       .name = "nvjet",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "672 of 672 runs (f16-f32 through cuBLAS only); of 135 split bf16-f32 runs a "
                   "descending merge is right in 18, half the grain in 100",
       .derive = nvjet},
      {.id = 66,
       .name = "nvjet, fp8",
       .types = {e4m3, e4m3_fast},
       .library_version = lt,
       .capability = sm90,
       .evidence = "224 of 224 runs; without fast accumulation, promotion every 64 or never is "
                   "right in 0 of 112",
       .derive = nvjet},
      {.id = 24,
       .name = "CUTLASS 2.x, unaligned",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32, f16_compute},
       .library_version = lt,
       .capability = sm90,
       .evidence = "124 of 124 runs, all at n 777, k 1544; schemes exchanged right in 0 of 24 "
                   "split f16 runs",
       .derive = cutlass},
      {.id = 21,
       .name = "CUTLASS 2.x",
       .types = {f16_compute, tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "236 of 236 runs; TF32 operands cut instead of rounded right in 0 of 126",
       .derive = cutlass},
      {.id = 21,
       .name = "CUTLASS 2.x, unsplit",
       .types = {bf16, bf16_to_f32, f16_to_f32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "36 of 36 runs (k 8192, 2048, 24576 and 16384)",
       .derive = cutlass},
      {.id = 35,
       .name = "CUTLASS 2.x, unsplit",
       .types = {f16},
       .library_version = lt,
       .capability = sm90,
       .evidence = "66 of 66 runs with k a multiple of 64; else 14 of 14 with k 11528 and none of "
                   "9 with 4104",
       .derive = cutlass},
      {.id = 41,
       .name = "wgmma, unsplit",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32, f16_compute},
       .library_version = lt,
       .capability = sm90,
       .evidence = "48 of 48 runs; of f16-compute row 0 of 2",
       .derive = wgmma_unsplit},
      {.id = 42,
       .name = "wgmma, unsplit",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32, f16_compute},
       .library_version = lt,
       .capability = sm90,
       .evidence = "48 of 48 runs; of f16-compute row 0 of 2",
       .derive = wgmma_unsplit},
      {.id = 23,
       .name = "CUTLASS 2.x",
       .types = {tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "24 of 24 runs; no residue tile right in 7",
       .derive = cutlass},
      {.id = 63,
       .name = "CUTLASS 2.x, unsplit",
       .types = {tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "4 of 4 runs",
       .derive = cutlass},
      {.id = 39,
       .name = "segmented k",
       .types = {f16_compute},
       .library_version = lt,
       .capability = sm90,
       .evidence =
           "86 of 86 runs, 584 of 584 in a second sweep; never cut right in 33 of 61 cut runs",
       .derive = segmented},
      {.id = 43,
       .name = "segmented k",
       .types = {tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "82 of 84 runs; the parts of 72 probed runs, floor(C/T) right in 52; exceptions",
       .derive = segmented},
      {.id = 62,
       .name = "segmented k",
       .types = {e4m3_fast},
       .library_version = lt,
       .capability = sm90,
       .evidence = "1,958 of 1,958 probed runs whose tiles fit the device at once",
       .derive = segmented},
      {.id = 55,
       .name = "FFMA, k tile 8",
       .types = {f32, tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "140 of 140 runs; contiguous slices right in 0 of 104 split runs",
       .derive = ffma,
       .computes_f32 = true},
      {.id = 20,
       .name = "CUTLASS SIMT",
       .types = {f32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "52 of 52 runs; tiles dealt round-robin right in 0 of 52",
       .derive = simt},
      {.id = 10,
       .name = "SIMT",
       .types = {f32},
       .library_version = lt,
       .capability = sm90,
       .evidence =
           "19 of 19 runs with k a multiple of 32; row 0 of two more shapes, where a grain of "
           "32 or of 4 differs",
       .derive = simt_in_place},
      {.id = 11,
       .name = "gemmSN",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32, f32, tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "52 of 52 runs, f16-compute among them; a neighbouring order right in 0 of 47",
       .derive = gemm_sn,
       .computes_f32 = true},
      {.id = 13,
       .name = "gemv",
       .types = {bf16, bf16_to_f32, f16, f16_to_f32, f32, tf32},
       .library_version = lt,
       .capability = sm90,
       .evidence = "102 of 104 runs, the others have custom option 10; half the lanes right in 9",
       .derive = gemv,
       .computes_f32 = true},
  };
  return table;
}

std::string names_of(const std::vector<TypeKind>& kinds) {
  std::string names;
  for (const TypeKind kind : kinds)
    names += (names.empty() ? "" : ", ") + std::string(name_of(kind));
  return names;
}

/// The row for these fields, or why there is none.
std::variant<const RuleRow*, NoRule> find_rule(const Problem& problem, TypeKind kind,
                                               const Algorithm& algorithm, const Place& place) {
  const std::string id = "algorithm id " + std::to_string(algorithm.id);
  std::vector<TypeKind> known;
  bool elsewhere = false;
  for (const RuleRow& row : rows()) {
    if (row.id != algorithm.id) continue;
    if (row.library_version != place.library_version || row.capability != place.capability) {
      elsewhere = true;
      continue;
    }
    if (row.applies && !row.applies(problem, algorithm)) continue;
    if (std::ranges::find(row.types, kind) != row.types.end()) return &row;
    known.insert(known.end(), row.types.begin(), row.types.end());
  }
  if (!known.empty())
    return NoRule{id + " is known for " + names_of(known) + ", not for " +
                  std::string(name_of(kind))};
  if (elsewhere)
    return NoRule{id + " was measured with cublasLt " + std::string(lt) +
                  " on compute capability " + std::string(sm90) + ", not with " +
                  place.library_version + " on " + place.capability};
  return NoRule{id + " has no rule"};
}

}  // namespace

std::optional<std::uint64_t> stated_splits(const Algorithm& algorithm) {
  if (algorithm.split_k == 0 || algorithm.split_k == decided_by_kernel) return std::nullopt;
  return algorithm.split_k;
}

Unit device_unit(std::string_view name) {
  return find_device_unit(name).value();
}

SchemaPtr fold_of(const Unit& unit) {
  return schema(Fold{unit});
}

SchemaPtr finished(SchemaPtr accumulator, const Problem& problem) {
  if (problem.bias) accumulator = schema(AddOperand{std::move(accumulator), "bias"});
  const bool rounded = problem.compute == Compute::f16 && !problem.bias;
  if (problem.out == formats::f32 || rounded) return accumulator;
  return schema(RoundTo{std::move(accumulator), Conversion{problem.out, {}}});
}

Outcome predict(const Problem& problem, const Algorithm& algorithm, const Place& place) {
  const std::optional<TypeKind> kind = type_kind(problem);
  if (!kind) return NoRule{"these operand, output and compute types have no rule"};
  if (problem.shape.k == 0) return NoRule{"k is 0"};
  const auto found = find_rule(problem, *kind, algorithm, place);
  if (const auto* none = std::get_if<NoRule>(&found)) return *none;
  const RuleRow& rule = *std::get<const RuleRow*>(found);
  Derived derived = rule.derive(problem, *kind, algorithm, place);
  if (auto* none = std::get_if<NoRule>(&derived)) return std::move(*none);
  Prediction prediction{std::get<Topology>(std::move(derived)), std::nullopt, &rule};
  if (*kind == tf32 && !rule.computes_f32) prediction.operands = Conversion{formats::tf32, {}};
  return prediction;
}

std::string text_of(const Topology& topology) {
  if (const auto* map = std::get_if<TopologyMap>(&topology)) return print(*map);
  return print(*std::get<SchemaPtr>(topology));
}

}  // namespace whybits::cublaslt
