// Sums over a token's experts, and the experts themselves.
#include "sim/libraries/moe/combine.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

Bits by(const char* name, const std::vector<Bits>& terms) {
  const OperandVector x(bf16, terms);
  Leaves leaves;
  leaves.a = &x;
  const MoeCombine* combine = find_moe_combine(name);
  REQUIRE(combine != nullptr);
  return evaluate(make_reduction(moe_combine_sum(*combine, terms.size(), bf16), terms.size(),
                                 LeafTypes::of(leaves)),
                  leaves);
}

Bits rounded_every_time(const std::vector<Bits>& terms) {
  Bits acc = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i)
    acc = float_to_bf16(bf16_to_float(acc) + bf16_to_float(terms[i]));
  return acc;
}
Bits rounded_once(const std::vector<Bits>& terms) {
  float acc = bf16_to_float(terms[0]);
  for (std::size_t i = 1; i < terms.size(); ++i) acc += bf16_to_float(terms[i]);
  return float_to_bf16(acc);
}

}  // namespace

TEST_CASE("Terms of experts are added as the loops of either version do") {
  for_all(200, [](Random& random) {
    const std::vector<Bits> terms = bf16_codes(random, 1 + random.below(8), wide_float);
    REQUIRE(by("chain", terms) == rounded_every_time(terms));
    REQUIRE(by("vllm", terms) == rounded_once(terms));
    if (terms.size() <= 4) REQUIRE(by("vllm-old", terms) == rounded_every_time(terms));
  });
}

TEST_CASE("Two experts must not differ, four and eight do, in about a third and a half") {
  const auto differ = [](std::size_t k) {
    Random fixed(11);
    std::size_t count = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::vector<Bits> terms = bf16_codes(fixed, k, uniform_float);
      if (by("chain", terms) != by("vllm", terms)) ++count;
    }
    return count;
  };
  CHECK(differ(1) == 0);
  CHECK(differ(2) == 0);
  CHECK(differ(4) > 500);
  CHECK(differ(4) < 900);
  CHECK(differ(8) > 900);
  CHECK(differ(8) < 1200);
}

TEST_CASE("The largest logits choose the experts, equal ones the lower number, NaN none") {
  const auto top = [](const std::vector<float>& logits, std::uint64_t k) {
    std::vector<Bits> codes;
    for (const float x : logits) codes.push_back(to_code(x));
    return top_experts(f32, codes, k);
  };
  using List = std::vector<std::uint32_t>;
  CHECK(top({1, 3, 2}, 2) == List{1, 2});
  CHECK(top({2, 3, 2, 3}, 3) == List{1, 3, 0});
  CHECK(top({-1, -2, -0.5f}, 2) == List{2, 0});
  CHECK(top({-0.0f, 0.0f}, 1) == List{0});
  CHECK(top({NAN, -INFINITY, 1}, 3) == List{2, 1, 0});
  CHECK(top({5}, 0).empty());
}

TEST_CASE("What is not known of a combine is refused by name") {
  const auto refused = [](const char* name, std::uint64_t k, const Format& type, const char* with) {
    CHECK_THROWS_WITH(moe_combine_sum(*find_moe_combine(name), k, type), contains(with));
  };
  refused("vllm", 0, bf16, "k = 0");
  refused("vllm-old", 5, bf16, "k = 5");
  refused("vllm", 2, formats::e5m2, "e5m2");
  CHECK(find_moe_combine("sum") == nullptr);
}
