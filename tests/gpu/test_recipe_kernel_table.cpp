// The table of kernels that are recipes needs no GPU: rows are complete, claims bind, neighbours
// are others.
#include "gpu/recipe_kernels.hpp"
#include "sim/bound_recipe.hpp"
#include "sim/run_recipe.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::gpu;
using whybits::test::contains;

namespace {

RecipeRun usual_run(const RecipeKernel& kernel) {
  RecipeRun run{kernel.usual, {}, formats::bf16, 0x3f800000};
  for (const std::string_view name : kernel.extents) run.extents[std::string(name)] = 2;
  return run;
}

/// The types of a recipe's inputs as the run has them.
TensorTypes input_types(const RecipeKernel& kernel, const RecipeRun& run,
                        const RecipeClaim& claim) {
  TensorTypes types = types_of(claim.made);
  for (const RecipeInput& input : claim.inputs)
    for (const KernelTensor& t : kernel.inputs(run))
      if (t.name == input.tensor) types[input.name] = {input.rows, t.columns, t.format};
  return types;
}

/// Inputs that the claim makes itself, as text.
std::string made_text(const RecipeClaim& claim) {
  std::string text;
  for (const auto& [name, tensor] : claim.made) {
    std::vector<Bits> codes(tensor.rows * tensor.columns);
    tensor.codes->read(0, 1, codes);
    for (const Bits code : codes) text += std::to_string(code) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("each row of the table of recipes is complete and can be launched as usual") {
  for (const RecipeKernel& row : recipe_kernels()) {
    CAPTURE(row.name);
    CHECK(find_recipe_kernel(row.name) == &row);
    CHECK_FALSE(row.summary.empty());
    CHECK(row.has_knob("instruction"));
    for (const std::string_view knob : row.knobs) CHECK(find_knob(knob) != nullptr);
    CHECK_NOTHROW(row.check(row, usual_run(row)));
    CHECK(row.blocks(usual_run(row)).blocks > 0);
    CHECK(run_groups(row, usual_run(row)) > 0);
  }
  CHECK(find_recipe_kernel("mma.gemm") == nullptr);
}

TEST_CASE("claims and their neighbours bind to the run's tensors and give its outputs") {
  for (const RecipeKernel& row : recipe_kernels())
    for (const std::string_view order : row.orders)
      for (const Format& type : {formats::bf16, formats::f16, formats::f32}) {
        CAPTURE(row.name, order, format_name(type));
        RecipeRun run = usual_run(row);
        run.params.instruction = order;
        run.params.splits = 3;
        run.params.block_k = 1;
        run.type = type;
        std::vector<RecipeClaim> claims = row.neighbours(run);
        CHECK(claims.size() >= 2);
        for (const RecipeClaim& wrong : claims) {
          CHECK_FALSE(wrong.name.empty());
          const RecipeClaim right = row.claim(run);
          CHECK(print(wrong.recipe) + made_text(wrong) != print(right.recipe) + made_text(right));
        }
        claims.push_back(row.claim(run));
        for (const RecipeClaim& claim : claims) {
          const BoundRecipe bound = bind_recipe(claim.recipe, input_types(row, run, claim));
          for (const KernelTensor& t : row.outputs(run))
            CHECK(bound.type(t.name) == TensorType{t.rows, t.columns, t.format});
        }
      }
}

TEST_CASE(
    "a block has the whole warps that hold its threads, attention a block a split with keys") {
  RecipeRun run = usual_run(*find_recipe_kernel("rms.norm"));
  for (const auto& [threads, width] :
       {std::pair{1U, 32U}, {32U, 32U}, {33U, 64U}, {1000U, 1024U}}) {
    run.params.threads = threads;
    CHECK(find_recipe_kernel("rms.norm")->blocks(run) == LaunchedBlocks{2, width});
  }
  const RecipeKernel& attention = *find_recipe_kernel("split.attention");
  run = usual_run(attention);
  run.extents["keys"] = 100;
  run.params.block_k = 16;  // seven tiles
  for (const auto& [splits, filled] :
       {std::pair{1U, 1U}, {2U, 2U}, {3U, 3U}, {4U, 4U}, {5U, 4U}, {6U, 4U}, {7U, 7U}, {99U, 7U}}) {
    run.params.splits = splits;
    CHECK(attention.blocks(run) == LaunchedBlocks{4 * filled, 128});
  }
}

TEST_CASE("a causal attention masks the keys behind each query, counted from the last key") {
  const RecipeKernel& attention = *find_recipe_kernel("split.attention");
  RecipeRun run = usual_run(attention);
  run.params.instruction = "causal";
  run.extents["keys"] = 3;
  run.params.block_k = 2;
  run.params.splits = 2;
  // Keys 0 and 1 for both queries; key 2 for the second alone: −infinity is 0xff800000.
  CHECK(made_text(attention.claim(run)) == "0 0 0 0 4286578688 0 ");
  run.extents["queries"] = 4;
  CHECK_THROWS_WITH(attention.check(attention, run), contains("queries = 4"));
  run.params.instruction = "fma";
  CHECK(attention.claim(run).made.empty());
}

TEST_CASE("sizes that a recipe kernel needs are asked for by name") {
  const RecipeKernel& norm = *find_recipe_kernel("rms.norm");
  RecipeRun run = usual_run(norm);
  run.extents.erase("columns");
  CHECK_THROWS_WITH(norm.check(norm, run), contains("rms.norm needs the size columns"));
  run.extents["columns"] = (1 << 24) + 1;
  CHECK_THROWS_WITH(norm.check(norm, run), contains("columns = 16777217: must be from 1 to"));
}
