// RMSNorm at two block sizes, against the threads of a block in the processor's f32.
#include <cmath>

#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/sim/simulated_threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

struct Norm {
  std::uint64_t rows, hidden, threads, vector;
};

const Bits eps = to_code(1e-6f);

struct Data {
  std::vector<Bits> x, w;
};

Data drawn(Random& random, const Norm& norm) {
  return {bf16_codes(random, norm.rows * norm.hidden, uniform_float),
          bf16_codes(random, norm.hidden, uniform_float)};
}

InputTensors inputs(const Norm& norm, const Data& data) {
  return {{"x", input_tensor({norm.rows, norm.hidden, bf16}, data.x)},
          {"w", input_tensor({1, norm.hidden, bf16}, data.w)}};
}

/// What the block adds up for a row: threads take vectors in turn, warps shuffle down by 1, 2, 4, 8
/// and 16, thread 0 adds the warps' totals.
float sum_of_squares(const Norm& norm, const Data& data, std::size_t row) {
  std::vector<float> threads(norm.threads, 0.0f);
  for (std::size_t i = 0; i < norm.hidden; ++i) {
    const float x = bf16_to_float(data.x[row * norm.hidden + i]);
    float& acc = threads[i / norm.vector % norm.threads];
    acc = std::fma(x, x, acc);
  }
  return folded(warp_totals(std::move(threads), upward));
}

std::vector<Bits> kernel(const Norm& norm, const Data& data) {
  std::vector<Bits> y;
  for (std::size_t row = 0; row < norm.rows; ++row) {
    const float mean = sum_of_squares(norm, data, row) / static_cast<float>(norm.hidden);
    const float shifted = mean + to_float(eps);
    const float scale =
        to_float(exact::oracle_function(exact::Function::rsqrt, f32, to_code(shifted), f32));
    for (std::size_t i = 0; i < norm.hidden; ++i) {
      const float scaled = bf16_to_float(data.x[row * norm.hidden + i]) * scale;
      y.push_back(float_to_bf16(scaled * bf16_to_float(data.w[i])));
    }
  }
  return y;
}

Recipe recipe(const Norm& norm) {
  return rms_norm_recipe(parse_topology("lanes(" + std::to_string(norm.threads) +
                                        ", by=" + std::to_string(norm.vector) +
                                        ", fold(f32.fma), slices(32, pairs(f32), fold(f32)))"),
                         to_code(static_cast<float>(norm.hidden)), eps);
}

std::vector<Bits> bits(const Norm& norm, const Data& data, const std::string& tensor) {
  return run(recipe(norm), inputs(norm, data), {{tensor}}).at(tensor).codes;
}

}  // namespace

TEST_CASE("an RMSNorm equals a block's threads in every bit") {
  for_all(8, [](Random& random) {
    Norm norm{2, 1 + random.below(700), 32 * (1 + random.below(8)), 1 + random.below(8)};
    const Data data = drawn(random, norm);
    CAPTURE(norm.hidden, norm.threads, norm.vector);
    REQUIRE(bits(norm, data, "y") == kernel(norm, data));
  });
}

TEST_CASE("1024 and 256 threads differ in a count that the threads confirm") {
  Random fixed(11);
  const Norm wide{48, 4096, 1024, 1};
  const Norm narrow{48, 4096, 256, 1};
  const Data data = drawn(fixed, wide);
  const std::vector<Bits> y_wide = bits(wide, data, "y");
  const std::vector<Bits> y_narrow = bits(narrow, data, "y");
  CHECK(y_wide == kernel(wide, data));
  CHECK(y_narrow == kernel(narrow, data));
  CHECK(differences(bits(wide, data, "sum"), bits(narrow, data, "sum")) == 35);  // of 48 rows
  CHECK(differences(y_wide, y_narrow) == 5);                                     // of 196,608
}

TEST_CASE("a hidden size of 2048 in vectors of 8 fills 256 threads whatever the limit") {
  // block = min(hidden / vector, limit): 256 under the limit of 1024 as of 256, one topology.
  const auto topology = [](std::uint64_t hidden, std::uint64_t limit) {
    const Norm norm{1, hidden, std::min<std::uint64_t>(hidden / 8, limit), 8};
    const Recipe whole = recipe(norm);
    return bind_recipe(whole, {{"x", {1, hidden, bf16}}, {"w", {1, hidden, bf16}}})
        .steps[2]
        .reductions[0]
        .tree;
  };
  CHECK(topology(2048, 1024) == topology(2048, 256));
  CHECK_FALSE(topology(4096, 1024) == topology(4096, 256));
}

TEST_CASE("a chosen element of a norm costs one reduction") {
  Random fixed(12);
  const Norm norm{6, 512, 128, 4};
  const Data data = drawn(fixed, norm);
  const std::vector<Bits> all = bits(norm, data, "y");
  Work work;
  const Patches one =
      run(recipe(norm), inputs(norm, data), {chosen_element("y", 4, 77)}, {.work = &work});
  CHECK(one.at("y").codes == std::vector<Bits>{all[4 * 512 + 77]});
  CHECK(work == Work{.elements = 6, .reductions = 1, .addends = 512, .blocks = 0});
}
