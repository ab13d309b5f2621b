#include "gpu/kernels/launch_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace whybits::gpu {
namespace {

constexpr std::pair<std::string_view, Split> splits[] = {
    {"workspace", Split::workspace}, {"workspace_output", Split::workspace_output},
    {"serial", Split::serial},       {"atomic", Split::atomic},
    {"stream_k", Split::stream_k},   {"last_arrival", Split::last_arrival},
    {"cluster", Split::cluster},     {"running", Split::running},
};

constexpr std::pair<std::string_view, OutputType> outputs[] = {
    {"f32", OutputType::f32},
    {"f64", OutputType::f64},
    {"bf16", OutputType::bf16},
    {"f16", OutputType::f16},
};

template <class Table>
auto named(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table, name, [](const auto& row) { return row.first; });
  // The kernel table refuses other names first.
  if (found == std::end(table)) throw std::logic_error("launch parameters name '" + name + "'");
  return found->second;
}

}  // namespace

void take_params(GemmArgs& args, const LaunchParams& params) {
  args.block_m = u32(params.block_m);
  args.block_n = u32(params.block_n);
  args.block_k = u32(params.block_k);
  args.group_m = u32(params.group_m);
  args.stages = u32(params.stages);
  args.warp_slices = u32(params.warp_slices);
  args.promotion = u32(params.promotion);
  args.cluster = u32(params.cluster);
  args.together = u32(params.together);
  args.fetch = u32(params.fetch);
  args.once = params.once != 0;
  args.split = named(splits, params.split);
  args.output = named(outputs, params.output);
}

}  // namespace whybits::gpu
