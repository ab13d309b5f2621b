// TorchInductor's sums of rows, against threads of its Triton kernels written out with the
// processor's f32, and its rule of splits against a search over all divisors.
#include <cmath>

#include "sim/libraries/inductor/row_sum.hpp"
#include "sim/reduction.hpp"
#include "sim/unit.hpp"
#include "tests/sim/simulated_threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

float sum_by(const InductorSum& config, const std::vector<Bits>& row) {
  const OperandVector x(f32, row);
  Leaves leaves;
  leaves.a = &x;
  const SchemaPtr order = inductor_row_sum(inductor_launch(config), row.size(), ieee_add(f32));
  return to_float(evaluate(make_reduction(order, row.size(), LeafTypes::of(leaves)), leaves));
}

std::vector<float> values(const std::vector<Bits>& row) {
  std::vector<float> x;
  for (const Bits code : row) x.push_back(to_float(code));
  return x;
}

/// tl.sum of a block: thread t has `run` neighbours, and again after all threads had theirs.
float block_sum_of(const std::vector<float>& x, std::size_t warps, std::size_t run) {
  std::vector<float> threads(32 * warps, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    float& own = threads[i / run % threads.size()];
    own = i / run < threads.size() && i % run == 0 ? x[i] : own + x[i];
  }
  return halved(warp_totals(std::move(threads), downward));
}

/// The loop's 2048 accumulators, then tl.sum of them by 16 warps.
float looped(const float* x, std::size_t length) {
  std::vector<float> acc(2048, 0.0f);
  for (std::size_t i = 0; i < length; ++i) acc[i % 2048] += x[i];
  return block_sum_of(acc, 16, 4);
}

/// Elements of a thread by the words of the rule, with every divisor tried.
std::uint64_t splits_by_search(std::uint64_t rows, std::uint64_t length, std::uint64_t sms) {
  if (rows >= 2 * sms || length <= 8192) return 1;
  const auto nearest = [&](std::uint64_t wanted) {
    std::uint64_t best = 1;
    for (std::uint64_t d = 1; d <= length; ++d)
      if (length % d == 0 &&
          std::llabs(static_cast<long long>(d) - static_cast<long long>(wanted)) <
              std::llabs(static_cast<long long>(best) - static_cast<long long>(wanted)))
        best = d;
    return best;
  };
  const auto apart = [](std::uint64_t a, std::uint64_t b) {
    return std::llabs(static_cast<long long>(a) - static_cast<long long>(b));
  };
  std::uint64_t size = 32;
  const std::uint64_t all = rows * length;
  if (all >= 512 * sms * 2048) {
    size = apart(nearest(512), 512) < 50 ? nearest(512) : 512;
  } else if (all > 32 * sms * 2048) {
    const std::uint64_t blocks = (sms * 2048 / 512 + rows - 1) / rows;
    const std::uint64_t wanted = (length + 256 * blocks - 1) / (256 * blocks);
    const std::uint64_t even = nearest(wanted);
    size = apart(even, wanted) < 30 ? std::max<std::uint64_t>(even, 32) : wanted;
  }
  return (length + 256 * size - 1) / (256 * size);
}

}  // namespace

TEST_CASE("TorchInductor's rule cuts rows as a search over all divisors does") {
  for_all(400, [](Random& random) {
    const InductorSum config{1 + random.below(300), 8000 + random.below(200000), f32,
                             random.coin() ? 132u : 108u};
    CAPTURE(config.rows, config.length, config.sms);
    REQUIRE(inductor_splits(config) == splits_by_search(config.rows, config.length, config.sms));
  });
}

TEST_CASE("A row of up to 8192 elements, or of 264 rows and more on 132 SMs, is not cut") {
  for (const std::uint64_t rows : {1U, 64U, 263U, 264U, 5000U})
    CHECK(inductor_splits({rows, 8192}) == 1);
  CHECK(inductor_splits({263, 16384}) == 2);
  CHECK(inductor_splits({264, 16384}) == 1);
  CHECK(inductor_splits({264, 1 << 20}) == 1);
  CHECK(inductor_splits({1, 8193}) == 2);
  CHECK(inductor_splits({1, 16385}) == 3);
  CHECK(inductor_splits({1, 65536}) == 8);
  CHECK(inductor_splits({215, 16384, f32, 108}) == 2);
  CHECK(inductor_splits({216, 16384, f32, 108}) == 1);
}

TEST_CASE(
    "TorchInductor adds 1024 elements at once: by 8 warps up to 512 rows, by one from there") {
  for_all(10, [](Random& random) {
    const std::vector<Bits> row = f32_codes(random, 1024, wide_float);
    const std::vector<float> x = values(row);
    for (const std::uint64_t rows : {1U, 512U})
      REQUIRE(sum_by({rows, 1024}, row) == block_sum_of(x, 8, 4));
    REQUIRE(sum_by({513, 1024}, row) == block_sum_of(x, 1, 4));
    REQUIRE(sum_by({513, 1024, bf16}, row) == block_sum_of(x, 1, 8));
  });
}

TEST_CASE("TorchInductor adds longer rows in a loop, two halves of a row one after the other") {
  for_all(10, [](Random& random) {
    const std::size_t length = 8 * (257 + random.below(1790));
    const std::vector<Bits> row = f32_codes(random, length, wide_float);
    const std::vector<float> x = values(row);
    CAPTURE(length);
    REQUIRE(sum_by({264, length}, row) == looped(x.data(), length));
    const float one =
        length <= 8192 ? looped(x.data(), length)
                       : looped(x.data(), length / 2) + looped(x.data() + length / 2, length / 2);
    REQUIRE(sum_by({7, length}, row) == one);
  });
}

TEST_CASE("TorchInductor adds a row of 2048 in 16 bits by 8 warps of 8 neighbours") {
  for_all(10, [](Random& random) {
    const std::vector<Bits> row = f32_codes(random, 2048, wide_float);
    REQUIRE(sum_by({64, 2048, bf16}, row) == block_sum_of(values(row), 8, 8));
  });
}

TEST_CASE("What is not known of TorchInductor is refused by name") {
  const auto refused = [](const InductorSum& config, const char* with) {
    CHECK_THROWS_WITH(inductor_launch(config), contains(with));
  };
  refused({0, 4096}, "rows = 0");
  refused({1, 4096, formats::e4m3}, "e4m3");
  refused({1, 1023}, "length = 1023");
  refused({1, 8193}, "unequal length");
  refused({1, 4098}, "no multiple of 4");
  refused({1, 32768}, "cut over 4 blocks at 1 row;");
  CHECK_NOTHROW(inductor_launch({264, 32768}));
}
