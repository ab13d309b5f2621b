// The deepest trees that there are (ShapePool::max_height levels) fit into the stack that every
// system gives, 8 MiB, also where AddressSanitizer makes frames large: everything that walks a tree
// by recursion does so with small frames.
#include <bit>
#include <sstream>

#include "sim/any_order.hpp"
#include "sim/arith.hpp"
#include "sim/notation.hpp"
#include "sim/shape_pool.hpp"
#include "sim/trace.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

/// (0 (1 (2 … (levels-1 levels)))): a level a list.
std::string nested_lists(std::size_t levels) {
  std::ostringstream text;
  for (std::size_t i = 0; i < levels; ++i) text << '(' << i << ' ';
  text << levels << std::string(levels, ')');
  return "tree(f32, " + text.str() + ")";
}

struct Deep {
  std::string topology;
  std::size_t n;  ///< addends that make it as deep as may be
  bool products;
};

/// Chains over pieces that are not one fold nest with every piece: by so many levels each.
std::vector<Deep> deepest() {
  constexpr std::size_t levels = ShapePool::max_height;
  return {{nested_lists(levels), levels + 1, false},
          {"slices(1, fold(f32) + bias, chain)", levels / 2, false},
          {"slices(1, fold(f32.fma) > bf16, chain)", levels / 2, true},
          {"slices(1, fold(f32.fma) + bias, chain)", levels / 2, true},
          {"slices(1, fold(exact) > f32, chain)", levels / 2, true},
          {"slices(16, fold(sm90.wgmma.bf16) > bf16, chain)", 16 * levels / 2, true},
          {"slices(32, fold(sm90.mma.e4m3) > bf16, chain)", 32 * levels / 2, true}};
}

}  // namespace

TEST_CASE("the deepest trees are laid out, compared, checked, evaluated and traced") {
  for (const Deep& deep : deepest()) {
    CAPTURE(deep.topology.substr(0, 60));
    const SchemaPtr schema = parse_topology(deep.topology);
    CHECK(print(*schema) == deep.topology);
    const bool fp8 = deep.topology.find("e4m3") != std::string::npos;
    const OperandVector ones(
        deep.products ? fp8 ? formats::e4m3 : formats::bf16 : formats::f32,
        std::vector<Bits>(deep.n, deep.products ? fp8 ? 0x38 : 0x3f80 : 0x3f800000));
    Leaves leaves;
    leaves.a = &ones;
    if (deep.products) leaves.b = &ones;
    leaves.operands = {{"bias", {formats::f32, 0x3f800000}}};

    const Reduction reduction = make_reduction(schema, deep.n, LeafTypes::of(leaves));
    const Tree& tree = reduction.tree;
    CHECK(tree.root().shape->height + 1 >= ShapePool::max_height);
    const Tree again = expand(*schema, deep.n);
    CHECK(again == tree);
    CHECK(tree.statistics().leaves == deep.n);
    const Bits result = evaluate(reduction, leaves);
    CHECK(trace(reduction, leaves).result == result);
    CHECK(trace_bytes(tree) > 0);
    CHECK(possible_results(reduction, leaves) == std::set<Bits>{result});
  }
}

TEST_CASE("one level more is refused with the number of levels") {
  for (const Deep& deep : deepest()) {
    CAPTURE(deep.topology.substr(0, 60));
    if (deep.topology.starts_with("tree")) continue;
    const std::size_t a_piece = deep.topology.find("(1,") != std::string::npos ? 1 : 32;
    CHECK_THROWS_WITH(expand(*parse_topology(deep.topology), deep.n + a_piece),
                      contains("sums nest deeper than 4096 levels"));
  }
  CHECK_THROWS_WITH(
      expand(*parse_topology(nested_lists(ShapePool::max_height + 1)), ShapePool::max_height + 2),
      contains("sums nest deeper than 4096 levels"));
}

TEST_CASE("the deepest tree with undefined orders in it has its possible results listed") {
  constexpr std::size_t pieces = ShapePool::max_height / 2 - 1;
  const OperandVector ones(formats::f32, std::vector<Bits>(6 * pieces, 0x3f800000));
  Leaves leaves;
  leaves.a = &ones;
  leaves.c = Scalar{formats::f32, 0};
  leaves.operands = {{"bias", {formats::f32, 0}}};
  const Reduction reduction = make_reduction(
      parse_topology("slices(6, slices(3, any(f32), fold(f32, from=c)) + bias, chain)"),
      ones.size(), LeafTypes::of(leaves));
  CHECK(reduction.tree.root().shape->height + 1 >= ShapePool::max_height);
  CHECK(has_any_order(reduction.tree));
  // Sums of ones up to 12,276 are exact in any order.
  const std::set<Bits> sum{
      convert(formats::f64, formats::f32, std::bit_cast<Bits>(static_cast<double>(ones.size())))};
  CHECK(possible_results(reduction, leaves) == sum);
}
