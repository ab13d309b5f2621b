#include "visualizer/scenes/sum/sum_model.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "exact/leaf_sums.hpp"
#include "lab/inputs.hpp"
#include "lab/option_values.hpp"
#include "lab/usage_error.hpp"
#include "sim/fast/gemm.hpp"
#include "visualizer/model/pair_engine.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t most_values = std::uint64_t{1} << 26;

OperandVector row_of(const CodeSource& values, std::uint64_t n, std::uint64_t row) {
  std::vector<Bits> codes(n);
  if (n > 0) values.read(row * n, 1, codes);
  return {values.format(), std::move(codes)};
}

PairInputs sum_inputs(std::shared_ptr<const CodeSource> values, std::uint64_t rows,
                      std::uint64_t n) {
  PairInputs inputs;
  inputs.types.a = values->format();
  inputs.addends = n;
  inputs.rows = rows;
  inputs.columns = 1;
  inputs.evaluate = [values, rows, n](const Reduction& reduction, const GemmOptions& options) {
    return std::move(fast::evaluate_rows({&reduction, 1}, *values, rows, n, options)[0]);
  };
  inputs.exact = [values, rows, n](const exact::OperandUses& uses, const std::stop_token& stop) {
    ExactSums sums;
    for (std::uint64_t row = 0; row < rows && !stop.stop_requested(); ++row) {
      const KeptLeaves leaves{row_of(*values, n, row), {}, {}};
      sums.push_back(exact::exact_value(leaves.get(), uses));
    }
    return sums;
  };
  inputs.leaves = [values, n](std::uint64_t row) {
    return KeptLeaves{row_of(*values, n, row), {}, {}};
  };
  inputs.name = [](std::uint64_t row) { return "row " + std::to_string(row); };
  return inputs;
}

}  // namespace

struct SumModel::Cache {
  std::optional<std::tuple<std::uint64_t, std::uint64_t, std::string, std::string>> key;
  PairEngine engine;

  void prepare(const SumState& state) {
    const auto wanted = std::tuple(state.n, state.rows, state.type, state.input);
    if (key == wanted) return;
    key.reset();
    engine.start({});
    if (state.n > most_values / std::max<std::uint64_t>(state.rows, 1))
      throw UsageError("more values than can be shown", "use whybits sum, or fewer rows");
    const Format format = format_option("type", state.type);
    std::shared_ptr<const CodeSource> values =
        open_input(parse_input_spec(state.input), format, {state.n * state.rows, {}});
    engine.start(sum_inputs(std::move(values), state.rows, state.n));
    key = wanted;
  }
};

SumModel::SumModel() : cache_(std::make_unique<Cache>()) {}
SumModel::~SumModel() = default;

std::shared_ptr<const PairResult> SumModel::compute(const SumState& state,
                                                    const std::stop_token& stop,
                                                    const ReportProgress& progress) {
  try {
    cache_->prepare(state);
  } catch (const std::exception& error) {
    return error_result(error);
  }
  return cache_->engine.compute(state.a, state.b, state.view, stop, progress);
}

}  // namespace whybits::viz
