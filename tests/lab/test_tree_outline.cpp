// A tree as an outline. That of the deepest trees fits into the stack that every system gives.
#include "lab/tree_outline.hpp"
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "sim/shape_pool.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

TEST_CASE("entries are numbered as a reader meets them from the root down") {
  const Tree tree =
      expand(*parse_topology("cut(4 8, slices(2, fold(f32), pairs(f32)), fold(f32)) > bf16"), 9);
  const Outline all = outline(tree);
  REQUIRE(all.entries.size() == 4);
  CHECK(all.entries[0].head == "> bf16");
  CHECK(all.entries[1].head == "fold(f32)");  // of the three pieces
  REQUIRE(all.entries[0].parts.size() == 1);
  CHECK(all.entries[0].parts[0].entry == 1);
  for (std::size_t i = 0; i < all.entries.size(); ++i)
    for (const OutlinePart& part : all.entries[i].parts)
      CHECK(part.entry < static_cast<int>(all.entries.size()));
}

TEST_CASE("the deepest tree is outlined as text, picture, graph and list") {
  // 2 levels a piece, and 190 roundings a piece that are written out for the list of few leaves.
  const std::size_t pieces = ShapePool::max_height / 2;
  const Tree tree = expand(*parse_topology("slices(1, fold(f32.fma) > bf16, chain)"), pieces);
  REQUIRE(tree.root().shape->height == ShapePool::max_height);
  const Outline all = outline(tree);
  CHECK(all.entries.size() == ShapePool::max_height);
  CHECK_THAT(outline_text(all), contains("the accumulator that is continued"));
  CHECK_THAT(outline_svg(all, "deep"), contains("</svg>"));
  CHECK_THAT(outline_dot(all), contains("digraph"));

  std::string piece = "fold(f32)";
  for (int i = 0; i < 190; ++i) piece += " + bias";
  const Tree few = expand(*parse_topology("slices(1, " + piece + ", chain)"), 21);
  REQUIRE(few.root().shape->height > 3900);
  CHECK_THAT(nested_list(few), contains("0 1) 2) 3)"));
}
