// Online softmax as a scan, against loops in the processor's f32 that are written like a kernel.
#include <cmath>

#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::f32;

namespace {

struct Sizes {
  std::size_t queries = 3, keys = 150, depth = 8, width = 5;
};

struct Data {
  std::vector<Bits> q, k, v;
};

Data drawn(Random& random, const Sizes& n, float spread = 1) {
  const auto draw = [&](Random& r) { return spread * uniform_float(r); };
  return {f32_codes(random, n.queries * n.depth, draw), f32_codes(random, n.keys * n.depth, draw),
          f32_codes(random, n.keys * n.width, uniform_float)};
}

InputTensors inputs(const Sizes& n, const Data& data) {
  return {{"q", input_tensor({n.queries, n.depth, f32}, data.q)},
          {"k", input_tensor({n.keys, n.depth, f32}, data.k)},
          {"v", input_tensor({n.keys, n.width, f32}, data.v)}};
}

float exp_f32(float x) {
  return to_float(exact::oracle_function(exact::Function::exp, f32, to_code(x), f32));
}

constexpr float scale = 0.35355339f;

/// One block of keys after the other, [first, last) of each.
std::vector<Bits> kernel(const Sizes& n, const Data& data,
                         const std::vector<std::pair<std::size_t, std::size_t>>& blocks) {
  std::vector<Bits> y;
  for (std::size_t i = 0; i < n.queries; ++i) {
    float m = -INFINITY, l = 0;
    std::vector<float> o(n.width, 0.0f);
    for (const auto& [first, last] : blocks) {
      std::vector<float> p;
      for (std::size_t j = first; j < last; ++j) {
        float s = 0;
        for (std::size_t d = 0; d < n.depth; ++d)
          s = std::fma(to_float(data.q[i * n.depth + d]), to_float(data.k[j * n.depth + d]), s);
        p.push_back(s * scale);
      }
      float m_next = m;
      for (const float t : p) m_next = std::fmax(m_next, t);
      for (float& t : p) t = exp_f32(t - m_next);
      const float f = exp_f32(m - m_next);
      float sum = p[0];
      for (std::size_t j = 1; j < p.size(); ++j) sum += p[j];
      l = l * f + sum;
      for (std::size_t w = 0; w < n.width; ++w) {
        o[w] *= f;
        for (std::size_t j = first; j < last; ++j)
          o[w] = std::fma(p[j - first], to_float(data.v[j * n.width + w]), o[w]);
      }
      m = m_next;
    }
    for (const float x : o) y.push_back(to_code(x / l));
  }
  return y;
}

std::vector<std::pair<std::size_t, std::size_t>> blocks_of(std::size_t keys, std::size_t block) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  for (std::size_t first = 0; first < keys; first += block)
    blocks.emplace_back(first, std::min(keys, first + block));
  return blocks;
}

Recipe recipe(std::uint64_t block, bool descending = false) {
  return attention_recipe(block, to_code(scale), exp_operation(), parse_topology("fold(f32.fma)"),
                          parse_topology("fold(f32)"), descending);
}

std::vector<Bits> run_all(const Sizes& n, const Data& data, std::uint64_t block,
                          bool descending = false) {
  return run(recipe(block, descending), inputs(n, data)).at("y").codes;
}

}  // namespace

TEST_CASE("an online softmax equals a kernel's loops in every bit, ragged blocks included") {
  for_all(6, [](Random& random) {
    Sizes n;
    n.keys = 1 + random.below(90);
    const Data data = drawn(random, n, 4);
    const std::uint64_t block = 1 + random.below(40);
    CAPTURE(n.keys, block);
    auto blocks = blocks_of(n.keys, block);
    REQUIRE(run_all(n, data, block) == kernel(n, data, blocks));
    std::reverse(blocks.begin(), blocks.end());
    REQUIRE(run_all(n, data, block, true) == kernel(n, data, blocks));
  });
}

TEST_CASE("the number of keys in a block shows in the bits, in a count that a kernel confirms") {
  const Sizes n;
  Random fixed(7);
  const Data data = drawn(fixed, n, 4);
  const std::vector<Bits> by64 = run_all(n, data, 64);
  const std::vector<Bits> by128 = run_all(n, data, 128);
  CHECK(by64 == kernel(n, data, blocks_of(n.keys, 64)));
  CHECK(by128 == kernel(n, data, blocks_of(n.keys, 128)));
  CHECK(differences(by64, by128) == 10);  // of 15
  CHECK(differences(by64, run_all(n, data, 64, true)) == 13);
}

TEST_CASE("where all keys lie in one block, its length does not show") {
  Random fixed(8);
  Sizes n;
  n.keys = 64;
  const Data data = drawn(fixed, n, 4);
  const std::vector<Bits> by64 = run_all(n, data, 64);
  CHECK(by64 == kernel(n, data, {{0, 64}}));
  CHECK(differences(by64, run_all(n, data, 128)) == 0);
  CHECK(differences(by64, run_all(n, data, 1000, true)) == 0);
}

TEST_CASE("a scan over nothing leaves its state as it began") {
  Sizes n;
  n.keys = 0;
  const Patches out = run(recipe(16), inputs(n, {std::vector<Bits>(n.queries * n.depth), {}, {}}),
                          {{"m"}, {"l"}, {"o"}});
  CHECK(out.at("m").type == TensorType{3, 1, f32});
  CHECK(out.at("o").type == TensorType{3, 5, f32});
  CHECK(out.at("m").codes == std::vector<Bits>(3, 0xff800000));
  CHECK(out.at("o").codes == std::vector<Bits>(15, 0));
}

TEST_CASE("a chosen output of an online softmax costs its own work alone") {
  const Sizes n;
  constexpr std::uint64_t block = 32;
  constexpr std::uint64_t blocks = 5;  // of 32, 32, 32, 32 and 22
  Random fixed(9);
  const InputTensors in = inputs(n, drawn(fixed, n));
  const Recipe whole = recipe(block);
  const std::vector<Bits> all = run(whole, in).at("y").codes;

  Work work;
  const Patches one = run(whole, in, {chosen_element("y", 2, 3)}, {.work = &work});
  CHECK(one.at("y").codes == std::vector<Bits>{all[2 * n.width + 3]});
  // One row of scores with its maximum and its sum, one column of v.
  CHECK(work.blocks == blocks);
  CHECK(work.reductions == n.keys + 3 * blocks);
  CHECK(work.addends == n.keys * n.depth + 3 * n.keys);
  CHECK(work.elements == 3 * n.keys + 6 * blocks + 1);

  // The maximum needs neither exp nor v.
  Work of_maximum;
  run(whole, in, {{"m", IndexSet::all(1)}}, {.work = &of_maximum});
  CHECK(of_maximum.reductions == n.keys + blocks);
  CHECK(of_maximum.addends == n.keys * n.depth + n.keys);
  CHECK(of_maximum.elements == n.keys + blocks);
}
