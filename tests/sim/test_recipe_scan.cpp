// What a scan may do beside online softmax: nest, exchange its states, leave out what nobody asks
// for.
#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::f32;

namespace {

std::shared_ptr<const Recipe> shared(Recipe recipe) {
  return std::make_shared<const Recipe>(std::move(recipe));
}

RecipeStep zero() {
  return {{"zero"}, Constant{{f32, 0}}};
}

}  // namespace

TEST_CASE("a scan inside a scan walks blocks of blocks, ragged on both sides") {
  for_all(30, [](Random& random) {
    const std::uint64_t rows = 1 + random.below(7), columns = 1 + random.below(9);
    const std::uint64_t height = 1 + random.below(4), width = 1 + random.below(4);
    const bool last_first = random.coin();
    const std::vector<Bits> x = f32_codes(random, rows * columns, wide_float);
    CAPTURE(rows, columns, height, width, last_first);

    // total += sum of a block, blocks of rows outside, blocks of columns inside.
    Scan inner;
    inner.state = {{"t", "t"}};
    inner.blocks = {{"tile", "band", Along::columns}};
    inner.block = width;
    inner.descending = last_first;
    inner.body = shared(
        {{"t", "tile"},
         {{{"by_row"}, Reduce{.by = parse_topology("fold(f32)"), .a = "tile"}},
          {{"s"}, Reduce{.by = parse_topology("fold(f32)"), .along = Along::rows, .a = "by_row"}},
          {{"next"}, Map{operations::add(f32), {"t", "s"}}}},
         {"next"}});
    Scan outer;
    outer.state = {{"t", "zero"}};
    outer.blocks = {{"band", "x", Along::rows}};
    outer.block = height;
    outer.body = shared({{"t", "band"}, {{{"u"}, inner}}, {"u"}});
    const Recipe recipe{{"x"}, {zero(), {{"total"}, outer}}, {"total"}};

    float expected = 0;
    const std::uint64_t tiles = (columns + width - 1) / width;
    for (std::uint64_t r0 = 0; r0 < rows; r0 += height)
      for (std::uint64_t tile = 0; tile < tiles; ++tile) {
        const std::uint64_t c0 = (last_first ? tiles - 1 - tile : tile) * width;
        float sum = 0;
        for (std::uint64_t r = r0; r < std::min(rows, r0 + height); ++r) {
          float row = to_float(x[r * columns + c0]);
          for (std::uint64_t c = c0 + 1; c < std::min(columns, c0 + width); ++c)
            row += to_float(x[r * columns + c]);
          sum = r == r0 ? row : sum + row;
        }
        expected += sum;
      }
    const Patch total = run(recipe, {{"x", input_tensor({rows, columns, f32}, x)}}).at("total");
    REQUIRE(total.codes == std::vector<Bits>{to_code(expected)});
  });
}

TEST_CASE("states change all at once") {
  // (a, b) → (b, a + b) over blocks of one: Fibonacci numbers.
  Scan scan;
  scan.state = {{"a", "zero"}, {"b", "one"}};
  scan.blocks = {{"x", "x", Along::columns}};
  scan.body =
      shared({{"a", "b", "x"}, {{{"sum"}, Map{operations::add(f32), {"a", "b"}}}}, {"b", "sum"}});
  const Recipe recipe{
      {"x"}, {zero(), {{"one"}, Constant{{f32, to_code(1)}}}, {{"p", "q"}, scan}}, {"p", "q"}};
  const Patches out = run(recipe, {{"x", input_tensor({1, 10, f32}, std::vector<Bits>(10))}});
  CHECK(out.at("p").codes == std::vector<Bits>{to_code(55)});
  CHECK(out.at("q").codes == std::vector<Bits>{to_code(89)});
}

TEST_CASE("a state that nobody asks for is not computed, one that another state reads is") {
  // s depends on t, t on itself alone.
  Scan scan;
  scan.state = {{"s", "zero"}, {"t", "zero"}};
  scan.blocks = {{"x", "x", Along::columns}};
  scan.block = 4;
  scan.body = shared({{"s", "t", "x"},
                      {{{"sum"}, Reduce{.by = parse_topology("fold(f32)"), .a = "x"}},
                       {{"t_next"}, Map{operations::add(f32), {"t", "sum"}}},
                       {{"s_next"}, Map{operations::add(f32), {"s", "t"}}}},
                      {"s_next", "t_next"}});
  const Recipe recipe{{"x"}, {zero(), {{"s", "t"}, scan}}, {"s", "t"}};
  const InputTensors in{{"x", input_tensor({6, 10, f32}, std::vector<Bits>(60, to_code(1)))}};
  Work work;
  const Patches t =
      run(recipe, in, {{"t", IndexSet::of(std::vector<std::uint64_t>{5, 1})}}, {.work = &work});
  CHECK(t.at("t").codes == std::vector<Bits>{to_code(10), to_code(10)});
  CHECK(work == Work{.elements = 6, .reductions = 6, .addends = 20, .blocks = 3});
  work = {};
  const Patches s = run(recipe, in, {{"s", IndexSet::range(2, 3)}}, {.work = &work});
  CHECK(s.at("s").codes == std::vector<Bits>{to_code(4 + 8)});
  CHECK(work == Work{.elements = 6, .reductions = 3, .addends = 10, .blocks = 3});
}

TEST_CASE("chosen parts of an attention are those of the whole, whatever else is chosen") {
  Random fixed(41);
  const InputTensors in{{"q", input_tensor({7, 4, f32}, f32_codes(fixed, 28, uniform_float))},
                        {"k", input_tensor({50, 4, f32}, f32_codes(fixed, 200, uniform_float))},
                        {"v", input_tensor({50, 6, f32}, f32_codes(fixed, 300, uniform_float))}};
  const BoundRecipe recipe =
      bind_recipe(attention_recipe(16, to_code(0.5f), exp_operation(),
                                   parse_topology("fold(f32.fma)"), parse_topology("fold(f32)")),
                  types_of(in));
  const std::vector<std::string> tensors{"y", "o", "m", "l"};
  const Patches all = run(recipe, in, {{"y"}, {"o"}, {"m"}, {"l"}});
  for_all(25, [&](Random& random) {
    Selection chosen;
    for (const std::string& tensor : tensors)
      if (random.coin()) {
        const TensorType& type = recipe.type(tensor);
        chosen.push_back(
            chosen_element(tensor, random.below(type.rows), random.below(type.columns)));
      }
    const Patches some = run(recipe, in, chosen);
    REQUIRE(some.size() == chosen.size());
    for (const auto& [tensor, patch] : some)
      REQUIRE(patch.codes ==
              std::vector<Bits>{all.at(tensor).at(patch.rows.first(), patch.columns.first())});
  });
}
