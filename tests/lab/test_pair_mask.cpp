// Revealing trees: of topologies evaluated here, whose trees are known, then of boxes that are
// none.
#include "lab/reveal/pair_mask.hpp"
#include "sim/builders/binary_tree.hpp"
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

std::vector<Bits> reduce(const SchemaPtr& schema, const Format& type,
                         const std::vector<std::vector<Bits>>& inputs) {
  std::vector<Bits> results;
  for (std::size_t e = 0; e < inputs[0].size(); ++e) {
    std::vector<Bits> codes;
    for (const auto& rank : inputs) codes.push_back(rank[e]);
    const OperandVector values(type, codes);
    Leaves leaves;
    leaves.a = &values;
    results.push_back(
        evaluate(make_reduction(schema, inputs.size(), LeafTypes::of(leaves)), leaves));
  }
  return results;
}

std::string revealed(const std::string& topology, std::uint64_t n, const Format& type,
                     bool wide = true) {
  const SchemaPtr schema = parse_topology(topology);
  const auto pairs = probe_pairs(mask_values(type, n, wide), n, 1,
                                 [&](const auto& inputs) { return reduce(schema, type, inputs); });
  const auto tree = decode_pairs(pairs[0]);
  if (!tree) return "none";
  return print(*whybits::schema(Explicit{ieee_add(type), *tree}));
}

}  // namespace

TEST_CASE("masked pairs reveal chains, rotations and trees in every storage format") {
  for (const Format& type : {formats::f64, formats::f32, formats::bf16, formats::f16}) {
    const std::string name = format_name(type);
    const bool wide = !(type == formats::f16);
    CAPTURE(name);
    CHECK(revealed("fold(" + name + ")", 4, type, wide) == "tree(" + name + ", (0 1 2 3))");
    CHECK(revealed("rotate(1, fold(" + name + "))", 4, type, wide) ==
          "tree(" + name + ", (1 2 3 0))");
    CHECK(revealed("reverse(fold(" + name + "))", 4, type, wide) ==
          "tree(" + name + ", (2 3 1 0))");  // the first two commute
    CHECK(revealed("pairs(" + name + ")", 4, type, wide) == "tree(" + name + ", (0 1 (2 3)))");
    CHECK(revealed("halves(" + name + ")", 8, type, wide) ==
          "tree(" + name + ", (0 4 (2 6) (1 5 (3 7))))");
  }
}

TEST_CASE("a wider accumulator shows in f16 by two units of different size") {
  // 1 beside 2^15 vanishes in f16, not in f32; 2^-24 vanishes in both.
  CHECK(revealed("fold(f16)", 4, formats::f16, false) == "tree(f16, (0 1 2 3))");
  CHECK(revealed("fold(f32) > f16", 4, formats::f16, true) == "tree(f16, (0 1 2 3))");
  CHECK(revealed("fold(f32) > f16", 4, formats::f16, false) != "tree(f16, (0 1 2 3))");
}

TEST_CASE("every tree of nodes is revealed as it was built") {
  for (const std::uint64_t ranks : {2U, 3U, 5U, 8U, 12U})
    for (const bool second : {false, true}) {
      const SchemaPtr built =
          node_tree({ranks, 1, TreeLinks::balanced, second}, ieee_add(formats::f32));
      const auto pairs =
          probe_pairs(mask_values(formats::f32, ranks), ranks, 1,
                      [&](const auto& inputs) { return reduce(built, formats::f32, inputs); });
      const auto tree = decode_pairs(pairs[0]);
      REQUIRE(tree);
      // Which of two addends stands first cannot be seen: compare what each pair meets below.
      const SchemaPtr again = schema(Explicit{ieee_add(formats::f32), *tree});
      CHECK(probe_pairs(mask_values(formats::f32, ranks), ranks, 1, [&](const auto& inputs) {
              return reduce(again, formats::f32, inputs);
            }) == pairs);
    }
}

TEST_CASE("numbers that no tree gives are not decoded") {
  PairLeaves leaves(4, std::vector<std::uint64_t>(4, 4));
  CHECK(decode_pairs(leaves));  // all at once: one step of four
  leaves[0][1] = leaves[1][0] = 2;
  leaves[1][2] = leaves[2][1] = 2;  // 1 is in two pairs
  CHECK_FALSE(decode_pairs(leaves));
  CHECK_FALSE(decode_pairs({}));
}
