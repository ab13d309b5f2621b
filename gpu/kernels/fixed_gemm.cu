#include <algorithm>
#include <stdexcept>

#include "gpu/kernels/fixed_gemm.cuh"

namespace whybits::gpu {
namespace {

using namespace fixed;

template <int N, Split How>
void start(const LaunchPlan& plan) {
  const Args g(plan.args);
  const auto map = [&](const void* matrix, std::uint32_t ld, std::uint32_t k, std::uint32_t rows,
                       std::uint32_t box_rows) {
    return tensor_map({matrix, 2, k, rows, ld, panel_k, box_rows, panel_bytes, g.fetch});
  };
  const CUtensorMap out = stored_by_engine(g) && How != Split::cluster
                              ? map(g.out, g.n, g.n, g.m, box_rows(g.block_m))
                              : CUtensorMap{};
  const std::uint32_t cluster = g.partners * g.cluster;
  launch("fixed.gemm", fixed_gemm<N, How>,
         {plan.grid, g.block_n * 2 + copying_threads<N>, Layout(g).bytes, plan.stream, cluster}, g,
         map(g.a, g.lda, g.k, g.m, g.block_m / g.cluster), map(g.b, g.ldb, g.k, g.n, g.block_n),
         out);
}

struct Row {
  std::uint32_t block_m;
  Split split;
  void (*launch)(const LaunchPlan&);
};
constexpr Row rows[] = {
    {8, Split::cluster, start<8, Split::cluster>},
    {8, Split::running, start<8, Split::running>},
    {8, Split::last_arrival, start<8, Split::last_arrival>},
    {16, Split::cluster, start<16, Split::cluster>},
    {16, Split::running, start<16, Split::running>},
    {32, Split::cluster, start<32, Split::cluster>},
    {32, Split::running, start<32, Split::running>},
    {32, Split::last_arrival, start<32, Split::last_arrival>},
    {64, Split::cluster, start<64, Split::cluster>},
    {64, Split::running, start<64, Split::running>},
    {64, Split::last_arrival, start<64, Split::last_arrival>},
    {128, Split::cluster, start<128, Split::cluster>},
    {128, Split::running, start<128, Split::running>},
    {128, Split::last_arrival, start<128, Split::last_arrival>},
    {192, Split::running, start<192, Split::running>},
    {192, Split::last_arrival, start<192, Split::last_arrival>},
    {256, Split::cluster, start<256, Split::cluster>},
    {256, Split::running, start<256, Split::running>},
    {256, Split::last_arrival, start<256, Split::last_arrival>},
};

}  // namespace

FixedNeeds fixed_needs(const GemmArgs& args, std::uint32_t blocks) {
  const Args g(args);
  const std::uint64_t tiles = std::uint64_t{g.tiles()} * g.cluster, slices = g.parts;
  const std::uint64_t items = tiles * (g.split == Split::running   ? 1
                                       : g.split == Split::cluster ? g.partners
                                                                   : slices);
  const std::uint64_t partial = std::uint64_t{g.block_m} * g.block_n * sizeof(float);
  FixedNeeds needs;
  needs.grid = static_cast<std::uint32_t>(
      g.split == Split::cluster ? items : std::min<std::uint64_t>(items, blocks));
  if (g.split == Split::last_arrival) {
    needs.workspace_bytes = slices * tiles * partial;
    needs.tickets = static_cast<std::uint32_t>(tiles);
  }
  if (g.split == Split::running) needs.workspace_bytes = needs.grid * partial;
  return needs;
}

void launch_fixed_gemm(const LaunchPlan& plan) {
  for (const Row& row : rows)
    if (row.block_m == plan.args.block_m && row.split == plan.args.split) return row.launch(plan);
  throw std::logic_error("fixed.gemm: block_m " + std::to_string(plan.args.block_m));
}

}  // namespace whybits::gpu
