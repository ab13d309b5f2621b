#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using whybits::test::contains;
using whybits::test::for_all;
using whybits::test::Random;

namespace {

Tree tree(const std::string& text, std::uint64_t n, bool has_c = false) {
  return expand(*parse_topology(text), n, {.has_c = has_c});
}

}  // namespace

TEST_CASE("a ragged slice takes its own topology, whole slices never do") {
  const std::string text = "slices(4, pairs(f32), ragged=reverse(fold(f32)), fold(f32))";
  CHECK(tree(text, 8) == tree("slices(4, pairs(f32), fold(f32))", 8));
  CHECK(tree(text, 7) == tree("tree(f32, (((0 1) (2 3)) ((6 5) 4)))", 7));
  CHECK(tree(text, 3) == tree("tree(f32, ((2 1) 0))", 3));
  CHECK_FALSE(tree(text, 7) == tree("slices(4, pairs(f32), fold(f32))", 7));
  CHECK(tree(text, 0) == tree("fold(f32)", 0));
}

TEST_CASE("a ragged topology equal to the others changes no tree") {
  for_all(100, [](Random& random) {
    const std::uint64_t n = random.below(300);
    const std::uint64_t size = 1 + random.below(70);
    CAPTURE(n, size);
    const SchemaPtr each = parse_topology("fold(sm90.mma.bf16)");
    for (const SchemaPtr& merge :
         {parse_topology("fold(f32)"), SchemaPtr{}, parse_topology("halves(f32)")})
      REQUIRE(expand(*schema(Slices{size, each, merge, each}), n) ==
              expand(*schema(Slices{size, each, merge}), n));
  });
}

TEST_CASE("a residue-first K loop may have another residue in its last slice") {
  // Slices of 104, tiles of 32: residues of 8, and of 24 in the last slice of 88.
  const std::string u = "fold(sm90.mma.f16)";
  const Tree sliced =
      tree("slices(104, cut(8, " + u + ", chain), ragged=cut(24, " + u + ", chain), fold(f32))",
           2 * 104 + 88);
  const Tree spelled = tree("cut(104 208, slices(104, cut(8, " + u + ", chain), ragged=cut(24, " +
                                u + ", chain), chain), fold(f32))",
                            2 * 104 + 88);
  CHECK(sliced == spelled);
  CHECK_FALSE(sliced == tree("slices(104, cut(8, " + u + ", chain), fold(f32))", 2 * 104 + 88));
}

TEST_CASE("the operand c enters the first slice, also when it is the ragged one") {
  const std::string text = "slices(4, fold(f32.fma), ragged=fold(f32.fma), fold(f32))";
  CHECK(tree(text, 3, true) == tree("fold(f32.fma)", 3, true));
  CHECK(tree(text, 9, true) == tree("slices(4, fold(f32.fma), fold(f32))", 9, true));
}

TEST_CASE("chain into a ragged slice goes on with its accumulator") {
  CHECK(tree("slices(32, fold(sm90.mma.f16), ragged=cut(8, fold(sm90.mma.f16), chain), chain)",
             88) == tree("cut(72, fold(sm90.mma.f16), chain)", 88));
  CHECK_THROWS_WITH(tree("slices(4, fold(f32), ragged=fold(f32) > bf16, chain)", 7),
                    contains("the ragged slice must end in the format of the others"));
  CHECK_NOTHROW(tree("slices(4, fold(f32), ragged=fold(f32) > bf16, chain)", 8));
  CHECK_THROWS_WITH(tree("slices(4, fold(f32), ragged=pairs(f32), chain)", 7),
                    contains("no accumulator that could be continued"));
}

TEST_CASE("ragged= prints and reads back, and only slices have it") {
  const std::string text = "slices(4, pairs(f32), ragged=fold(f32) > f16, fold(f32))";
  CHECK(print(*parse_topology(text)) == text);
  CHECK(print(*parse_topology("slices(4,pairs(f32),ragged = fold(f32),chain)")) ==
        "slices(4, pairs(f32), ragged=fold(f32), chain)");
  CHECK_THROWS_WITH(parse_topology("lanes(4, fold(f32), ragged=fold(f32), fold(f32))"),
                    contains("ragged= belongs to slices"));
  CHECK_THROWS_WITH(parse_topology("slices(4, fold(f32), ragged fold(f32), chain)"),
                    contains("after ragged"));
  CHECK_THROWS_WITH(parse_topology("slices(4, fold(f32), ragged=fold(f32))"),
                    contains("expected ', M' as in slices(S, T, M)"));
}
