// Square products through emulated units, against a native sgemm of the same size.
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/units.hpp"

namespace whybits::bench {
namespace {

std::optional<Goal> goal_of(const MeasuredUnit& unit, const std::string& instruction_set) {
  if (instruction_set.starts_with("AVX3")) return Goal{unit.avx512};
  if (instruction_set == "AVX2") return Goal{unit.avx2};
  return std::nullopt;
}

}  // namespace

Results matrix_products(const Settings& settings) {
  if (!OpenBlas::get().found()) return {};  // main says so
  const std::uint64_t side = settings.quick ? 64 : 1024;
  const MatrixSize size{side, side, side};
  Sgemm sgemm(size);
  Results results;
  for (const MeasuredUnit& unit : measured_units()) {
    const Evaluation evaluation = unit.evaluation(size);
    fast::CodeMatrix out;
    const Duel duel =
        in_turns(settings.runs, [&] { out = evaluation.run(); }, [&] { sgemm.run(); });
    evaluation.check(out);
    Result result = line(unit.name() + ", " + std::to_string(side) + "^3", "product",
                         size.products(), sgemm_name(), size.products(), duel);
    result.goal = goal_of(unit, settings.instruction_set);
    result.note = evaluation.kernels();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace whybits::bench
