// Each check of a recipe, with the words that name the step and the remedy.
#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

const TensorTypes types{{"x", {4, 8, f32}},
                        {"w", {1, 8, bf16}},
                        {"a", {4, 6, bf16}},
                        {"b", {6, 5, bf16}},
                        {"d", {1, 1, formats::f64}}};

Recipe recipe(std::vector<RecipeStep> steps, std::vector<std::string> outputs = {"y"}) {
  return {{"x", "w", "a", "b", "d"}, std::move(steps), std::move(outputs)};
}

void refuse(const Recipe& wrong, const std::string& message) {
  CAPTURE(message);
  CHECK_THROWS_AS(bind_recipe(wrong, types), RecipeError);
  CHECK_THROWS_WITH(bind_recipe(wrong, types), contains(message));
}

RecipeStep step(Reduce reduce) {
  return {{"y"}, std::move(reduce)};
}
SchemaPtr sum() {
  return parse_topology("fold(f32)");
}
SchemaPtr chain() {
  return parse_topology("fold(f32.fma)");
}

/// A sound scan: s += x of each block.
Scan sound_scan() {
  Scan scan;
  scan.state = {{"s", "zero"}};
  scan.blocks = {{"xb", "x", Along::columns}};
  scan.block = 3;
  scan.body = std::make_shared<const Recipe>(Recipe{
      {"s", "xb"},
      {{{"t"}, Reduce{.by = sum(), .a = "xb"}}, {{"next"}, Map{operations::add(f32), {"s", "t"}}}},
      {"next"}});
  return scan;
}

Recipe with_scan(const Scan& scan) {
  return recipe({{{"zero"}, Constant{{f32, 0}}}, {{"y"}, scan}});
}

std::shared_ptr<const Recipe> body(std::vector<RecipeStep> steps,
                                   std::vector<std::string> outputs) {
  return std::make_shared<const Recipe>(Recipe{{"s", "xb"}, std::move(steps), std::move(outputs)});
}

}  // namespace

TEST_CASE("a recipe's names are defined once, before they are used, and are names") {
  const Map copy{operations::convert(f32, {f32, {}}), {"x"}};
  CHECK_NOTHROW(bind_recipe(recipe({{{"y"}, copy}}), types));
  refuse(recipe({{{"y"}, copy}, {{"y"}, copy}}), "step 'y': 'y' is defined twice");
  refuse(recipe({{{"x"}, copy}}), "step 'x': 'x' is defined twice");
  refuse(recipe({{{"y"}, Map{operations::negate(f32), {"scores"}}}, {{"scores"}, copy}}),
         "step 'y': 'scores' is not defined before this");
  refuse(recipe({{{"scores"}, copy}, {{"y"}, Map{operations::negate(f32), {"score"}}}}),
         "did you mean scores?");
  refuse(recipe({{{"2y"}, copy}}), "'2y' is no name");
  refuse(recipe({{{""}, copy}}), "'' is no name");
  refuse(recipe({{{}, copy}}), "has 0 names");
  refuse(recipe({{{"y", "z"}, copy}}), "has 2 names");
  refuse(recipe({{{"y"}, copy}}, {}), "outputs: a recipe has at least one");
  refuse(recipe({{{"y"}, copy}}, {"z"}), "outputs: 'z' is not defined");
}

TEST_CASE("a recipe is given exactly its inputs") {
  const Recipe copy{{"x"}, {{{"y"}, Map{operations::negate(f32), {"x"}}}}, {"y"}};
  CHECK_THROWS_WITH(bind_recipe(copy, {}), contains("inputs: 'x' is not given"));
  CHECK_THROWS_WITH(bind_recipe(copy, {{"x", {1, 1, f32}}, {"z", {1, 1, f32}}}),
                    contains("'z' is given, but the recipe does not take it"));
  CHECK_THROWS_WITH(
      bind_recipe(copy, {{"x", {std::uint64_t{1} << 40, std::uint64_t{1} << 40, f32}}}),
      contains("at most 2^60 elements"));

  const InputTensors short_source{
      {"x", {2, 3, std::make_shared<CodeVector>(f32, std::vector<Bits>(5))}}};
  CHECK_THROWS_WITH(run(copy, short_source),
                    contains("'x' is f32 2×3, but its source has 5 codes"));
  CHECK_THROWS_WITH(run(copy, {{"x", {1, 1, nullptr}}}), contains("'x' has no codes"));
  const BoundRecipe bound = bind_recipe(copy, {{"x", {2, 3, f32}}});
  CHECK_THROWS_WITH(run(bound, {{"x", input_tensor({3, 2, f32}, std::vector<Bits>(6))}}, {{"y"}}),
                    contains("'x' is f32 3×2, the recipe was bound for f32 2×3"));
  CHECK_THROWS_WITH(run(bound, {}, {{"y"}}), contains("'x' is not given"));
}

TEST_CASE("a map's operands fit its operation and each other") {
  refuse(recipe({{{"y"}, Map{operations::add(f32), {"x"}}}}), "add.f32 takes 2 operands, not 1");
  refuse(recipe({{{"y"}, Map{operations::add(bf16), {"w", "x"}}}}),
         "add.bf16 takes bf16, but 'x' is f32; no narrowing is written, so convert it first");
  refuse(recipe({{{"y"}, Map{operations::add(f32), {"x", "a"}}}}),
         "shapes 4×8 and 4×6 do not match; a dimension must be equal, or 1");
  refuse(recipe({{{"y"}, Map{operations::given("exp", {f32}, f32, {}), {"x"}}}}),
         "the operation exp has no function");
  refuse(
      recipe({{{"y"}, Map{operations::given("zero", {}, f32, [](auto) { return Bits{0}; }), {}}}}),
      "zero takes 0 operands");
  refuse(recipe({{{"y"}, Constant{{bf16, 0x10000}}}}),
         "the constant has bits above the 16 of bf16");
}

TEST_CASE("a reduce's shapes fit") {
  refuse(recipe({step({.by = chain(), .along = Along::matrix, .a = "a"})}),
         "a matrix product needs two operands");
  refuse(recipe({step({.by = chain(), .along = Along::matrix, .a = "x", .b = "b"})}),
         "'x' has 8 columns, but 'b' has 6 rows");
  refuse(recipe({step({.by = chain(), .along = Along::matrix_transposed, .a = "a", .b = "b"})}),
         "'a' has 6 columns, but 'b' has 5 columns");
  refuse(recipe({step({.by = chain(), .a = "x", .b = "a"})}), "shapes 4×8 and 4×6 do not match");
  refuse(recipe({step({.by = chain(), .a = "x", .b = "x", .c = "w"})}),
         "the accumulator 'w' is 1×8, the outputs are 4×1");
  refuse(recipe({step(
             {.by = parse_topology("fold(f32) + bias"), .a = "x", .operands = {{"bias", "w"}}})}),
         "the operand bias 'w' is 1×8, the outputs are 4×1");
}

TEST_CASE("a reduce's topology fits its leaves") {
  refuse(recipe({step({.by = SchemaPtr{}, .a = "x"})}), "step 'y': has no topology");
  refuse(recipe({step({.by = chain(), .a = "x"})}), "step 'y': f32.fma takes products");
  refuse(recipe({step({.by = sum(), .a = "x", .b = "x"})}), "an exact product is not a value");
  refuse(recipe({step({.by = parse_topology("fold(bf16)"), .a = "x"})}),
         "would narrow f32 to bf16");
  refuse(recipe({step({.by = parse_topology("slices(8, fold(f32), fold(bf16))"), .a = "x"})}),
         "the result would narrow f32 to bf16");  // one slice: nothing is merged
  refuse(recipe({step({.by = parse_topology("fold(exact)"), .a = "x"})}),
         "the exact sum has no format");
  refuse(recipe({step({.by = parse_topology("cut(9, fold(f32), fold(f32))"), .a = "x"})}),
         "border 9 is beyond the 8 addends");
  refuse(recipe({step({.by = sum(), .a = "x", .product = Conversion{f32, {}}})}),
         "there are no products to round: only one operand");
  refuse(recipe({step({.by = parse_topology("fold(f32) + bias"), .a = "x"})}),
         "+ bias: the computation has no operand of this name");
  refuse(recipe({step({.by = sum(), .a = "x", .c = "d"})}),
         "no fold of this topology starts from it");
  refuse(recipe({step({.by = chain(), .a = "x", .b = "x", .c = "d"})}), "would narrow f64 to f32");
  refuse(
      recipe({step({.by = parse_topology("fold(f32) + e"), .a = "x", .operands = {{"e", "d"}}})}),
      "+ e takes f32, but 'd' is f64");
  refuse(recipe({step({.by = sum(), .a = "x", .operands = {{"e", "x"}, {"e", "x"}}})}),
         "two operands are named 'e'");
}

TEST_CASE("a map of topologies covers every output in one format") {
  const auto along_rows = [](const char* map) {
    return step({.by = parse_map(map), .along = Along::rows, .a = "x"});
  };
  CHECK_NOTHROW(
      bind_recipe(recipe({along_rows("{ [0,3): fold(f32); [3,8): pairs(f32) }")}), types));
  refuse(recipe({along_rows("{ [0,3): fold(f32); [3,7): pairs(f32) }")}),
         "the map gives no topology to output 7 of 8");
  refuse(recipe({along_rows("{ [0,3): fold(f32); [4,8): pairs(f32) }")}), "to output 3 of 8");
  refuse(recipe({along_rows("{ [1,8): fold(f32) }")}), "to output 0 of 8");
  refuse(recipe({along_rows("{ [0,3): fold(f32); [3,8): fold(f32) > bf16 }")}),
         "the map's regions end in different formats, f32 and bf16");
  refuse(recipe({step({.by = TopologyMap{}, .along = Along::rows, .a = "x"})}), "to output 0 of 8");
}

TEST_CASE("an operation that folds takes two values of its own format") {
  refuse(recipe({step({.by = operations::negate(f32), .a = "x"})}), "negate.f32 cannot fold");
  refuse(
      recipe({step({.by = operations::given("mean", {f32, f32}, bf16, [](auto) { return Bits{0}; }),
                    .a = "x"})}),
      "mean cannot fold: it must take two operands of the format of its result");
  refuse(recipe({step({.by = operations::given("least", {f32, f32}, f32, {}), .a = "x"})}),
         "the operation least has no function");
  refuse(recipe({step({.by = operations::max(bf16), .a = "x"})}),
         "max.bf16 takes bf16, but 'x' is f32");
  refuse(recipe({step({.by = operations::max(f32), .a = "x", .c = "d"})}), "but 'd' is f64");
  refuse(recipe({step({.by = operations::max(f32), .a = "x", .b = "x"})}),
         "max.f32 takes values, not products; multiply them in a map first");
  refuse(recipe({step({.by = operations::max(f32), .a = "x", .operands = {{"e", "x"}}})}),
         "max.f32 takes no named operands");
  const Recipe of_nothing{{"x"}, {step({.by = operations::max(f32), .a = "x"})}, {"y"}};
  CHECK_THROWS_WITH(bind_recipe(of_nothing, {{"x", {4, 0, f32}}}),
                    contains("max.f32 of nothing: give it a value to begin from"));
}

TEST_CASE("a scan fits its body") {
  CHECK_NOTHROW(bind_recipe(with_scan(sound_scan()), types));
  Scan scan = sound_scan();
  scan.body = nullptr;
  refuse(with_scan(scan), "step 'y': a scan needs a body");
  scan = sound_scan();
  scan.block = 0;
  refuse(with_scan(scan), "the block length must be at least 1");
  scan = sound_scan();
  scan.blocks.clear();
  refuse(with_scan(scan), "a scan needs a tensor to cut into blocks");
  scan = sound_scan();
  scan.blocks.push_back({"ab", "a", Along::columns});
  refuse(with_scan(scan), "the scanned axis has 8 places in 'x' and 6 in 'a'");
  scan = sound_scan();
  scan.blocks[0].axis = Along::matrix;
  refuse(with_scan(scan), "'x' is cut along rows or columns");
  scan = sound_scan();
  scan.blocks[0].tensor = "z";
  refuse(with_scan(scan), "'z' is not defined");
  scan = sound_scan();
  scan.whole = {{"w", "w"}};
  refuse(with_scan(scan), "in the body, inputs: 'w' is given, but the recipe does not take it");
  scan.whole = {{"s", "w"}};
  refuse(with_scan(scan), "the body is given 's' twice");
  scan = sound_scan();
  scan.blocks[0].name = "other";
  refuse(with_scan(scan), "in the body, inputs: 'xb' is not given");
  scan = sound_scan();
  scan.body = body({{{"next"}, Map{operations::add(f32), {"s", "sb"}}}}, {"next"});
  refuse(with_scan(scan), "step 'y': in the body, step 'next': 'sb' is not defined");
}

TEST_CASE("a scan's state keeps its format and its shape") {
  Scan scan = sound_scan();
  scan.state.push_back({"s", "zero"});
  refuse(with_scan(scan), "a scan has one name for each state: 1 for 2");
  Recipe two = with_scan(scan);
  two.steps[1].names = {"y", "z"};
  refuse(two, "the body gives 1 output for 2 states");
  scan.body = body({}, {"s", "s"});
  two = with_scan(scan);
  two.steps[1].names = {"y", "z"};
  refuse(two, "two states of the body have one name");

  scan = sound_scan();
  scan.body = body({{{"next"}, Map{operations::convert(f32, {bf16, {}}), {"s"}}}}, {"next"});
  refuse(with_scan(scan), "the state 's' begins as f32 and goes on as bf16");
  scan = sound_scan();
  scan.state[0].initial = "x";
  scan.body = body({{{"next"}, Reduce{.by = sum(), .a = "xb"}}}, {"next"});
  refuse(with_scan(scan), "the state 's' is 4×8, its update 4×1");
  scan = sound_scan();
  scan.body = body({{{"next"}, Map{operations::add(f32), {"s", "xb"}}}}, {"next"});
  refuse(with_scan(scan), "shapes 4×3 and 4×2 do not match");  // the last block is shorter
  scan.block = 4;
  CHECK(bind_recipe(with_scan(scan), types).type("y") == TensorType{4, 4, f32});
}
