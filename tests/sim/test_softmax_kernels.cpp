// softmax as libraries launch it, against threads of a block written out with the processor's f32.
#include <cmath>

#include "sim/fast/run_recipe.hpp"
#include "sim/libraries/softmax/softmax.hpp"
#include "sim/reduction.hpp"
#include "tests/sim/oracle_functions.hpp"
#include "tests/sim/simulated_threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

SoftmaxConfig config_of(const std::string& name, std::uint64_t rows, std::uint64_t columns,
                        const Format& type = f32, bool log = false) {
  const SoftmaxKernel* kernel = find_softmax_kernel(name);
  REQUIRE(kernel != nullptr);
  return {*kernel, rows, columns, type, log};
}

float sum_by(const SoftmaxConfig& config, const std::vector<Bits>& addends) {
  const OperandVector x(f32, addends);
  Leaves leaves;
  leaves.a = &x;
  const SoftmaxOrder order = softmax_order(config);
  return to_float(
      evaluate(make_reduction(order.sum, addends.size(), LeafTypes::of(leaves)), leaves));
}

std::vector<float> floats(const std::vector<Bits>& codes) {
  std::vector<float> x;
  for (const Bits code : codes) x.push_back(to_float(code));
  return x;
}

float one_warp(const std::vector<float>& x) {
  std::vector<float> lanes(32, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 32] += x[i];
  return warp_totals(std::move(lanes), downward)[0];
}

/// 1024 threads: vectors while whole groups of 1024 of them last, then one by one.
float block(const std::vector<float>& x, std::size_t vector) {
  std::vector<float> threads(1024, 0.0f);
  const std::size_t whole = x.size() / (1024 * vector) * (1024 * vector);
  for (std::size_t i = 0; i < whole; ++i) threads[i / vector % 1024] += x[i];
  for (std::size_t i = whole; i < x.size(); ++i) threads[(i - whole) % 1024] += x[i];
  return halved(warp_totals(std::move(threads), downward));
}

/// The last vectors too: not all threads have as many.
float block_of_whole_vectors(const std::vector<float>& x, std::size_t vector) {
  std::vector<float> threads(1024, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) threads[i / vector % 1024] += x[i];
  return halved(warp_totals(std::move(threads), downward));
}

float exp_f32(float x) {
  return to_float(exact::oracle_function(exact::Function::exp, f32, to_code(x), f32));
}

}  // namespace

TEST_CASE("The sum of a softmax of every length is that of its warp or block of threads") {
  for_all(12, [](Random& random) {
    const auto sum = [&](std::uint64_t n, const Format& type, auto expected) {
      CAPTURE(n);
      const std::vector<Bits> e = f32_codes(random, n, uniform_float);
      REQUIRE(sum_by(config_of("torch", 1, n, type), e) == expected(floats(e)));
    };
    const auto warp = [](const std::vector<float>& x) { return one_warp(x); };
    const auto by = [](std::size_t vector) {
      return [vector](const std::vector<float>& x) { return block(x, vector); };
    };
    const auto whole = [](std::size_t vector) {
      return [vector](const std::vector<float>& x) { return block_of_whole_vectors(x, vector); };
    };
    sum(1 + random.below(2048), f32, warp);
    sum(2049 + random.below(9216 - 2048), f32, by(1));
    sum(4 * (2305 + random.below(750)), f32, whole(4));  // 9220 … 12252
    sum(12256 + 4 * random.below(5000), f32, by(4));
    sum(4 * (2305 + random.below(3000)) + 1 + random.below(3), f32, by(4));
    sum(8 * (1153 + random.below(1900)), bf16, whole(8));  // 9224 … 24504
    sum(24512 + 8 * random.below(3000), bf16, by(8));
  });
}

TEST_CASE("The lengths where torch.softmax changes its order are those of its source") {
  const auto regime = [](std::uint64_t n, const Format& type = f32) {
    return std::string(softmax_order(config_of("torch", 1, n, type)).regime);
  };
  CHECK(regime(1) == "one warp");
  CHECK(regime(2048) == "one warp");
  CHECK(regime(2049) == "in registers");
  CHECK(regime(9216) == "in registers");
  CHECK(regime(9217) == "in vectors");
  CHECK(regime(9220) == "in shared memory");
  CHECK(regime(12252) == "in shared memory");
  CHECK(regime(12256) == "in vectors");
  CHECK(regime(24504, bf16) == "in shared memory");
  CHECK(regime(24512, bf16) == "in vectors");
}

TEST_CASE("Rows move the sum of a composed softmax, and of no other") {
  const auto tree = [](const char* name, std::uint64_t rows, bool log) {
    return make_reduction(softmax_order(config_of(name, rows, 4096, f32, log)).sum, 4096,
                          {.a = f32})
        .tree;
  };
  CHECK_FALSE(tree("composed", 1, false) == tree("composed", 64, false));
  CHECK(tree("torch", 1, false) == tree("torch", 64, false));
  CHECK(tree("triton", 1, true) == tree("triton", 64, true));
}

TEST_CASE("softmax and its logarithm equal a kernel's loops in every bit") {
  for_all(3, [](Random& random) {
    constexpr std::size_t rows = 2;
    const std::size_t n = 1 + random.below(300);
    const bool log = random.coin();
    const std::vector<Bits> codes =
        f32_codes(random, rows * n, [](Random& r) { return 8 * uniform_float(r); });
    std::vector<Bits> expected;
    for (std::size_t r = 0; r < rows; ++r) {
      float most = -INFINITY;
      for (std::size_t i = 0; i < n; ++i) most = std::fmax(most, to_float(codes[r * n + i]));
      std::vector<float> e;
      for (std::size_t i = 0; i < n; ++i) e.push_back(exp_f32(to_float(codes[r * n + i]) - most));
      const float sum = one_warp(e);
      const float log_sum =
          to_float(exact::oracle_function(exact::Function::log, f32, to_code(sum), f32));
      for (std::size_t i = 0; i < n; ++i)
        expected.push_back(
            to_code(log ? (to_float(codes[r * n + i]) - most) - log_sum : e[i] / sum));
    }
    const SoftmaxConfig config = config_of("torch", rows, n, f32, log);
    const Recipe recipe = softmax_recipe(config, softmax_order(config), oracle_functions());
    const InputTensors inputs{{"x", input_tensor({rows, n, f32}, codes)}};
    CAPTURE(n, log);
    REQUIRE(run(recipe, inputs).at("y").codes == expected);
    REQUIRE(fast::run(bind_recipe(recipe, types_of(inputs)), inputs, {{"y"}}).at("y").codes ==
            expected);
  });
}

TEST_CASE("Rows of NaN, of infinity and of nothing but -infinity give NaN, one element gives 1") {
  const auto y = [](std::vector<Bits> x) {
    const SoftmaxConfig config = config_of("torch", 1, x.size());
    const Recipe recipe = softmax_recipe(config, softmax_order(config), oracle_functions());
    const TensorType type{1, x.size(), f32};
    return run(recipe, {{"x", input_tensor(type, std::move(x))}}).at("y").codes;
  };
  constexpr Bits nan = 0x7fffffff, inf = 0x7f800000, minus_inf = 0xff800000, one = 0x3f800000;
  CHECK(y({one, 0x7fc00001}) == std::vector<Bits>(2, nan));
  CHECK(y({one, inf})[1] == nan);
  CHECK(y({minus_inf, minus_inf, minus_inf}) == std::vector<Bits>(3, nan));
  CHECK(y({0xc2c80000}) == std::vector<Bits>{one});
  CHECK(y({one, minus_inf}) == std::vector<Bits>{one, 0});
}

TEST_CASE("What is not known of a softmax kernel is refused by name") {
  const auto refused = [](const SoftmaxConfig& config, const char* with) {
    CHECK_THROWS_WITH(softmax_order(config), contains(with));
  };
  refused(config_of("torch", 2, 9217), "columns = 9217");
  refused(config_of("torch", 0, 10), "rows = 0");
  refused(config_of("torch", 1, 0), "columns = 0");
  refused(config_of("torch", 1, 10, formats::e4m3), "e4m3");
  refused(config_of("triton", 1, 10), "triton has no softmax");
  refused(config_of("composed", 1, 10, f32, true), "composed has no log_softmax");
  CHECK(find_softmax_kernel("Torch") == nullptr);
}
