// RMSNorm and softmax of rows: the recipes of sim/libraries, with the order of a block of threads.
#include "gpu/recipe_claims.hpp"
#include "sim/builders/block_sum.hpp"
#include "sim/ceil_div.hpp"
#include "sim/libraries/norms/rms_norm.hpp"
#include "sim/libraries/softmax/softmax.hpp"
#include "sim/special/operation.hpp"

namespace whybits::gpu {
namespace {

using Epilogue = RmsNormKernel::Epilogue;

/// lanes(threads, by=vector, fold(unit, from=0), slices(32, pairs or halves, fold or halves)).
SchemaPtr row_sum(const LaunchParams& p, const Unit& unit) {
  const bool up = p.instruction == "up";
  return block_sum({p.threads, p.vector, unit, up ? WarpOrder::up : WarpOrder::down,
                    up ? WarpTotals::fold : WarpTotals::halves});
}

/// Launches that add a row in another order.
std::vector<std::pair<std::string, RecipeRun>> other_orders(const RecipeRun& run) {
  std::vector<std::pair<std::string, RecipeRun>> list;
  const auto add = [&](const char* name, auto change) {
    list.emplace_back(name, run);
    change(list.back().second.params);
  };
  if (run.params.threads > 1) add("half the block", [](LaunchParams& p) { p.threads /= 2; });
  add("twice the vector", [](LaunchParams& p) { p.vector *= 2; });
  add("lanes in the other order",
      [](LaunchParams& p) { p.instruction = p.instruction == "up" ? "down" : "up"; });
  return list;
}

RecipeClaim norm(const RecipeRun& run, bool residual, Epilogue epilogue,
                 const std::vector<KernelTensor>& inputs) {
  const RmsNormConfig config{{"whybits", RmsNormKernel::Squares::vectors, residual, 0, 0, epilogue,
                              false, false, "this project's kernel"},
                             run.extent("rows"),
                             run.extent("columns"),
                             run.type};
  const RmsNormOrder order{run.params.threads, run.params.vector, false,
                           row_sum(run.params, ieee_fma(formats::f32))};
  return {{},
          rms_norm_recipe(config, order, run.parameter, special::operation("rsqrtf")),
          whole_inputs(inputs)};
}

std::vector<RecipeClaim> neighbours_of_norm(const RecipeRun& run, bool residual,
                                            const std::vector<KernelTensor>& inputs) {
  const RecipeClaim right = norm(run, residual, Epilogue::one_rounding, inputs);
  std::vector<RecipeClaim> list;
  for (const auto& [name, other] : other_orders(run))
    add_neighbour(list, right, name, norm(other, residual, Epilogue::one_rounding, inputs));
  add_neighbour(list, right, "two roundings at the end",
                norm(run, residual, Epilogue::two_roundings, inputs));
  return list;
}

KernelTensor matrix(const RecipeRun& run, const char* name) {
  return {name, 1, run.extent("rows"), run.extent("columns"), run.type};
}

}  // namespace

void check_row_kernel(const RecipeKernel& kernel, const RecipeRun& run) {
  check_recipe_run(kernel, run);
  constexpr std::uint64_t most_threads = 1024, most_vector = 16;
  check_range("threads", run.params.threads, 1, most_threads);
  check_range("vector", run.params.vector, 1, most_vector);
}

LaunchedBlocks row_blocks(const RecipeRun& run) {
  return {size_of(run, "rows"), static_cast<std::uint32_t>(round_up(run.params.threads, 32))};
}
std::vector<KernelTensor> norm_inputs(const RecipeRun& run) {
  return {matrix(run, "x"), {"w", 1, 1, run.extent("columns"), run.type}};
}
std::vector<KernelTensor> norm_outputs(const RecipeRun& run) {
  return {matrix(run, "y")};
}
RecipeClaim claim_norm(const RecipeRun& run) {
  return norm(run, false, Epilogue::one_rounding, norm_inputs(run));
}
std::vector<RecipeClaim> norm_neighbours(const RecipeRun& run) {
  return neighbours_of_norm(run, false, norm_inputs(run));
}

std::vector<KernelTensor> add_norm_inputs(const RecipeRun& run) {
  auto tensors = norm_inputs(run);
  tensors.push_back(matrix(run, "residual"));
  return tensors;
}
std::vector<KernelTensor> add_norm_outputs(const RecipeRun& run) {
  return {matrix(run, "y"), matrix(run, "z")};
}
RecipeClaim claim_add_norm(const RecipeRun& run) {
  return norm(run, true, Epilogue::one_rounding, add_norm_inputs(run));
}
std::vector<RecipeClaim> add_norm_neighbours(const RecipeRun& run) {
  return neighbours_of_norm(run, true, add_norm_inputs(run));
}

std::vector<KernelTensor> softmax_tensors_in(const RecipeRun& run) {
  return {matrix(run, "x")};
}
RecipeClaim claim_softmax(const RecipeRun& run) {
  const SoftmaxConfig config{
      {"whybits", SoftmaxKernel::Sum::torch, true, false, false, "this project's kernel"},
      run.extent("rows"),
      run.extent("columns"),
      run.type,
      false};
  const SoftmaxOrder order{"one block", run.params.threads, run.params.vector,
                           row_sum(run.params, ieee_add(formats::f32)), "this project's kernel"};
  ElementFunctions functions;
  functions.exp = special::operation("expf");
  return {{}, softmax_recipe(config, order, functions), whole_inputs(softmax_tensors_in(run))};
}
std::vector<RecipeClaim> softmax_neighbours(const RecipeRun& run) {
  using namespace operations;
  const RecipeClaim right = claim_softmax(run);
  std::vector<RecipeClaim> list;
  for (const auto& [name, other] : other_orders(run))
    add_neighbour(list, right, name, claim_softmax(other));
  RecipeClaim product = right;
  const char* last = run.type == formats::f32 ? "y" : "y_f32";
  constexpr Bits one = 0x3f800000;
  product.recipe = with_step(product.recipe, last,
                             {{{"one"}, Constant{{formats::f32, one}}},
                              {{"inverse"}, Map{div(formats::f32), {"one", "sum"}}},
                              {{last}, Map{mul(formats::f32), {"e", "inverse"}}}});
  add_neighbour(list, right, "times 1/sum instead of over the sum", std::move(product));
  return list;
}

}  // namespace whybits::gpu
