// Recordings of row sums, of rounded products, of tiles with different topologies, and of sums
// whose order nobody defines. Outputs are made by the processor's own f32 operations.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "lab/usage_error.hpp"
#include "lab/vector_source.hpp"
#include "lab/verify.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;

namespace {

constexpr std::array<float, 4> x{1e8f, 1.0f, -1e8f, 3.0f};

Recording sums(const std::string& topology, std::vector<float> out) {
  Recording recording;
  recording.name = "sums";
  recording.source = {{"device", "cpu"}, {"date", "2026-11-30"}};
  recording.library = {"cpu", "1", {}};
  recording.kernel = "by hand";
  recording.computation = RecordedComputation::row_sums;
  recording.shape.m = out.size();
  recording.shape.n = 1;
  recording.shape.k = x.size();
  recording.types.a = recording.types.accumulate = recording.types.out = formats::f32;
  HexInput a;
  for (std::size_t row = 0; row < out.size(); ++row)
    for (const float value : x) a.words.push_back(std::bit_cast<std::uint32_t>(value));
  recording.inputs["a"] = a;
  recording.topology = topology;
  std::vector<Bits> codes;
  for (const float value : out) codes.push_back(std::bit_cast<std::uint32_t>(value));
  set_output(recording, words_from_codes(formats::f32, codes));
  return recording;
}

/// a is x as a column, b is 3, 5: out[i][j] = x[i] · b[j].
Recording products(const std::string& topology, const std::vector<float>& out) {
  Recording recording = sums(topology, out);
  recording.computation = RecordedComputation::gemm;
  recording.shape.m = 2;
  recording.shape.n = 2;
  recording.shape.k = 2;
  recording.types.b = formats::f32;
  const auto code = [](float value) -> Bits { return std::bit_cast<std::uint32_t>(value); };
  recording.inputs["a"] = HexInput{{code(x[0]), code(x[1]), code(x[2]), code(x[3])}};
  recording.inputs["b"] = HexInput{{code(1.1f), code(1.3f), code(0.7f), code(0.9f)}};
  return recording;
}

float rounded_products(std::size_t row, float b0, float b1) {
  const volatile float first = x[2 * row] * b0, second = x[2 * row + 1] * b1;
  return 0.0f + first + second;
}
float fused_products(std::size_t row, float b0, float b1) {
  return std::fma(x[2 * row + 1], b1, std::fma(x[2 * row], b0, 0.0f));
}

}  // namespace

TEST_CASE("row sums are checked row by row, and survive writing and reading") {
  const float folded = ((x[0] + x[1]) + x[2]) + x[3];
  const float paired = (x[0] + x[1]) + (x[2] + x[3]);
  REQUIRE(folded != paired);
  const Recording recording = sums("fold(f32)", {folded, folded, paired});
  const Verification v = verify(recording, false);
  CHECK(v.compared == 3);
  CHECK(v.wrong == 1);
  CHECK(v.first_wrong_place == "[2]");
  const Recording copy = parse_recording(recording_text(recording), "copy");
  CHECK(copy.computation == RecordedComputation::row_sums);
  CHECK(copy.shape == recording.shape);
  CHECK(verify(copy, false).wrong == 1);
  CHECK(verify(sums("pairs(f32)", {paired}), false).passed());
}

TEST_CASE("an open order accepts what some order gives, and nothing beside it") {
  // 1 and 3 vanish beside 1e8, or do not: 0, 1, 3 or 4.
  const Verification v = verify(sums("any(f32)", {0.0f, 3.0f, 4.0f, 1.0f, 2.0f}), true);
  CHECK(v.compared == 5);
  CHECK(v.wrong == 1);
  CHECK(v.first_wrong_place == "[4]");
  const auto moved = std::ranges::find(v.controls, "outputs moved by one ulp", &ControlCount::name);
  REQUIRE(moved != v.controls.end());
  CHECK(moved->wrong == 5);
  Recording hash_only = sums("any(f32)", {0.0f});
  hash_only.output.words.reset();
  CHECK(verify(hash_only, true).unsupported.has_value());
}

TEST_CASE("products rounded before they are added are another computation than fused ones") {
  const std::vector<float> rounded{rounded_products(0, 1.1f, 0.7f), rounded_products(0, 1.3f, 0.9f),
                                   rounded_products(1, 1.1f, 0.7f),
                                   rounded_products(1, 1.3f, 0.9f)};
  const std::vector<float> fused{fused_products(0, 1.1f, 0.7f), fused_products(0, 1.3f, 0.9f),
                                 fused_products(1, 1.1f, 0.7f), fused_products(1, 1.3f, 0.9f)};
  Recording recording = products("fold(f32, from=0)", rounded);
  recording.types.product = formats::f32;
  CHECK(verify(recording, false).passed());
  const Recording copy = parse_recording(recording_text(recording), "copy");
  CHECK(copy.types.product == formats::f32);
  CHECK(verify(products("fold(f32.fma)", fused), false).passed());
  CHECK_THROWS_WITH(verify(products("fold(f32)", rounded), false), contains("topology"));
}

TEST_CASE("a map gives every region of a product its own topology") {
  const std::vector<float> mixed{fused_products(0, 1.1f, 0.7f), 0, 0, 0};
  const std::string one = "{ [0,1): fold(f32.fma); [1,4): reverse(fold(f32.fma)) }";
  Recording recording = products(one, mixed);
  const Verification v = verify(recording, true);
  CHECK(v.topology == one);
  CHECK(v.compared == 4);
  CHECK(v.first_wrong == std::optional<std::uint64_t>(1));
  const std::string gap = "{ [0,1): fold(f32.fma); [2,4): fold(f32.fma) }";
  CHECK_THROWS_WITH(verify(products(gap, mixed), true), contains("no topology for outputs 1 to 1"));
  const std::string brief = "{ [0,3): fold(f32.fma) }";
  CHECK_THROWS_WITH(verify(products(brief, mixed), true), contains("3 outputs, there are 4"));
}
