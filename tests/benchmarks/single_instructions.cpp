// Single matrix instructions, one at a time, as a program that steps through a kernel asks.
#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {
namespace {

/// The reference evaluator on every output of the instruction.
void run_reference(const Evaluation& evaluation) {
  const fast::LaneOperands& operands = evaluation.operands();
  for (std::uint64_t r = 0; r < operands.rows; ++r)
    for (std::uint64_t c = 0; c < operands.columns; ++c)
      keep(evaluate(evaluation.reduction(), fast::OutputLeaves(operands, r, c).get()));
}

}  // namespace

Results single_instructions(const Settings& settings) {
  constexpr MatrixSize size{16, 8, 16};
  const int repeats = settings.quick ? 2 : 200;
  Results results;
  for (const auto& [unit, format] :
       {std::pair{"sm90.mma.f16", formats::f16}, std::pair{"sm90.mma.bf16", formats::bf16}}) {
    const Evaluation evaluation(parse_topology("fold(" + std::string(unit) + ")"),
                                uniform_operands(format, size));
    fast::CodeMatrix out;
    const Duel duel = in_turns(
        settings.runs,
        [&] {
          for (int i = 0; i < repeats; ++i) out = evaluation.run();
        },
        [&] {
          for (int i = 0; i < repeats; ++i) run_reference(evaluation);
        });
    evaluation.check(out);
    const std::string name = std::string(unit) + " m16n8k16";
    const double items = repeats * size.products();
    Result beside_reference = line(name, "product", items, "reference evaluator", items, duel);
    beside_reference.note = evaluation.kernels();
    Result beside_mma_sim = beside_reference;
    beside_mma_sim.peer = mma_sim;
    beside_mma_sim.peer_rate = mma_sim_rate;
    beside_mma_sim.peer_timing.reset();
    results.push_back(std::move(beside_mma_sim));
    results.push_back(std::move(beside_reference));
  }
  return results;
}

}  // namespace whybits::bench
