#include "lab/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lab/controls.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/memory_limit.hpp"
#include "lab/usage_error.hpp"
#include "sim/arith.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"

namespace whybits {
namespace {

/// Called with every recorded output's leaves.
using Visit = std::function<void(std::size_t index, const Leaves& leaves)>;

struct Outputs {
  std::vector<Reduction> reductions;  ///< the topology, then its controls
  std::vector<std::vector<Bits>> codes;
};

Bits in_format(const Reduction& reduction, const Leaves& leaves, const Format& out) {
  const Bits code = evaluate(reduction, leaves);
  return reduction.result == out ? code : convert(reduction.result, out, code);
}

void run_gemm(const Recording& recording, const GemmOptions& options, const Visit& visit) {
  const std::unique_ptr<CodeSource> a = recording.open("a");
  const std::unique_ptr<CodeSource> b = recording.open("b");
  const std::unique_ptr<CodeSource> c = recording.types.c ? recording.open("c") : nullptr;
  GemmOperands operands;
  operands.shape = {recording.shape.m, recording.shape.n, recording.shape.k};
  operands.a = a.get();
  operands.b = b.get();
  operands.c = c.get();
  ChosenOutputs chosen = ChosenOutputs::all({1, recording.shape.n, 0});
  chosen.rows = recording.output_rows();
  for_each_output(operands, chosen, options,
                  [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                    visit(i * chosen.columns.size() + j, leaves);
                  });
}

/// Tiles a[t][m][k], b[t][n][k], c[t][m][n]: one accumulator chain an output.
void run_mma(const Recording& recording, const Visit& visit) {
  const std::unique_ptr<CodeSource> a = recording.open("a");
  const std::unique_ptr<CodeSource> b = recording.open("b");
  const std::unique_ptr<CodeSource> c = recording.open("c");
  const RecordedShape& s = recording.shape;
  const auto row = [&](const CodeSource& source, std::uint64_t index) {
    std::vector<Bits> codes(s.k);
    source.read(index * s.k, 1, codes);
    return OperandVector(source.format(), std::move(codes));
  };
  for (std::uint64_t t = 0; t < s.tiles; ++t) {
    std::vector<OperandVector> columns;
    for (std::uint64_t j = 0; j < s.n; ++j) columns.push_back(row(*b, t * s.n + j));
    for (std::uint64_t i = 0; i < s.m; ++i) {
      const OperandVector x = row(*a, t * s.m + i);
      for (std::uint64_t j = 0; j < s.n; ++j) {
        const std::uint64_t index = (t * s.m + i) * s.n + j;
        Leaves leaves;
        leaves.a = &x;
        leaves.b = &columns[j];
        leaves.c = Scalar{c->format(), 0};
        c->read(index, 1, std::span<Bits>(&leaves.c->code, 1));
        visit(index, leaves);
      }
    }
  }
}

LeafTypes leaf_types(const Recording& recording) {
  // tf32 operands are f32 words as given to the instruction: the source says so.
  LeafTypes types;
  types.a = recording.open("a")->format();
  types.b = recording.open("b")->format();
  if (recording.types.c) types.c = recording.open("c")->format();
  return types;
}

/// "[3,55]" of a matrix, "tile 2, [3,5]": where an output lies.
std::string place(const Recording& recording, std::uint64_t index) {
  const std::uint64_t n = recording.shape.n;
  if (recording.computation == RecordedComputation::gemm) {
    const auto& rows = recording.output.rows;
    const std::uint64_t row = rows.empty() ? index / n : rows[index / n];
    return fmt::format("[{},{}]", row, index % n);
  }
  const std::uint64_t m = recording.shape.m;
  return fmt::format("tile {}, [{},{}]", index / (m * n), index / n % m, index % n);
}

/// What replaying holds in memory, for the topology and its controls.
std::uint64_t replay_bytes(const Recording& recording, std::uint64_t reductions,
                           const GemmOptions& options) {
  const RecordedShape& s = recording.shape;
  const std::uint64_t outputs = recording.output_elements();
  const std::uint64_t codes = saturating_product(outputs, (reductions + 1) * sizeof(Bits));
  if (recording.computation == RecordedComputation::mma) {
    const std::uint64_t columns = saturating_product(
        s.n + 1, saturating_product(s.k, sizeof(Bits) + sizeof(Term) + sizeof(Unpacked)));
    return saturating_sum(codes, columns);
  }
  const std::uint64_t rows = outputs / s.n;
  const std::uint64_t working = gemm_working_bytes(s.k, rows, s.n, options.threads);
  return saturating_sum(codes, saturating_sum(working, (rows + s.n) * sizeof(std::uint64_t)));
}

std::optional<std::string> why_unsupported(const Recording& recording) {
  if (recording.computation == RecordedComputation::all_reduce)
    return "recordings of all_reduce are not yet supported";
  if (!recording.topology)
    return fmt::format("the file gives no topology, and there is no model of {} {} yet",
                       recording.library.name, recording.library.version);
  return std::nullopt;
}

SchemaPtr parse_given(const Recording& recording) {
  try {
    const auto parsed = parse_notation(*recording.topology);
    if (const auto* schema = std::get_if<SchemaPtr>(&parsed)) return *schema;
  } catch (const NotationError& error) {
    throw UsageError(recording.name + ": topology:\n" + error.pointed(), "see docs/notation.md");
  }
  throw UsageError(recording.name +
                   ": topology: a map describes an output tensor of a collective, not a " +
                   std::string(computation_names[static_cast<std::size_t>(recording.computation)]));
}

/// A neighbour that cannot run on these operands is no control.
std::optional<Reduction> runnable(const SchemaPtr& topology, std::uint64_t n,
                                  const LeafTypes& types) {
  try {
    return make_reduction(topology, n, types);
  } catch (const TopologyError&) {
    return std::nullopt;
  }
}

std::uint64_t count_wrong(const Recording& recording, const std::vector<Bits>& predicted,
                          Verification& result, bool remember) {
  const std::optional<VectorSource> recorded = recording.output_codes();
  const Format format = recorded ? recorded->format() : recording.types.out;
  if (!recorded) {
    const bool same =
        xxh3_128_hex(words_from_codes(format, predicted)) == recording.output.xxh3_128;
    return same ? 0 : predicted.size();
  }
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Bits want = (*recorded)[i];
    if (remember && !unpack(format, want).finite()) ++result.not_finite;
    if (want == predicted[i]) continue;
    if (remember && wrong == 0) {
      result.first_wrong = i;
      result.first_wrong_place = place(recording, i);
      result.recorded = want;
      result.predicted = predicted[i];
    }
    ++wrong;
  }
  return wrong;
}

}  // namespace

std::string_view basis_name(Basis basis) {
  switch (basis) {
    case Basis::given:
      return "given";
    case Basis::from_fields:
      return "from fields";
    case Basis::from_configuration:
      break;
  }
  return "from configuration";
}

Verification verify(const Recording& recording, bool with_controls, const GemmOptions& options) {
  Verification result;
  result.file = recording.name;
  result.format = recording.types.out;
  const auto device = recording.source.find("device");
  if (device != recording.source.end()) result.device = device->second;
  result.unsupported = why_unsupported(recording);
  if (result.unsupported) return result;

  if (recording.output_elements() == 0)
    throw UsageError(recording.name + ": output: no elements, so that nothing can be compared",
                     "record at least one output");
  const SchemaPtr schema = parse_given(recording);
  result.topology = print(*schema);
  result.hash_only = !recording.output.words.has_value();
  const LeafTypes types = leaf_types(recording);
  const std::uint64_t k = recording.shape.k;
  Outputs outputs;
  try {
    outputs.reductions.push_back(make_reduction(schema, k, types));
  } catch (const TopologyError& error) {
    throw UsageError(recording.name + ": topology: " + error.what());
  }
  const Format& out = recording.types.out;
  if (!(outputs.reductions[0].result == out) && !widens_exactly(outputs.reductions[0].result, out))
    throw UsageError(fmt::format("{}: topology gives {}, but types.out is {}", recording.name,
                                 format_name(outputs.reductions[0].result), format_name(out)),
                     "write the last rounding, as in > " + format_name(out));
  if (with_controls)
    for (const Control& control : wrong_neighbours(schema, k, types.c.has_value())) {
      std::optional<Reduction> reduction = runnable(control.topology, k, types);
      if (!reduction) continue;
      outputs.reductions.push_back(std::move(*reduction));
      result.controls.push_back({control.name, print(*control.topology), 0});
    }
  require_memory(recording.name + ": replaying it",
                 replay_bytes(recording, outputs.reductions.size(), options),
                 "record fewer rows, or a smaller shape");
  outputs.codes.assign(outputs.reductions.size(), std::vector<Bits>(recording.output_elements()));
  const Visit visit = [&](std::size_t index, const Leaves& leaves) {
    for (std::size_t r = 0; r < outputs.reductions.size(); ++r)
      outputs.codes[r][index] = in_format(outputs.reductions[r], leaves, out);
  };
  if (recording.computation == RecordedComputation::gemm)
    run_gemm(recording, options, visit);
  else
    run_mma(recording, visit);

  result.compared = outputs.codes[0].size();
  result.wrong = count_wrong(recording, outputs.codes[0], result, true);
  for (std::size_t r = 1; r < outputs.codes.size(); ++r)
    result.controls[r - 1].wrong = count_wrong(recording, outputs.codes[r], result, false);
  return result;
}

}  // namespace whybits
