// Sums of libraries against their threads, simulated in the processor's f32.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sim/builders/block_sum.hpp"
#include "sim/builders/cub_sum.hpp"
#include "sim/builders/torch_sum.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/sim/simulated_threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f16;
using formats::f32;

namespace {

Bits evaluated(const SchemaPtr& topology, const Format& format, const std::vector<Bits>& codes) {
  const OperandVector values(format, codes);
  Leaves leaves;
  leaves.a = &values;
  return evaluate(make_reduction(topology, codes.size(), LeafTypes::of(leaves)), leaves);
}
Bits evaluated(const SchemaPtr& topology, const std::vector<float>& x) {
  std::vector<Bits> codes;
  for (const float value : x) codes.push_back(to_code(value));
  return evaluated(topology, f32, codes);
}

std::vector<float> drawn(Random& random, std::size_t n) {
  std::vector<float> x(n);
  for (float& value : x) value = wide_float(random);
  return x;
}

float cub_block(std::vector<float> threads, std::size_t with_items) {
  threads.resize(with_items);
  return folded(warp_totals(std::move(threads), upward));
}

/// One block of 256 threads over tiles of 4096, of which the last may be short: items in arrays, as
/// the kernel holds them.
float cub_block(std::span<const float> x) {
  std::vector<float> threads(256, 0.0f);
  std::vector<bool> has(256, false);
  std::size_t at = 0;
  for (; x.size() - at >= 4096; at += 4096)
    for (std::size_t t = 0; t < 256; ++t) {
      std::vector<float> items;
      if (has[t]) items.push_back(threads[t]);
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t i = 0; i < 4; ++i) items.push_back(x[at + 1024 * j + 4 * t + i]);
      for (std::size_t stride = 1; stride < items.size(); stride *= 2)
        for (std::size_t m = 0; m + stride < items.size(); m += 2 * stride)
          items[m] += items[m + stride];
      threads[t] = items[0];
      has[t] = true;
    }
  for (std::size_t i = at; i < x.size(); ++i) {
    const std::size_t t = (i - at) % 256;
    threads[t] = has[t] ? threads[t] + x[i] : x[i];
    has[t] = true;
  }
  return cub_block(threads, static_cast<std::size_t>(std::count(has.begin(), has.end(), true)));
}

/// `blocks`: as many as there may be.
float cub_device(const std::vector<float>& x, std::size_t blocks = 5280) {
  if (x.size() <= 4096) return 0 + cub_block(x);
  const std::size_t tiles = (x.size() + 4095) / 4096;
  std::vector<float> partials;
  for (std::size_t block = 0; block < std::min(tiles, blocks); ++block) {
    std::vector<float> share;
    for (std::size_t tile = block; tile < tiles; tile += blocks) {
      const std::span<const float> all(x);
      const auto part =
          all.subspan(4096 * tile, std::min<std::size_t>(4096, x.size() - 4096 * tile));
      share.insert(share.end(), part.begin(), part.end());
    }
    partials.push_back(cub_block(share));
  }
  return 0 + cub_block(partials);
}

/// torch.sum of one row, with the launch numbers as given.
float torch_row(const std::vector<float>& x, const TorchSumLaunch& launch) {
  const std::size_t v = launch.vector, w = launch.width;
  const std::size_t h = launch.split_height ? launch.height : 1;
  const std::size_t step = w * h * launch.ctas;
  std::vector<float> partials;
  for (std::size_t cta = 0; cta < launch.ctas; ++cta) {
    std::vector<float> column;  // one value a row of threads
    for (std::size_t y = 0; y < h; ++y) {
      std::vector<float> row;
      for (std::size_t thread = 0; thread < w; ++thread) {
        const std::size_t id = thread + w * y + w * h * cta;
        std::vector<float> acc(v > 1 ? v : 4, 0.0f);
        std::size_t round = 0;
        for (std::size_t vector = id; vector < x.size() / v; vector += step, ++round) {
          if (v == 1)
            acc[round % 4] += x[vector];
          else
            for (std::size_t i = 0; i < v; ++i) acc[i] += x[v * vector + i];
        }
        row.push_back(folded(acc));
      }
      column.push_back(halved(row));
    }
    partials.push_back(halved(column));
  }
  if (partials.size() == 1) return partials[0];
  partials.resize(w * h, 0.0f);  // partial i on thread i
  std::vector<float> by_x(w, 0.0f);
  for (std::size_t thread = 0; thread < w; ++thread) {
    std::vector<float> column;
    for (std::size_t y = 0; y < h; ++y) column.push_back(partials[thread + w * y]);
    by_x[thread] = halved(column);
  }
  return halved(by_x);
}

}  // namespace

TEST_CASE("warps shuffle downward or upward") {
  for_all(50, [](Random& random) {
    const std::vector<float> x = drawn(random, 32);
    REQUIRE(evaluated(warp_sum(WarpOrder::down), x) == to_code(warp_totals(x, downward)[0]));
    REQUIRE(evaluated(warp_sum(WarpOrder::up), x) == to_code(warp_totals(x, upward)[0]));
  });
}

TEST_CASE("a block sum equals its threads in every bit") {
  for_all(60, [](Random& random) {
    BlockSum config;
    config.threads = 32u << random.below(6);
    config.vector = 1u << random.below(4);
    config.warp = random.coin() ? WarpOrder::up : WarpOrder::down;
    config.totals = random.coin() ? WarpTotals::fold : WarpTotals::halves;
    const std::vector<float> x = drawn(random, config.threads * config.vector + random.below(3000));
    std::vector<float> threads(config.threads, 0.0f);
    for (std::size_t i = 0; i < x.size(); ++i) threads[i / config.vector % config.threads] += x[i];
    const std::vector<float> totals = config.warp == WarpOrder::up ? warp_totals(threads, upward)
                                                                   : warp_totals(threads, downward);
    CAPTURE(config.threads, config.vector, x.size());
    REQUIRE(evaluated(block_sum(config), x) ==
            to_code(config.totals == WarpTotals::fold ? folded(totals) : halved(totals)));
  });
}

TEST_CASE("tl.sum of a row equals its threads, by either rule inside a thread") {
  for_all(60, [](Random& random) {
    TritonSum config;
    config.warps = 1u << random.below(4);
    config.run = 1u << random.below(4);
    config.block = 32 * config.warps * config.run << random.below(3);
    config.in_thread = random.coin() ? TritonSum::InThread::fold : TritonSum::InThread::tree;
    const std::size_t blocks = 1 + random.below(3);
    const std::vector<float> x = drawn(random, blocks * config.block);
    float total = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      std::vector<std::vector<float>> held(32 * config.warps);
      for (std::size_t i = 0; i < config.block; ++i)
        held[i / config.run % held.size()].push_back(x[b * config.block + i]);
      std::vector<float> threads;
      for (std::vector<float>& items : held) {
        if (config.in_thread == TritonSum::InThread::fold) {
          threads.push_back(folded(items));
          continue;
        }
        for (std::size_t stride = 1; stride < items.size(); stride *= 2)
          for (std::size_t m = 0; m + stride < items.size(); m += 2 * stride)
            items[m] += items[m + stride];
        threads.push_back(items[0]);
      }
      total += halved(warp_totals(threads, downward));
    }
    CAPTURE(config.warps, config.run, config.block, blocks);
    REQUIRE(evaluated(triton_row_sum(config), x) == to_code(total));
  });
}

TEST_CASE("CUB's device sum equals its blocks in every bit") {
  Random random(run_seed());
  INFO("seed " << run_seed());
  for (const std::size_t n :
       {1u, 2u, 31u, 255u, 256u, 257u, 1000u, 4095u, 4096u, 4097u, 5000u, 8192u, 100000u}) {
    CAPTURE(n);
    const std::vector<float> x = drawn(random, n);
    CHECK(evaluated(cub_device_sum(n), x) == to_code(cub_device(x)));
  }
  // The second pass of a large sum: 5,280 blocks' results are a full tile and a short one.
  for (const std::size_t n : {4097u, 4352u, 4353u, 5280u, 8191u}) {
    CAPTURE(n);
    const std::vector<float> x = drawn(random, n);
    CHECK(evaluated(cub_block_sum(n), x) == to_code(cub_block(x)));
  }
  CHECK(evaluated(cub_device_sum(2), {-0.0f, -0.0f}) == 0);
  CHECK(evaluated(cub_device_sum(0), std::vector<float>{}) == 0);
}

TEST_CASE("CUB's blocks go on with the tiles that are left when there are more than blocks") {
  Random random(run_seed());
  INFO("seed " << run_seed());
  constexpr std::size_t blocks = 40;  // of one multiprocessor
  for (const std::size_t tiles : {41u, 80u, 163u})
    for (const std::size_t rest : {0u, 300u}) {
      CAPTURE(tiles, rest);
      const std::size_t n = 4096 * (tiles - (rest > 0 ? 1 : 0)) + rest;
      const std::vector<float> x = drawn(random, n);
      CHECK(evaluated(cub_device_sum(n, 1), x) == to_code(cub_device(x, blocks)));
    }
}

TEST_CASE("CUB's device sum of millions equals its blocks", "[.full]") {
  Random random(run_seed());
  INFO("seed " << run_seed());
  for (const std::size_t n : {1000000u, 10000000u, 4097u * 4096u + 5u, 30000000u}) {
    CAPTURE(n);
    const std::vector<float> x = drawn(random, n);
    CHECK(evaluated(cub_device_sum(n), x) == to_code(cub_device(x)));
  }
}

TEST_CASE("torch.sum of a row equals its threads in every bit") {
  for_all(60, [](Random& random) {
    TorchSum config;
    config.rows = 1 + random.below(random.coin() ? 8 : 700);
    config.type = random.coin() ? f32 : random.coin() ? bf16 : f16;
    const std::uint64_t vector = config.type == f32 ? 4 : 8;
    config.length =
        random.below(4) == 0 ? 1 + random.below(128) : vector * (17 + random.below(900));
    if (config.length <= 128) CHECK(torch_sum_launch(config).vector == 1);
    CAPTURE(config.rows, config.length, format_name(config.type));
    const TorchSumLaunch launch = torch_sum_launch(config);
    if (config.type == f32) {
      const std::vector<float> x = drawn(random, config.length);
      REQUIRE(evaluated(torch_row_sum(config), x) == to_code(torch_row(x, launch)));
    } else if (config.type == bf16) {
      const std::vector<Bits> codes = bf16_codes(random, config.length, wide_float);
      std::vector<float> x;
      for (const Bits code : codes) x.push_back(bf16_to_float(code));
      REQUIRE(evaluated(torch_row_sum(config), bf16, codes) == float_to_bf16(torch_row(x, launch)));
    }
  });
}

TEST_CASE("torch.sum of a vocabulary splits over blocks by the staircase that was measured") {
  const std::array<std::pair<std::uint64_t, std::uint64_t>, 10> staircase{{{1, 19},
                                                                           {2, 19},
                                                                           {4, 19},
                                                                           {8, 19},
                                                                           {16, 19},
                                                                           {29, 19},
                                                                           {30, 18},
                                                                           {64, 9},
                                                                           {264, 2},
                                                                           {529, 1}}};
  Random random(run_seed());
  INFO("seed " << run_seed());
  const std::vector<float> x = drawn(random, 151936);
  for (const auto& [rows, ctas] : staircase) {
    CAPTURE(rows);
    const TorchSum config{.rows = rows, .length = 151936};
    const TorchSumLaunch launch = torch_sum_launch(config);
    CHECK(launch.ctas == ctas);
    if (rows == 1 || rows == 30 || rows == 529)
      CHECK(evaluated(torch_row_sum(config), x) == to_code(torch_row(x, launch)));
  }
  // PyTorch, Reduce.cuh, setReduceConfig: block shapes of rows of 4096; from 8192 on all 512
  // threads share a row.
  const std::array<std::array<std::uint64_t, 3>, 5> shapes{
      {{1, 512, 1}, {2, 256, 2}, {4, 128, 4}, {8, 64, 8}, {16, 32, 16}}};
  for (const auto& [rows, width, height] : shapes) {
    CAPTURE(rows);
    const TorchSumLaunch launch = torch_sum_launch({.rows = rows, .length = 4096});
    CHECK(launch.width == width);
    CHECK(launch.height == height);
    CHECK_FALSE(launch.split_height);
    CHECK(torch_sum_launch({.rows = rows, .length = 8192}).split_height);
    CHECK(launch.ctas == 1);
  }
}

TEST_CASE("the number of rows shows in the bits of a row") {
  const auto tree = [](std::uint64_t rows) {
    return expand(*torch_row_sum({.rows = rows, .length = 4096}), 4096);
  };
  CHECK(tree(2) == tree(3));
  CHECK(tree(16) == tree(1000));
  for (const std::uint64_t rows : {1u, 2u, 4u, 8u}) CHECK_FALSE(tree(rows) == tree(2 * rows));
  // As docs/notation.md shows it: a row of 4096 in a batch of eight.
  CHECK(print(*torch_row_sum({.rows = 8, .length = 4096})) ==
        "lanes(64, by=4, lanes(4, fold(f32, from=0), fold(f32)), halves(f32))");
}

TEST_CASE("sums refuse what is not known") {
  CHECK_THROWS_WITH(block_sum({.threads = 0}), contains("threads = 0: a block has 1 to 1024"));
  CHECK_THROWS_WITH(block_sum({.threads = 2048}), contains("threads = 2048"));
  CHECK_THROWS_WITH(block_sum({.vector = 0}), contains("vector = 0: must be at least 1"));
  CHECK_THROWS_WITH(block_sum({.unit = parse_unit("sm90.mma.f16")}),
                    contains("unit = sm90.mma.f16"));
  CHECK_THROWS_WITH(triton_row_sum({.block = 1000}),
                    contains("block = 1000: must be a power of two"));
  CHECK_THROWS_WITH(triton_row_sum({.warps = 0}), contains("warps = 0"));
  CHECK_THROWS_WITH(triton_row_sum({.run = 3}), contains("run = 3"));
  CHECK_THROWS_WITH(triton_row_sum({.block = 256}), contains("at least 32 · warps · run = 512"));
  CHECK_THROWS_WITH(cub_block_sum(8192),
                    contains("n = 8192: one block is known for fewer than 8192"));
  CHECK_THROWS_WITH(cub_device_sum(100'000'000'001), contains("take a multiple of 4096"));
  CHECK_NOTHROW(cub_device_sum(4096 * std::uint64_t{25'000'000}));
  CHECK_THROWS_WITH(cub_device_sum(1, 0), contains("sms = 0: must be from 1 to 204"));
  CHECK_THROWS_WITH(cub_device_sum(1, 205), contains("sms = 205"));
  CHECK_THROWS_WITH(torch_row_sum({.rows = 0}), contains("rows = 0"));
  CHECK_THROWS_WITH(torch_row_sum({.length = 0}), contains("length = 0"));
  CHECK_THROWS_WITH(torch_row_sum({.sms = 0}), contains("sms = 0"));
  CHECK_THROWS_WITH(torch_row_sum({.length = 4098}),
                    contains("only multiples of 4 are known for f32: at other lengths rows begin "
                             "misaligned, and how a thread"));
  CHECK_THROWS_WITH(torch_row_sum({.length = 4100, .type = bf16}), contains("multiples of 8"));
  CHECK_THROWS_WITH(torch_row_sum({.type = formats::f64}), contains("type = f64: known are f32"));
}
