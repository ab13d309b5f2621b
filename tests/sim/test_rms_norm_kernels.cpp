// RMSNorm as libraries launch it, against threads of a block written out with the processor's f32.
#include <cmath>
#include <numeric>

#include "sim/libraries/norms/rms_norm.hpp"
#include "sim/reduction.hpp"
#include "tests/sim/simulated_threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

RmsNormConfig config_of(const std::string& name, std::uint64_t tokens, std::uint64_t hidden,
                        const Format& type = bf16) {
  const RmsNormKernel* kernel = find_rms_norm_kernel(name);
  REQUIRE(kernel != nullptr);
  return {*kernel, tokens, hidden, type};
}

/// The sum of a row's squares as the table's topology has it.
float sum_by(const RmsNormConfig& config, const std::vector<Bits>& row) {
  const RmsNormOrder order = rms_norm_order(config);
  const OperandVector x(config.type, row);
  Leaves leaves;
  leaves.a = leaves.b = &x;
  if (order.rounded_squares) leaves.product = Conversion{f32, {}};
  return to_float(evaluate(make_reduction(order.sum, row.size(), LeafTypes::of(leaves)), leaves));
}

std::vector<float> widened(const std::vector<Bits>& row) {
  std::vector<float> x;
  for (const Bits code : row) x.push_back(bf16_to_float(code));
  return x;
}

/// Thread t takes elements in vectors t, t + threads, … into one accumulator, fused.
std::vector<float> threads_by_vectors(const std::vector<float>& x, std::size_t threads,
                                      std::size_t vector) {
  std::vector<float> acc(threads, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    float& own = acc[i / vector % threads];
    own = std::fma(x[i], x[i], own);
  }
  return acc;
}

float cub(std::vector<float> threads) {
  return folded(warp_totals(std::move(threads), upward));
}

float vllm(const std::vector<float>& x, std::size_t limit) {
  const std::size_t vector = std::gcd(std::size_t{8}, x.size());
  return cub(threads_by_vectors(x, std::min(x.size() / vector, limit), vector));
}

float vllm_fused_add(const std::vector<float>& x, std::size_t limit) {
  std::vector<float> acc(std::min(x.size(), limit), 0.0f);
  for (std::size_t begin = 0; begin < x.size(); begin += 8) {
    float own = 0.0f;
    for (std::size_t i = begin; i < begin + 8; i += 2) own += x[i] * x[i] + x[i + 1] * x[i + 1];
    acc[begin / 8 % acc.size()] += own;
  }
  return cub(std::move(acc));
}

float torch(const std::vector<float>& x) {
  const std::vector<float> warps = warp_totals(threads_by_vectors(x, 128, 4), downward);
  return (warps[0] + warps[2]) + (warps[1] + warps[3]);
}

/// tl.sum of a block of 1024 by 128 threads of 8 neighbouring elements, masked ones zero; totals of
/// blocks from left to right.
float triton(const std::vector<float>& x, bool tree) {
  float total = 0.0f;
  for (std::size_t begin = 0; begin < x.size(); begin += 1024) {
    std::vector<float> threads;
    for (std::size_t t = 0; t < 128; ++t) {
      std::vector<float> own(8, 0.0f);
      for (std::size_t i = 0; i < 8; ++i)
        if (const std::size_t at = begin + 8 * t + i; at < x.size()) own[i] = x[at] * x[at];
      for (std::size_t distance = 1; tree && distance < 8; distance *= 2)
        for (std::size_t i = 0; i + distance < 8; i += 2 * distance) own[i] += own[i + distance];
      threads.push_back(tree ? own[0] : folded(own));
    }
    total += halved(warp_totals(std::move(threads), downward));
  }
  return total;
}

}  // namespace

TEST_CASE("Every kernel adds a row's squares as its block of threads does") {
  for_all(40, [](Random& random) {
    const std::uint64_t hidden = 8 * (1 + random.below(1100));
    const std::uint64_t tokens = random.below(2) == 0 ? 1 : 256;
    const std::size_t limit = tokens < 256 ? 1024 : 256;
    const std::vector<Bits> row = bf16_codes(random, hidden, uniform_float);
    const std::vector<float> x = widened(row);
    CAPTURE(hidden, tokens);
    const auto sum = [&](const char* name) { return sum_by(config_of(name, tokens, hidden), row); };
    REQUIRE(sum("vllm") == vllm(x, limit));
    REQUIRE(sum("vllm-old-epilogue") == vllm(x, limit));
    REQUIRE(sum("vllm-invariant") == vllm(x, 1024));
    REQUIRE(sum("vllm-fused-add") == vllm_fused_add(x, limit));
    REQUIRE(sum("vllm-fused-add-scalar") ==
            cub(threads_by_vectors(x, std::min<std::size_t>(hidden, limit), 1)));
    REQUIRE(sum("vllm-fused-add-invariant") ==
            cub(threads_by_vectors(x, std::min<std::size_t>(hidden, 1024), 1)));
    REQUIRE(sum("torch") == torch(x));
    REQUIRE(sum("triton") == triton(x, true));
    REQUIRE(sum("triton-3.6") == triton(x, false));
  });
}

TEST_CASE("A hidden size that no vector divides goes element by element") {
  for_all(20, [](Random& random) {
    const std::uint64_t hidden = 1 + 2 * random.below(1500);
    const std::vector<Bits> row = bf16_codes(random, hidden, uniform_float);
    CAPTURE(hidden);
    REQUIRE(sum_by(config_of("vllm", 1, hidden), row) == vllm(widened(row), 1024));
  });
}

TEST_CASE("Tokens move the block at 256 and nowhere else, and only where the limit binds") {
  const auto threads = [](const char* name, std::uint64_t tokens, std::uint64_t hidden) {
    return rms_norm_order(config_of(name, tokens, hidden)).threads;
  };
  CHECK(threads("vllm", 255, 4096) == 512);
  CHECK(threads("vllm", 256, 4096) == 256);
  CHECK(threads("vllm", 255, 2048) == 256);
  CHECK(threads("vllm", 256, 2048) == 256);
  CHECK(threads("vllm", 255, 16384) == 1024);
  CHECK(threads("vllm-invariant", 4096, 16384) == 1024);
  CHECK(threads("vllm-fused-add", 1, 4096) == 1024);
  CHECK(threads("vllm-fused-add", 256, 4096) == 256);
  CHECK(threads("torch", 1, 4096) == 128);
  CHECK(threads("torch", 4096, 4096) == 128);
}

TEST_CASE("A vector of f32 has four elements") {
  CHECK(rms_norm_order(config_of("vllm", 1, 4096, f32)).vector == 4);
  CHECK(rms_norm_order(config_of("vllm", 1, 4096, f32)).threads == 1024);
  CHECK(rms_norm_order(config_of("vllm", 1, 4098, f32)).vector == 2);
}

TEST_CASE("What is not known of a norm kernel is refused by name") {
  const auto refused = [](const RmsNormConfig& config, const char* with) {
    CHECK_THROWS_WITH(rms_norm_order(config), contains(with));
  };
  refused(config_of("torch", 1, 4095), "hidden = 4095");
  refused(config_of("vllm-fused-add", 1, 4095), "hidden = 4095");
  refused(config_of("vllm-fused-add", 1, 4096, f32), "16 bits");
  refused(config_of("vllm", 0, 4096), "tokens = 0");
  refused(config_of("vllm", 1, 0), "hidden = 0");
  refused(config_of("vllm", 1, 4096, formats::e4m3), "e4m3");
  CHECK(find_rms_norm_kernel("vLLM") == nullptr);
}
