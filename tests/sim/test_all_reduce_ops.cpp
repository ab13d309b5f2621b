// Max and min over ranks: two executions, expected values from the processor's fmax and fmin.
#include <bit>
#include <cmath>
#include <memory>

#include "sim/arith.hpp"
#include "sim/builders/all_reduce.hpp"
#include "sim/hash.hpp"
#include "sim/message_passing/all_reduce.hpp"
#include "sim/tensor.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
namespace mp = whybits::message_passing;

namespace {

/// Raw codes of a format: NaN, infinities, subnormals and zeros among them; now and then the same
/// special ones in all ranks.
std::vector<std::vector<Bits>> messages(std::uint64_t ranks, std::uint64_t count,
                                        const Format& format) {
  const Bits special[] = {format.gpu_nan(), 0, format.sign_mask(),
                          format.has_infinity() ? format.infinity() : format.max_finite()};
  std::vector<std::vector<Bits>> all(ranks, std::vector<Bits>(count));
  for (std::uint64_t r = 0; r < ranks; ++r)
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t h = mix(mix(r + 1) + i);
      all[r][i] = h & format.code_mask();
      if (i % 4 == 1) all[r][i] = special[h % 4] ^ (h >> 20 & format.sign_mask());
      if (i % 16 == 2) all[r][i] = format.gpu_nan() | (h & format.sign_mask());
    }
  return all;
}

std::vector<Bits> by_map(const AllReduceConfig& config,
                         const std::vector<std::vector<Bits>>& inputs) {
  std::vector<Bits> codes;
  for (const MapRegion& region : all_reduce_map(config).regions) {
    const Reduction reduction = make_reduction(region.topology, config.ranks, {.a = config.type});
    for (std::uint64_t i = region.begin; i < region.end; ++i) {
      std::vector<Bits> values;
      for (const auto& rank : inputs) values.push_back(rank[i]);
      const OperandVector vector(config.type, values);
      Leaves leaves;
      leaves.a = &vector;
      codes.push_back(evaluate(reduction, leaves, config.op));
    }
  }
  return codes;
}

/// The processor's number, with PTX's rules where C leaves a choice: zeros of both signs, NaN.
Bits expected(const std::vector<Bits>& values, const Format& format, ReduceOp op) {
  double best = std::nan("");
  for (const Bits code : values) {
    const double value = std::bit_cast<double>(convert(format, formats::f64, code));
    const bool zeros = value == 0 && best == 0;
    if (zeros)
      best = op == ReduceOp::max ? value + best : (std::signbit(value) ? value : best);
    else
      best = op == ReduceOp::max ? std::fmax(best, value) : std::fmin(best, value);
  }
  if (std::isnan(best)) return format.gpu_nan();
  const RoundRule rule{.overflow = format.word_bytes() == 1 ? Overflow::saturate : Overflow::ieee};
  return convert(formats::f64, format, std::bit_cast<Bits>(best), rule);
}

}  // namespace

TEST_CASE("max and min have the processor's bits by every algorithm, in messages and in maps") {
  for (const AllReduceName& known : all_reduce_names) {
    const std::string name(known.name);
    if (name.starts_with("vllm") || name.starts_with("symmetric")) continue;
    for (const std::uint64_t ranks : {2U, 3U, 4U, 8U, 13U})
      for (const Format& type :
           {formats::f32, formats::f64, formats::bf16, formats::f16, formats::e4m3, formats::e5m2})
        for (const ReduceOp op : {ReduceOp::max, ReduceOp::min}) {
          if (known.algorithm == AllReduce::recursive_halving && !std::has_single_bit(ranks))
            continue;
          AllReduceConfig config{known.algorithm, ranks, 96, type};
          config.op = op;
          CAPTURE(name, ranks, format_name(type), reduce_op_names[static_cast<std::size_t>(op)]);
          const auto codes = messages(ranks, config.count, type);
          std::vector<Bits> wanted;
          for (std::uint64_t i = 0; i < config.count; ++i) {
            std::vector<Bits> values;
            for (const auto& rank : codes) values.push_back(rank[i]);
            wanted.push_back(expected(values, type, op));
          }
          CHECK(by_map(config, codes) == wanted);
          if (known.algorithm == AllReduce::nvls) continue;  // no rank adds there
          std::vector<std::unique_ptr<CodeVector>> owned;
          std::vector<const CodeSource*> sources;
          for (const auto& rank : codes) {
            owned.push_back(std::make_unique<CodeVector>(type, rank));
            sources.push_back(owned.back().get());
          }
          const mp::Results passed =
              mp::run_whole(mp::all_reduce_ranks(config, sources), config.count);
          for (const auto& rank : passed.codes) REQUIRE(rank == wanted);
        }
  }
}

TEST_CASE("a sum by the same walk is the sum, and differs from the max") {
  AllReduceConfig config{AllReduce::ring, 4, 64, formats::f32};
  auto codes = messages(4, 64, formats::f32);
  const auto sums = by_map(config, codes);
  config.op = ReduceOp::max;
  CHECK(by_map(config, codes) != sums);
  const TopologyMap map = all_reduce_map(config);
  for (std::size_t i = 0; i < 64; ++i) {
    const MapRegion* region = map.find(i);
    const OperandVector vector(formats::f32, {codes[0][i], codes[1][i], codes[2][i], codes[3][i]});
    Leaves leaves;
    leaves.a = &vector;
    CHECK(evaluate(make_reduction(region->topology, 4, {.a = formats::f32}), leaves) == sums[i]);
  }
}

TEST_CASE("kernels that have sums only refuse max and min") {
  for (const AllReduce algorithm :
       {AllReduce::vllm, AllReduce::vllm_one_stage, AllReduce::vllm_two_stage,
        AllReduce::symmetric_one_shot, AllReduce::symmetric_two_shot}) {
    AllReduceConfig config{algorithm, 4, 64, formats::bf16};
    CHECK_NOTHROW(all_reduce_map(config));
    config.op = ReduceOp::max;
    CHECK_THROWS_AS(all_reduce_map(config), ConfigurationError);
  }
}
