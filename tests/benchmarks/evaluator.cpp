// The reference evaluator on matrix units and adders.
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

constexpr std::size_t k = 16384;

std::vector<Bits> ordinary_codes(const Format& format, std::uint64_t stream) {
  std::vector<Bits> codes(k);
  for (std::size_t i = 0; i < k; ++i) {
    const std::uint64_t word = random_word(stream << 32 | i);
    const Bits exponent = static_cast<Bits>(format.bias()) - word % 4;
    codes[i] = (word >> 40 & format.fraction_mask()) | exponent << format.fraction_bits |
               ((word >> 20 & 1) != 0 ? format.sign_mask() : 0);
  }
  return codes;
}

double evaluate_rate(int runs, const std::string& topology, const Format& format, bool products) {
  const OperandVector a(format, ordinary_codes(format, 1)), b(format, ordinary_codes(format, 2));
  Leaves leaves;
  leaves.a = &a;
  if (products) leaves.b = &b;
  const Reduction reduction = make_reduction(parse_topology(topology), k, LeafTypes::of(leaves));
  constexpr int repeats = 16;
  return rate(runs, static_cast<double>(k) * repeats, [&] {
    for (int i = 0; i < repeats; ++i) keep(evaluate(reduction, leaves));
  });
}

}  // namespace

Results evaluator(int runs) {
  Results results;
  for (const auto& [unit, format] :
       std::vector<std::pair<std::string, Format>>{{"sm90.wgmma.bf16", formats::bf16},
                                                   {"sm90.mma.f16", formats::f16},
                                                   {"sm90.wgmma.e4m3", formats::e4m3}})
    results.push_back({"reference fold(" + unit + ")", "product",
                       evaluate_rate(runs, "fold(" + unit + ")", format, true), mma_sim,
                       mma_sim_rate});
  return results;
}

}  // namespace whybits::bench
