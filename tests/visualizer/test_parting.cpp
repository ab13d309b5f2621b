// Names that begin alike, told apart where there is little room.
#include "tests/support/catch.hpp"
#include "visualizer/model/parting.hpp"

using namespace whybits::viz;

TEST_CASE("names lose what they have in common but for the words where they part") {
  const auto [a, b] =
      without_common_start("slices(1024, fold(sm90.wgmma.bf16), fold(f32)) > bf16",
                           "slices(1024, fold(sm90.wgmma.bf16) > bf16, fold(f32)) > bf16");
  CHECK(a == "…sm90.wgmma.bf16), fold(f32)) > bf16");
  CHECK(b == "…sm90.wgmma.bf16) > bf16, fold(f32)) > bf16");
}

TEST_CASE("names that part at once stay whole") {
  const auto [a, b] = without_common_start("lanes(256, fold(f32))", "lanes(64, by=4, fold(f32))");
  CHECK(a == "lanes(256, fold(f32))");
  CHECK(b == "lanes(64, by=4, fold(f32))");
}

TEST_CASE("a name that the other one begins with keeps its end") {
  const auto [a, b] =
      without_common_start("slices(64, pairs(f32))", "slices(64, pairs(f32)) > f32");
  CHECK(a == "…pairs(f32))");
  CHECK(b == "…pairs(f32)) > f32");
}

TEST_CASE("a common start never ends within a character") {
  CHECK(common_start("叶 0", "叶 1") == 4);
  CHECK(common_start("一条", "一个") == 3);
  CHECK(common_start("丁", "七") == 0);  // e4 b8 81, e4 b8 83
  CHECK(common_start("", "a") == 0);
}
