// FlashAttention's forward pass as a recipe, against loops that are written like the kernel: four
// threads share a row of scores, blocks of keys come from the last to the first, splits are
// combined. The matrix unit is that of evaluate(), which is compared with recordings elsewhere.
#include <algorithm>
#include <cmath>

#include "sim/arith.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/libraries/attention/flash_recipe.hpp"
#include "sim/libraries/attention/prefill.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/sim/oracle_functions.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

float function(exact::Function f, float x) {
  return to_float(exact::oracle_function(f, f32, to_code(x), f32));
}
float ex2(float x) {
  return function(exact::Function::exp2, x);
}

FlashPlan plan_of(const AttentionShape& shape, const FlashWish& wish = {},
                  const char* kernel = "torch") {
  return flash_plan(*find_flash_kernel(kernel), shape, wish);
}

/// One dot product by the matrix unit, onto c.
float unit(const char* name, const std::vector<Bits>& a, const std::vector<Bits>& b, float c) {
  const OperandVector x(bf16, a), y(bf16, b);
  Leaves leaves;
  leaves.a = &x;
  leaves.b = &y;
  leaves.c = Scalar{f32, to_code(c)};
  return to_float(evaluate(make_reduction(parse_topology(std::string("fold(") + name + ")"),
                                          a.size(), LeafTypes::of(leaves)),
                           leaves));
}

struct Data {
  std::size_t d, keys;
  std::vector<Bits> q, k, v;  // one query
};

struct Result {
  std::vector<float> o;
  float lse = 0;
};

/// Keys [begin, end) of one query, of which it sees those up to `last`.
Result one_split(const Data& data, const FlashPlan& plan, float scale, std::size_t begin,
                 std::size_t end, std::size_t last) {
  const bool fused = plan.kernel.fused_scores;
  const char* mma = fused ? "sm90.wgmma.bf16" : "sm90.mma.bf16";
  const float c = static_cast<float>(static_cast<double>(scale) * std::log2(std::exp(1.0)));
  float m = -INFINITY;
  float l[4] = {0, 0, 0, 0};
  Result r{std::vector<float>(data.d, 0.0f)};
  const std::size_t blocks = (end - begin + plan.block - 1) / plan.block;
  for (std::size_t i = blocks; i-- > 0;) {
    const std::size_t from = begin + i * plan.block;
    const std::size_t n = std::min(end, from + plan.block) - from;
    std::vector<float> s(n);
    float m_next = m;
    for (std::size_t j = 0; j < n; ++j) {
      const auto key = data.k.begin() + static_cast<std::ptrdiff_t>((from + j) * data.d);
      s[j] = unit(mma, data.q, {key, key + static_cast<std::ptrdiff_t>(data.d)}, 0);
      if (from + j > last) s[j] = -INFINITY;
      m_next = std::fmax(m_next, s[j]);
    }
    const float below = m_next == -INFINITY ? 0.0f : m_next * c;
    const float f = m == -INFINITY ? 0.0f : ex2((m - m_next) * c);
    std::vector<float> p(n);
    for (std::size_t j = 0; j < n; ++j)
      p[j] = ex2(fused ? std::fma(s[j], c, -below) : s[j] * c - below);
    for (std::size_t thread = 0; thread < 4; ++thread) {
      bool begun = false;
      for (std::size_t j = 0; j < n; ++j) {
        if (j % 8 / 2 != thread) continue;
        l[thread] = begun ? l[thread] + p[j] : std::fma(l[thread], f, p[j]);
        begun = true;
      }
      if (!begun) l[thread] *= f;
    }
    for (std::size_t w = 0; w < data.d; ++w) {
      std::vector<Bits> weights, column;
      for (std::size_t j = 0; j < n; ++j) {
        weights.push_back(float_to_bf16(p[j]));
        column.push_back(data.v[(from + j) * data.d + w]);
      }
      r.o[w] = unit(mma, weights, column, r.o[w] * f);
    }
    m = m_next;
  }
  const float sum = (l[0] + l[2]) + (l[1] + l[3]);
  const bool empty = sum == 0 || std::isnan(sum);
  const float inverse = empty ? 1.0f : 1.0f / sum;
  for (float& o : r.o) o *= inverse;
  r.lse = empty ? -INFINITY : std::fma(m, scale, function(exact::Function::log, sum));
  return r;
}

/// What the combining kernel makes of splits.
Result combined(const std::vector<Result>& splits, std::size_t lanes) {
  float most = -INFINITY;
  for (const Result& split : splits) most = std::fmax(most, split.lse);
  if (most == -INFINITY) most = 0;
  std::vector<float> sums(lanes, 0.0f);
  for (std::size_t i = 0; i < splits.size(); ++i)
    sums[i % lanes] += function(exact::Function::exp, splits[i].lse - most);
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  Result r{std::vector<float>(splits[0].o.size(), 0.0f)};
  r.lse = function(exact::Function::log, sums[0]) + most;
  for (const Result& split : splits) {
    const float w = function(exact::Function::exp, split.lse - r.lse);
    for (std::size_t i = 0; i < r.o.size(); ++i) r.o[i] = std::fma(w, split.o[i], r.o[i]);
  }
  return r;
}

Data drawn(Random& random, std::size_t d, std::size_t keys, float spread = 2) {
  const auto wider = [spread](Random& r) { return spread * uniform_float(r); };
  return {d, keys, bf16_codes(random, d, wider), bf16_codes(random, keys * d, uniform_float),
          bf16_codes(random, keys * d, uniform_float)};
}

InputTensors inputs_of(const Data& data, const FlashPlan& plan, std::size_t keys,
                       std::size_t last) {
  InputTensors inputs{{"q", input_tensor({1, data.d, bf16}, data.q)}};
  std::size_t i = 0;
  for (const FlashSplit& split : flash_split_ranges(plan, keys)) {
    const std::string n = std::to_string(i++);
    const std::size_t count = split.end - split.begin;
    const auto part = [&](const std::vector<Bits>& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(split.begin * data.d);
      return input_tensor({count, data.d, bf16},
                          {begin, begin + static_cast<std::ptrdiff_t>(count * data.d)});
    };
    inputs["k" + n] = part(data.k);
    inputs["v" + n] = part(data.v);
    inputs["first" + n] = input_tensor({count, 4}, flash_columns(plan, count, true));
    inputs["rest" + n] = input_tensor({count, 4}, flash_columns(plan, count, false));
    std::vector<Bits> mask;
    for (std::size_t key = split.begin; key < split.end; ++key)
      mask.push_back(key <= last ? 0 : 0xff800000);
    if (plan.shape.causal) inputs["mask" + n] = input_tensor({1, count}, mask);
  }
  return inputs;
}

constexpr float scale = 0.25f;

Patches run_recipe(const Data& data, const FlashPlan& plan, std::size_t query, bool fast = true) {
  const std::size_t keys = flash_keys(plan, query);
  const std::size_t last = plan.shape.causal ? query + data.keys - plan.shape.queries : data.keys;
  const InputTensors inputs = inputs_of(data, plan, keys, last);
  const std::size_t splits = flash_split_ranges(plan, keys).size();
  const BoundRecipe bound =
      bind_recipe(flash_recipe(plan, splits, to_code(scale), oracle_functions()), types_of(inputs));
  const Selection chosen{{.tensor = "lse"}, {.tensor = "y"}};
  return fast ? fast::run(bound, inputs, chosen) : run(bound, inputs, chosen);
}

void check(const Data& data, const FlashPlan& plan, std::size_t query, std::size_t lanes) {
  const std::size_t keys = flash_keys(plan, query);
  const std::size_t last = plan.shape.causal ? query + data.keys - plan.shape.queries : data.keys;
  std::vector<Result> splits;
  for (const FlashSplit& split : flash_split_ranges(plan, keys))
    splits.push_back(one_split(data, plan, scale, split.begin, split.end, last));
  const Result expected = plan.splits > 1 ? combined(splits, lanes) : splits[0];
  std::vector<Bits> y;
  for (const float o : expected.o) y.push_back(float_to_bf16(o));
  const Patches got = run_recipe(data, plan, query);
  REQUIRE(got.at("lse").codes[0] == to_code(expected.lse));
  REQUIRE(got.at("y").codes == y);
  REQUIRE(run_recipe(data, plan, query, false).at("y").codes == y);
}

}  // namespace

TEST_CASE("Attention equals the kernel's loops in every bit, ragged blocks and splits included") {
  for_all(4, [](Random& random) {
    const std::size_t keys = 1 + random.below(500);
    const Data data = drawn(random, 64, keys);
    const AttentionShape shape{.keys = keys, .head_size = 64};
    CAPTURE(keys);
    check(data, plan_of(shape, {.splits = 1}), 0, 0);
    check(data, plan_of(shape, {.block = 64, .splits = 1}), 0, 0);
    check(data, plan_of(shape, {.block = 32, .splits = 3}), 0, 4);
    check(data, plan_of(shape, {.block = 16, .splits = 20}), 0, 16);
    check(data, plan_of(shape, {.block = 176}, "fa3"), 0, 0);
  });
}

TEST_CASE("A causal query sees nothing behind it") {
  for_all(3, [](Random& random) {
    const std::size_t keys = 200 + random.below(100);
    const std::size_t query = random.below(keys);
    const Data data = drawn(random, 64, keys);
    const AttentionShape shape{.queries = keys, .keys = keys, .head_size = 64, .causal = true};
    CAPTURE(keys, query);
    check(data, plan_of(shape, {.splits = 1}), query, 0);
    check(data, plan_of(shape, {.block = 64, .splits = 2}), query, 2);
  });
}

TEST_CASE("One block of keys hides its length, one key more shows it") {
  Random fixed(5);
  const auto differ = [&](std::size_t keys) {
    const AttentionShape shape{.keys = keys, .head_size = 64};
    std::size_t count = 0;
    for (int head = 0; head < 14; ++head) {
      const Data data = drawn(fixed, 64, keys, 4);
      const auto y = [&](std::uint64_t block) {
        const FlashPlan plan = plan_of(shape, {.block = block, .splits = 1}, "fa3");
        return run_recipe(data, plan, 0).at("y").codes;
      };
      count += differences(y(192), y(128));
    }
    return count;
  };
  CHECK(differ(1) == 0);
  CHECK(differ(128) == 0);
  CHECK(differ(129) > 0);
  CHECK(differ(192) > 0);
}

TEST_CASE("Blocks and splits are those that PyTorch chose on an H200") {
  // Kernel and number of splits as measured (docs/sources.md).
  struct Case {
    AttentionShape shape;
    std::uint64_t block, splits;
  };
  const Format f16 = formats::f16;
  for (const Case& c : std::initializer_list<Case>{{{1, 8, 8, 1, 1024, 128}, 128, 8},
                                                   {{1, 8, 8, 1, 16384, 128}, 128, 32},
                                                   {{4, 8, 8, 1, 4096, 128}, 128, 7},
                                                   {{1, 8, 8, 512, 512, 64}, 256, 2},
                                                   {{1, 8, 8, 128, 1024, 128}, 128, 8},
                                                   {{32, 16, 16, 128, 1024, 128}, 64, 1},
                                                   {{8, 16, 16, 1024, 1024, 64, true}, 128, 1},
                                                   {{8, 16, 16, 1024, 1024, 128, true}, 64, 1},
                                                   {{2, 32, 4, 1, 2048, 128}, 128, 16},
                                                   {{2, 8, 8, 77, 1000, 128, false, f16}, 128, 8},
                                                   {{16, 16, 16, 512, 512, 96}, 64, 1},
                                                   {{16, 16, 16, 512, 512, 256}, 64, 1}}) {
    const FlashPlan plan = plan_of(c.shape);
    CAPTURE(c.shape.batch, c.shape.keys, c.shape.head_size);
    CHECK(plan.block == c.block);
    CHECK(plan.splits == c.splits);
  }
  CHECK(plan_of({2, 32, 4, 1, 2048, 128}).grouped);
}

TEST_CASE("A fixed number of splits moves their borders with the keys, a fixed length does not") {
  const auto border = [](std::uint64_t keys, const FlashWish& wish) {
    return plan_of({.keys = keys, .head_size = 128}, wish).split_keys;
  };
  CHECK(border(4096, {.splits = 4}) == 1024);
  CHECK(border(5000, {.splits = 4}) == 1280);
  CHECK(border(4096, {.split_keys = 2048}) == 2048);
  CHECK(border(5000, {.split_keys = 2048}) == 2048);
}

TEST_CASE("Splits beyond the blocks are empty and change no bit but by the lanes of the sum") {
  Random fixed(6);
  const Data data = drawn(fixed, 64, 100);
  const AttentionShape shape{.keys = 100, .head_size = 64};
  const FlashPlan plan = plan_of(shape, {.block = 64, .splits = 16});
  CHECK(plan.filled_splits() == 2);
  check(data, plan, 0, 16);
}

TEST_CASE("Of one key the output is its value, of -infinities it is 0, of NaN it is NaN") {
  const AttentionShape shape{.keys = 1, .head_size = 64};
  Random fixed(7);
  Data data = drawn(fixed, 64, 1);
  CHECK(run_recipe(data, plan_of(shape), 0).at("y").codes == data.v);
  std::fill(data.q.begin(), data.q.end(), 0xff7f);  // the largest bf16, negative
  std::fill(data.k.begin(), data.k.end(), 0x7f7f);
  const Patches empty = run_recipe(data, plan_of(shape), 0);
  CHECK(empty.at("y").codes == std::vector<Bits>(64, 0));
  CHECK(empty.at("lse").codes == std::vector<Bits>{0x7f800000});
  data.k[0] = 0x7fc0;
  CHECK(run_recipe(data, plan_of(shape), 0).at("y").codes == std::vector<Bits>(64, 0x7fff));
}

TEST_CASE("What is not known of an attention kernel is refused by name") {
  const auto refused = [](const AttentionShape& shape, const char* with,
                          const FlashWish& wish = {}) {
    CHECK_THROWS_WITH(plan_of(shape, wish), contains(with));
  };
  refused({.keys = 0}, "keys = 0");
  refused({.batch = 0}, "batch = 0");
  refused({.heads = 6, .kv_heads = 4}, "heads = 6");
  refused({.keys = 10, .head_size = 80}, "head size = 80");
  refused({.keys = 10, .type = f32}, "type = f32");
  refused({.keys = 10}, "block = 24", {.block = 24});
  refused({.keys = 10}, "exclude", {.splits = 2, .split_keys = 64});
  refused({.queries = 11, .keys = 10, .causal = true}, "queries = 11");
  CHECK(find_flash_kernel("fa1") == nullptr);
}

namespace {

using Cuts = std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>>;

/// The blocks of each split, without the keys behind the first `seen`.
Cuts cuts_of(const FlashPlan& plan, std::uint64_t seen) {
  Cuts cuts;
  for (const FlashSplit& split : flash_split_ranges(plan, seen)) {
    cuts.emplace_back();
    for (std::uint64_t begin = split.begin; begin < split.end; begin += plan.block)
      cuts.back().emplace_back(begin, std::min(split.end, begin + plan.block));
  }
  return cuts;
}

std::vector<PrefillLaunch> launches_of(const char* kernel, std::uint64_t keys,
                                       const FlashWish& wish, const PrefillSchedule& schedule) {
  return prefill_launches(*find_flash_kernel(kernel), {.keys = keys, .head_size = 64}, wish,
                          schedule);
}

}  // namespace

TEST_CASE("A chunk's queries see the keys up to their own, cut as the chunk's launch is") {
  for_all(3, [](Random& random) {
    const std::size_t keys = 200 + random.below(100);
    const PrefillSchedule schedule{random.below(50), 1 + random.below(120)};
    const Data prompt = drawn(random, 64, keys);
    for (const auto& [kernel, wish, lanes] :
         {std::tuple{"fa2", FlashWish{.splits = 1}, std::size_t{0}},
          {"fa2", FlashWish{.block = 64, .splits = 3}, 4},
          {"vllm-fa3", FlashWish{}, 0}}) {
      const auto launches = launches_of(kernel, keys, wish, schedule);
      const PrefillLaunch& launch = launches[random.below(launches.size())];
      Data data = prompt;
      data.keys = launch.end;
      data.k.resize(launch.end * 64);
      data.v.resize(launch.end * 64);
      CAPTURE(kernel, keys, launch.first, launch.end);
      check(data, launch.plan, random.below(launch.end - launch.first), lanes);
    }
  });
}

TEST_CASE("Rows whose keys are cut alike are one computation, others are not") {
  std::size_t alike = 0, other = 0, differing = 0;
  for_all(12, [&](Random& random) {
    const std::size_t keys = 40 + random.below(300);
    const auto drawn_plan = [&](const PrefillSchedule& schedule) {
      const std::uint64_t block = std::uint64_t{16} << random.below(4);
      const FlashWish wish = random.below(2) == 0 ? FlashWish{block, 1 + random.below(20), 0}
                                                  : FlashWish{block, 0, 1 + random.below(300)};
      return launches_of("fa2", keys, wish, schedule).back();
    };
    const PrefillLaunch whole = drawn_plan({});
    const PrefillLaunch chunk = drawn_plan({random.below(keys), 1 + random.below(keys)});
    const std::uint64_t query = chunk.first + random.below(chunk.end - chunk.first);
    const FlashPlan &a = whole.plan, &b = chunk.plan;
    const Cuts cuts = cuts_of(a, query + 1);
    const bool same_lanes = flash_combine_lanes(a) == flash_combine_lanes(b) ||
                            cuts.size() <= std::min(flash_combine_lanes(a), flash_combine_lanes(b));
    const bool same = cuts == cuts_of(b, query + 1) && same_lanes;
    CAPTURE(keys, query, a.block, a.split_keys, b.block, b.split_keys);
    REQUIRE((row_cut(a, query + 1) == row_cut(b, query + 1)) == same);
    const Data data = drawn(random, 64, keys, 4);
    Data part = data;
    part.keys = chunk.end;
    const auto y = run_recipe(data, a, query).at("y").codes;
    const auto of_chunk = run_recipe(part, b, query - chunk.first).at("y").codes;
    if (same) REQUIRE(y == of_chunk);
    (same ? alike : other) += 1;
    if (y != of_chunk) ++differing;
  });
  CHECK(alike > 0);
  CHECK(other > 0);
  CHECK(differing > 0);
}

TEST_CASE("FlashAttention-3's block follows the mask and not the splits, FlashAttention-2's both") {
  for (const std::uint64_t head_size : {64U, 96U, 128U, 256U})
    for (const bool causal : {false, true})
      for (const char* kernel : {"fa3", "vllm-fa3"}) {
        const AttentionShape shape{
            .queries = 100, .keys = 700, .head_size = head_size, .causal = causal};
        CAPTURE(head_size, causal, kernel);
        CHECK(plan_of(shape, {.splits = 3}, kernel).block == plan_of(shape, {}, kernel).block);
      }
  // hopper/tile_size.h, 2 bytes an element: the masked tile of head size 128, and the split kernel
  // of FlashAttention-2 (flash_fwd_launch_template.h).
  const AttentionShape masked{.queries = 100, .keys = 700, .causal = true};
  CHECK(plan_of(masked, {.splits = 3}, "fa3").block == 128);
  CHECK(plan_of(masked, {.splits = 3}, "fa2").block == 128);
  CHECK(plan_of(masked, {.splits = 1}, "fa2").block == 64);
}

TEST_CASE("vLLM's tile follows the launch's longest sequence, at 64 rows of a head of keys") {
  const auto block = [](std::uint64_t group, std::uint64_t longest, std::uint64_t head_size = 64) {
    const AttentionShape shape{
        .heads = group, .keys = 1024, .head_size = head_size, .causal = true};
    return plan_of(shape, {.longest = longest}, "vllm-fa3").block;
  };
  // The borders that users saw (vLLM issue 51902).
  for (const auto& [group, last] : std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{
           {1, 64}, {2, 32}, {4, 16}, {7, 9}, {8, 8}}) {
    CAPTURE(group);
    CHECK(block(group, last) == 192);
    CHECK(block(group, last + 1) == 128);
    CHECK(block(group, last, 128) == block(group, last + 1, 128));
  }
}

TEST_CASE("A schedule serves every query behind the cache once, over the keys so far") {
  const auto launches = launches_of("fa2", 1000, {}, {.cached = 100, .chunk = 256});
  REQUIRE(launches.size() == 4);
  std::uint64_t next = 100;
  for (const PrefillLaunch& launch : launches) {
    CHECK(launch.first == next);
    CHECK(launch.plan.shape.queries == launch.end - launch.first);
    CHECK(launch.plan.shape.keys == launch.end);
    next = launch.end;
  }
  CHECK(next == 1000);
  CHECK(launches_of("fa2", 1, {}, {}).size() == 1);
  CHECK_THROWS_WITH(launches_of("fa2", 0, {}, {}), contains("keys = 0"));
  CHECK_THROWS_WITH(launches_of("fa2", 10, {}, {.cached = 10}), contains("cached = 10"));
  CHECK_THROWS_WITH(launches_of("fa2", 5000, {}, {.chunk = 1}), contains("chunk = 1"));
}
