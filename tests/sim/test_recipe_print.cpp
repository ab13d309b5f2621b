#include <fstream>
#include <sstream>

#include "sim/notation.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::f32;

namespace {

/// The examples of docs/recipes.md.
std::string linear() {
  return print(linear_recipe(
      parse_topology("slices(3584, fold(sm90.wgmma.bf16), fold(f32)) + bias > bf16")));
}
std::string rms_norm() {
  return print(rms_norm_recipe(
      parse_topology("lanes(256, fold(f32.fma), slices(32, pairs(f32), fold(f32)))"),
      to_code(4096.0f), to_code(1e-6f)));
}
std::string attention() {
  return print(attention_recipe(64, to_code(0.125f), exp_operation(),
                                parse_topology("fold(f32.fma)"), parse_topology("fold(f32)")));
}

}  // namespace

TEST_CASE("recipes print as the documentation shows them") {
  std::ifstream file(std::string(WHYBITS_SOURCE_DIR) + "/docs/recipes.md");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  for (const std::string& recipe : {linear(), rms_norm(), attention()}) {
    INFO(recipe);
    CHECK(text.str().find("```text\n" + recipe + "```\n") != std::string::npos);
  }
}

TEST_CASE("what the documentation's examples do not show prints, too") {
  auto body = std::make_shared<const Recipe>(
      Recipe{{"s", "xb", "shift"}, {{{"n"}, Map{operations::max(f32), {"s", "shift"}}}}, {"n"}});
  Scan scan;
  scan.state = {{"s", "zero"}};
  scan.blocks = {{"xb", "x", Along::columns}};
  scan.whole = {{"shift", "x"}};
  scan.block = 8;
  scan.descending = true;
  scan.body = body;
  const Recipe recipe{
      {"x", "y"},
      {{{"zero"}, Constant{{formats::f64, 0x8000000000000001}}},
       {{"small"}, Constant{{formats::e4m3, 0x7f}}},
       {{"a"},
        Reduce{.by = parse_map("{ [0,4): fold(bf16); [4,8): reverse(fold(bf16)) }"),
               .along = Along::rows,
               .a = "x"}},
       {{"b"},
        Reduce{.by = parse_topology("fold(f32) + e"),
               .a = "x",
               .b = "y",
               .product = Conversion{f32, {.rounding = Rounding::zero}},
               .operands = {{"e", "a"}}}},
       {{"c"}, Reduce{.by = operations::max(f32), .along = Along::rows, .a = "x", .c = "zero"}},
       {{"d"}, Map{operations::fma(f32, {.rounding = Rounding::up}), {"x", "x", "y"}}},
       {{"s"}, scan}},
      {"d", "s"}};
  CHECK(print(recipe) ==
        "inputs x, y\n"
        "zero = -5e-324 (f64 0x8000000000000001)\n"
        "small = nan (e4m3 0x7f)\n"
        "a = reduce rows of x by { [0,4): fold(bf16); [4,8): reverse(fold(bf16)) }\n"
        "b = reduce columns of (x*y > f32.rz), e=a by fold(f32) + e\n"
        "c = reduce rows of x from zero by max.f32\n"
        "d = fma.f32.ru(x, x, y)\n"
        "s = scan blocks of 8, last first, xb = columns of x, shift = x, s from zero\n"
        "  inputs s, xb, shift\n"
        "  n = max.f32(s, shift)\n"
        "  outputs n\n"
        "outputs d, s\n");
}
