// Wrong neighbours: which there are, and that each is another tree that can be run.
#include <algorithm>
#include <map>

#include "lab/controls.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/random_reduction.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

using Named = std::map<std::string, std::string>;

Named neighbours(const std::string& topology, std::uint64_t n, bool has_c = false) {
  Named named;
  for (const Control& control : wrong_neighbours(parse_topology(topology), n, has_c))
    named[control.name] = print(*control.topology);
  return named;
}

}  // namespace

TEST_CASE("A split-K topology has seven neighbours") {
  CHECK(neighbours("slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16", 14336) ==
        Named{{"one fraction bit less",
               "slices(3584, fold(aligned(l=16, f=24, e0=-133, out=f32.rz, in=bf16)), fold(f32)) > "
               "bf16"},
              {"one fraction bit more",
               "slices(3584, fold(aligned(l=16, f=26, e0=-133, out=f32.rz, in=bf16)), fold(f32)) > "
               "bf16"},
              {"the other rounding of a step",
               "slices(3584, fold(aligned(l=16, f=25, e0=-133, out=f32, in=bf16)), fold(f32)) > "
               "bf16"},
              {"steps half as wide",
               "slices(3584, fold(aligned(l=8, f=25, e0=-133, out=f32.rz, in=bf16)), fold(f32)) > "
               "bf16"},
              {"seams 64 later", "slices(3648, fold(sm90.wgmma.bf16), fold(f32)) > bf16"},
              {"slices merged from the last",
               "slices(3584, fold(sm90.wgmma.bf16), reverse(fold(f32))) > bf16"},
              {"partials rounded for kept, or kept for rounded",
               "slices(3584, fold(sm90.wgmma.bf16) > bf16, fold(f32)) > bf16"}});
}

TEST_CASE("Partials that a split rounds are kept in a neighbour") {
  const std::string name = "partials rounded for kept, or kept for rounded";
  CHECK(neighbours("slices(64, fold(f32.fma), fold(f32 > bf16))", 256).at(name) ==
        "slices(64, fold(f32.fma), fold(f32))");
  CHECK(neighbours("slices(64, fold(f32.fma) > bf16, fold(f32)) > bf16", 256).at(name) ==
        "slices(64, fold(f32.fma), fold(f32)) > bf16");
  CHECK(neighbours("slices(64, fold(f32.fma), fold(f32))", 256).count(name) == 0);
}

TEST_CASE("Two slices commute, so their order is no control, a chain gets a seam") {
  const Named two = neighbours("slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16", 14336);
  CHECK(two.count("slices merged from the last") == 0);
  CHECK(two.count("seams 64 later") == 1);
  const Named chain = neighbours("fold(sm90.wgmma.bf16) > bf16", 14336);
  CHECK(chain.at("a seam in the middle") ==
        "slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16");
  CHECK(chain.count("seams 64 later") == 0);
  CHECK(neighbours("fold(sm90.wgmma.bf16)", 16).count("a seam in the middle") == 0);
}

TEST_CASE("c goes behind the products, before a last rounding, in any topology") {
  CHECK(neighbours("fold(sm90.mma.f16)", 16, true).at("c added last instead of first") ==
        "slices(16, fold(sm90.mma.f16, from=0), fold(f32, from=c))");
  CHECK(
      neighbours("slices(8, fold(sm90.mma.f16.k8), fold(f32)) > bf16", 32, true)
          .at("c added last instead of first") ==
      "slices(32, slices(8, fold(sm90.mma.f16.k8, from=0), fold(f32)), fold(f32, from=c)) > bf16");
  CHECK(neighbours("fold(sm90.mma.f16)", 16).count("c added last instead of first") == 0);
  CHECK(neighbours("fold(sm90.mma.f16)", 0, true).count("c added last instead of first") == 0);
}

TEST_CASE("fp8 mma.sync gets the two other groupings of its products") {
  const Named fp8 = neighbours("fold(sm90.mma.e4m3)", 32, true);
  CHECK(fp8.at("products in first and second half") ==
        "slices(32, slices(16, fold(sm90.mma.f16, from=0), chain), fold(f32, from=c))");
  CHECK(fp8.at("products even and odd") ==
        "slices(32, lanes(2, fold(sm90.mma.f16, from=0), chain), fold(f32, from=c))");
  CHECK(fp8.count("one fraction bit less") == 0);
}

TEST_CASE("Sums of values have neighbours too, or none") {
  CHECK(neighbours("fold(f32)", 100) ==
        Named{{"a seam in the middle", "slices(50, fold(f32), fold(f32))"},
              {"subnormals kept for flushed, or flushed for kept", "fold(f32.ftz)"}});
  CHECK(neighbours("lanes(4, fold(f32), halves(f32))", 100).at("neighbours first for far first") ==
        "lanes(4, fold(f32), pairs(f32))");
  CHECK(neighbours("lanes(4, fold(f32.fma), fold(f32))", 100).at("twice as many lanes") ==
        "lanes(8, fold(f32.fma), fold(f32))");
  CHECK(neighbours("slices(10, fold(f32), fold(f32))", 100).size() == 2);
  CHECK(neighbours("fold(sm90.wgmma.bf16)", 0).empty());
}

TEST_CASE("Every neighbour of any topology is another tree that expands") {
  std::size_t found = 0;
  for_all(1500, [&](Random& random) {
    const Family family = random.pick(all_families);
    const RandomOperands operands = random_operands(random, family);
    const SchemaPtr topology = random_topology(random, operands, family);
    const std::uint64_t n = operands.leaves.a.size();
    const bool has_c = operands.leaves.c.has_value();
    if (!takes(*topology, operands.leaves)) return;
    CAPTURE(print(*topology), n, has_c);
    const Tree tree = expand(*topology, n, {.has_c = has_c});
    for (const Control& control : wrong_neighbours(topology, n, has_c)) {
      CAPTURE(control.name, print(*control.topology));
      REQUIRE_FALSE(expand(*control.topology, n, {.has_c = has_c}) == tree);
      ++found;
    }
  });
  CHECK(found > 1000);
}
