// How many steps a strip has, beside the rounding at its end.
#include <vector>

#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"
#include "visualizer/model/strip_steps.hpp"

using namespace whybits;
using namespace whybits::viz;

namespace {

struct Counted {
  std::uint64_t steps;
  std::string rounded_to;
  bool operator==(const Counted&) const = default;
};

std::vector<Counted> strips_of(const std::string& notation, std::uint64_t n) {
  const std::vector<Bits> ones(n, 0x3F80'0000);
  const OperandVector values{formats::f32, ones};
  Leaves leaves;
  leaves.a = &values;
  const Trace traced =
      trace(make_reduction(parse_topology(notation), n, LeafTypes::of(leaves)), leaves);
  const Ribbons ribbons = cut_into_ribbons(traced);
  std::vector<Counted> out;
  for (std::size_t r = 0; r < ribbons.size(); ++r) {
    const StripSteps strip = strip_steps(ribbons, r, traced);
    out.push_back({strip.steps, strip.rounded_to});
  }
  return out;
}

}  // namespace

TEST_CASE("a rounding at the end of a strip is no step that adds") {
  CHECK(strips_of("slices(4, fold(f32) > bf16, fold(f32))", 8) ==
        std::vector<Counted>{{3, "bf16"}, {3, "bf16"}, {1, ""}});
  CHECK(strips_of("slices(4, fold(f32), fold(f32)) > bf16", 8) ==
        std::vector<Counted>{{3, ""}, {3, ""}, {1, "bf16"}});
}

TEST_CASE("a strip without a rounding at its end has only steps that add") {
  CHECK(strips_of("fold(f32)", 5) == std::vector<Counted>{{4, ""}});
}
