// LayerNorm as PyTorch runs it, against a block of threads written out with the processor's f32.
#include <cmath>

#include "sim/libraries/norms/layer_norm.hpp"
#include "sim/run_recipe.hpp"
#include "tests/sim/oracle_functions.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

struct Thread {
  float n = 0, mean = 0, squares = 0;
};

Thread combine(const Thread& own, const Thread& other) {
  const float n = own.n + other.n;
  if (n == 0) return {};
  const float c = 1.0f / n;
  const float d = own.mean - other.mean;
  const float a = other.n * c, b = own.n * c;
  return {n, std::fma(a, other.mean, b * own.mean),
          std::fma((d * d) * other.n, b, own.squares + other.squares)};
}

/// Every lane i of a power of two takes in lane i + n/2, then n/4, …
Thread halve(std::vector<Thread> lanes) {
  for (std::size_t half = lanes.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] = combine(lanes[i], lanes[i + half]);
  return lanes[0];
}

Moments kernel(const std::vector<float>& x, std::size_t threads, std::size_t vector) {
  std::vector<Thread> all(threads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Thread& t = all[i / vector % threads];
    const float d = x[i] - t.mean;
    t.n += 1;
    t.mean = std::fma(d, 1.0f / t.n, t.mean);
    t.squares = std::fma(d, x[i] - t.mean, t.squares);
  }
  std::vector<Thread> warps;
  for (std::size_t w = 0; w < threads; w += 32)
    warps.push_back(halve({all.begin() + static_cast<std::ptrdiff_t>(w),
                           all.begin() + static_cast<std::ptrdiff_t>(w + 32)}));
  const Thread total = halve(warps);
  return {to_code(total.mean), to_code(total.squares)};
}

}  // namespace

TEST_CASE("Mean and squares equal those of a block of threads, idle threads included") {
  for_all(20, [](Random& random) {
    const std::size_t vector = 4;
    const std::size_t threads = random.coin() ? 128 : 32;
    const std::size_t hidden = vector * (1 + random.below(400));
    const std::vector<Bits> row = f32_codes(random, hidden, wide_float);
    std::vector<float> x;
    for (const Bits code : row) x.push_back(to_float(code));
    CAPTURE(hidden, threads);
    const LayerNormConfig config{hidden, f32, threads, vector};
    REQUIRE(layer_norm_moments(config, row) == kernel(x, threads, vector));
  });
}

TEST_CASE("Another number of threads or another vector gives other moments") {
  Random fixed(3);
  std::size_t by_threads = 0, by_vector = 0;
  for (int i = 0; i < 32; ++i) {
    const std::vector<Bits> row = f32_codes(fixed, 1000, wide_float);
    const Moments own = layer_norm_moments({1000, f32}, row);
    if (layer_norm_moments({1000, f32, 256, 4}, row) != own) ++by_threads;
    if (layer_norm_moments({1000, f32, 128, 8}, row) != own) ++by_vector;
  }
  CHECK(by_threads > 16);
  CHECK(by_vector > 16);
}

TEST_CASE("A row is centred, scaled, weighted and shifted in f32 and rounded once") {
  for_all(5, [](Random& random) {
    const std::size_t hidden = 4 * (1 + random.below(60));
    const auto codes = [&](std::size_t n) { return bf16_codes(random, n, uniform_float); };
    const std::vector<Bits> x = codes(hidden), w = codes(hidden), bias = codes(hidden);
    const LayerNormConfig config{hidden, bf16};
    const Moments moments = layer_norm_moments(config, x);
    const float eps = 1e-5f;
    const float variance = to_float(moments.squares) / static_cast<float>(hidden);
    const float rstd =
        to_float(exact::oracle_function(exact::Function::rsqrt, f32, to_code(variance + eps), f32));
    std::vector<Bits> expected;
    for (std::size_t i = 0; i < hidden; ++i)
      expected.push_back(float_to_bf16(
          std::fma(bf16_to_float(w[i]), rstd * (bf16_to_float(x[i]) - to_float(moments.mean)),
                   bf16_to_float(bias[i]))));
    const Recipe recipe = layer_norm_recipe(config, to_code(eps), oracle_functions().rsqrt);
    const Patches out = run(recipe, {{"x", input_tensor({1, hidden, bf16}, x)},
                                     {"w", input_tensor({1, hidden, bf16}, w)},
                                     {"bias", input_tensor({1, hidden, bf16}, bias)},
                                     {"mean", input_tensor({1, 1}, {moments.mean})},
                                     {"squares", input_tensor({1, 1}, {moments.squares})}});
    REQUIRE(out.at("y").codes == expected);
  });
}

TEST_CASE("A NaN makes its row's moments NaN") {
  const Moments moments =
      layer_norm_moments({8, f32}, std::vector<Bits>{0, 0, 0, 0x7fc00000, 0, 0, 0, 0});
  CHECK(moments == Moments{0x7fffffff, 0x7fffffff});
}

TEST_CASE("What is not known of layer norm is refused by name") {
  const auto refused = [](const LayerNormConfig& config, const char* with) {
    CHECK_THROWS_WITH(check_layer_norm(config), contains(with));
  };
  refused({0, bf16}, "hidden = 0");
  refused({1001, bf16}, "hidden = 1001");
  refused({1000, formats::e4m3}, "e4m3");
  refused({1000, bf16, 96}, "threads = 96");
  refused({1000, bf16, 2048}, "threads = 2048");
  refused({1000, bf16, 128, 0}, "vector = 0");
}
