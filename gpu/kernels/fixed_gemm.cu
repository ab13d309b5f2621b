#include <stdexcept>

#include "gpu/kernels/fixed_gemm.cuh"

namespace whybits::gpu {
namespace {

using namespace fixed;

template <int N, bool Running>
void start(const LaunchPlan& plan) {
  const GemmArgs& g = plan.args;
  const auto map = [&](const void* matrix, std::uint32_t ld, std::uint32_t k, std::uint32_t rows,
                       std::uint32_t box_rows) {
    return tensor_map({matrix, 2, k, rows, ld, panel_k, box_rows, panel_bytes, g.fetch});
  };
  // Other outputs than bf16 are stored by threads: their map is not used.
  const CUtensorMap out =
      g.output == OutputType::bf16 ? map(g.out, g.n, g.n, g.m, g.block_m) : CUtensorMap{};
  launch("fixed.gemm", fixed_gemm<N, Running>,
         {plan.grid, g.block_n * 2 + copying_threads<N>, Layout(g).bytes, plan.stream, g.cluster}, g,
         map(g.a, g.lda, g.k, g.m, g.block_m / g.cluster), map(g.b, g.ldb, g.k, g.n, g.block_n),
         out);
}

struct Row {
  std::uint32_t block_m;
  Split split;
  void (*launch)(const LaunchPlan&);
};
constexpr Row rows[] = {
    {8, Split::last_arrival, start<8, false>},     {8, Split::running, start<8, true>},
    {32, Split::last_arrival, start<32, false>},   {32, Split::running, start<32, true>},
    {64, Split::last_arrival, start<64, false>},   {64, Split::running, start<64, true>},
    {128, Split::last_arrival, start<128, false>}, {128, Split::running, start<128, true>},
    {192, Split::last_arrival, start<192, false>}, {192, Split::running, start<192, true>},
};

}  // namespace

void launch_fixed_gemm(const LaunchPlan& plan) {
  for (const Row& row : rows)
    if (row.block_m == plan.args.block_m && row.split == plan.args.split) return row.launch(plan);
  throw std::logic_error("fixed.gemm: block_m " + std::to_string(plan.args.block_m));
}

}  // namespace whybits::gpu
