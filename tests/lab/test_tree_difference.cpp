// Where two trees first part, in words.
#include "lab/tree_difference.hpp"
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_schema.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

std::string parting(const char* a, const char* b, std::uint64_t n) {
  const auto difference =
      first_difference(expand(*parse_topology(a), n), expand(*parse_topology(b), n));
  return difference ? difference_text(*difference) : "";
}

}  // namespace

TEST_CASE("equal trees do not part, however they are written") {
  CHECK(parting("fold(f32)", "slices(4, fold(f32), chain)", 16).empty());
  CHECK(parting("halves(f32)", "pairs(f32)", 2).empty());
}

TEST_CASE("trees part at the first step from the result down that is another") {
  // A sum that begins with a sum by the same unit is one sum: of 4 addends and 3 slices.
  CHECK(parting("slices(4, fold(f32), fold(f32)) > bf16", "slices(8, fold(f32), fold(f32)) > bf16",
                16) ==
        "  both  > bf16, leaves 0…15\n"
        "  A     fold(f32) of 7 addends, leaves 0…15\n"
        "  B     fold(f32) of 9 addends, leaves 0…15\n");
  CHECK(parting("fold(f32)", "rotate(1, fold(f32))", 8) ==
        "  both  fold(f32) of 8 addends, leaves 0…7: part 1\n"
        "  A     leaf 0\n"
        "  B     leaf 1\n");
  CHECK(parting("fold(f32)", "fold(bf16)", 3) ==
        "  A     fold(f32) of 3 addends, leaves 0…2\n"
        "  B     fold(bf16) of 3 addends, leaves 0…2\n");
  CHECK(parting("tree(f32, ((0 1) (2 (3 4))))", "tree(f32, ((0 1) (2 (4 3))))", 5) ==
        "  both  fold(f32) of 3 addends, leaves 0…4: part 3\n"
        "  both  fold(f32) of 2 addends, leaves 2…4: part 2\n"
        "  both  fold(f32) of 2 addends, leaves 3…4: part 1\n"
        "  A     leaf 3\n"
        "  B     leaf 4\n");
  CHECK(parting("fold(f32)", "take(0..1, fold(f32))", 2) ==
        "  A     fold(f32) of 2 addends, leaves 0…1\n"
        "  B     leaf 0\n");
}

TEST_CASE("trees part exactly where they are not equal, whatever the topologies") {
  int equal = 0, other = 0;
  for_all(1500, [&](Random& random) {
    const std::uint64_t n = random.below(40);
    const SchemaPtr x = random_schema(random, {.n = n});
    const SchemaPtr y = random.below(4) == 0 ? x : random_schema(random, {.n = n});
    CAPTURE(print(*x), print(*y), n);
    try {
      const Tree a = expand(*x, n), b = expand(*y, n);
      const auto difference = first_difference(a, b);
      REQUIRE(difference.has_value() == !(a == b));
      if (difference) REQUIRE(difference->a != difference->b);
      ++(difference ? other : equal);
    } catch (const TopologyError&) {
    }
  });
  CHECK(equal > 100);
  CHECK(other > 300);
}
