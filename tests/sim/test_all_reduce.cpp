// Two executions of every all-reduce that share no code: the topologies of its map, and ranks that
// pass messages. Every bit, every rank and every addition.
#include <bit>
#include <cmath>
#include <memory>

#include "sim/arith.hpp"
#include "sim/fast/all_reduce.hpp"
#include "sim/hash.hpp"
#include "sim/libraries/nccl/all_reduce.hpp"
#include "sim/message_passing/all_reduce.hpp"
#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "sim/trace.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
namespace mp = whybits::message_passing;

namespace {

/// Finite numbers of mixed size, and now and then a special one.
struct Inputs {
  Inputs(std::uint64_t ranks, std::uint64_t count, const Format& format, bool specials = false) {
    for (std::uint64_t r = 0; r < ranks; ++r) {
      std::vector<Bits> codes(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t h = mix(mix(r + 100) + i);
        const double value = (static_cast<double>(h >> 40) * 0x1p-23 - 1) *
                             std::exp2(static_cast<double>(h & 7) - 4);
        codes[i] = convert(formats::f64, format, std::bit_cast<Bits>(value));
        if (specials && h % 5 == 0) codes[i] = (h >> 8) & format.code_mask();
      }
      owned.push_back(std::make_unique<CodeVector>(format, std::move(codes)));
      sources.push_back(owned.back().get());
    }
  }
  std::vector<std::unique_ptr<CodeVector>> owned;
  std::vector<const CodeSource*> sources;
};

std::vector<Bits> by_map(const TopologyMap& map, const Inputs& inputs, std::uint64_t count,
                         const fast::AllReduceOptions& options = {}) {
  std::vector<Bits> codes(count);
  fast::evaluate_all_reduce(map, inputs.sources, count, {}, options,
                            [&](std::uint64_t begin, const fast::CodeMatrix& block) {
                              block.read_codes(
                                  0, 0, std::span<Bits>(codes).subspan(begin, block.columns()));
                            });
  return codes;
}

/// What a topology adds, as message passing hashes it: from a trace of ones.
std::uint64_t addition_hash(const SchemaPtr& topology, std::uint64_t ranks, const Format& type) {
  const OperandVector ones(type, std::vector<Bits>(ranks, 0));
  Leaves leaves;
  leaves.a = &ones;
  const Reduction reduction = make_reduction(topology, ranks, LeafTypes::of(leaves));
  const Trace traced = trace(reduction, leaves);
  std::vector<std::uint64_t> hashes;
  const auto hash_of = [&](Origin origin) {
    return is_leaf_origin(origin)
               ? mp::leaf_hash(static_cast<std::uint64_t>(leaf_of_origin(origin)))
               : hashes[static_cast<std::size_t>(origin)];
  };
  for (const TraceNode& node : traced.nodes) {
    std::optional<std::uint64_t> hash;
    if (node.accumulator != origin_none) hash = hash_of(node.accumulator);
    for (const Origin input : node.inputs)
      hash = hash ? mp::sum_hash(*hash, hash_of(input)) : hash_of(input);
    hashes.push_back(hash.value_or(0));
  }
  return hashes.back();
}

void check_additions(const TopologyMap& map, const std::vector<mp::Piece>& pieces,
                     std::uint64_t ranks, const Format& type) {
  for (const mp::Piece& piece : pieces) {
    CHECK(mp::added_ranks(piece.origin) == ranks);
    for (const MapRegion& region : map.regions)
      if (region.begin < piece.end() && piece.begin < region.end)
        CHECK(mp::addition_hash(piece.origin) == addition_hash(region.topology, ranks, type));
  }
}

}  // namespace

TEST_CASE("messages and map of every all-reduce agree in every bit, rank and addition") {
  for (const AllReduceName& known : all_reduce_names) {
    if (known.algorithm == AllReduce::nvls) continue;
    for (const std::uint64_t ranks : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 13U, 16U}) {
      const std::string name(known.name);
      const bool vllm = name.starts_with("vllm");
      if (vllm && ranks != 2 && ranks != 4 && ranks != 6 && ranks != 8) continue;
      if (known.algorithm == AllReduce::recursive_halving && !std::has_single_bit(ranks)) continue;
      for (const std::uint64_t count : {1U, 37U, 240U}) {
        if (vllm && count % 8 != 0) continue;
        for (const Format& type : {formats::f32, formats::bf16, formats::e4m3}) {
          if (vllm && type == formats::e4m3) continue;
          AllReduceConfig config{known.algorithm, ranks, count, type};
          for (const std::uint64_t per_node : {1U, 2U}) {
            if (ranks % per_node != 0) continue;
            config.ranks_per_node = per_node;
            CAPTURE(name, ranks, count, format_name(type), per_node);
            const Inputs inputs(ranks, count, type, count == 240);
            const TopologyMap map = all_reduce_map(config);
            const mp::Results passed =
                mp::run_whole(mp::all_reduce_ranks(config, inputs.sources), count);
            const std::vector<Bits> mapped = by_map(map, inputs, count);
            for (const auto& rank : passed.codes) REQUIRE(rank == mapped);
            if (count < 240) check_additions(map, passed.pieces, ranks, type);
          }
        }
      }
    }
  }
}

TEST_CASE("links of a tree between nodes end where the pattern says, in both executions") {
  for (const TreeLinks links : {TreeLinks::first, TreeLinks::second, TreeLinks::balanced})
    for (const AllReduce algorithm : {AllReduce::tree, AllReduce::double_tree})
      for (const std::uint64_t per_node : {1U, 2U, 4U}) {
        AllReduceConfig config{algorithm, 12 * per_node, 100, formats::f32};
        config.ranks_per_node = per_node;
        config.links = links;
        const Inputs inputs(config.ranks, config.count, config.type);
        const mp::Results passed =
            mp::run_whole(mp::all_reduce_ranks(config, inputs.sources), config.count);
        const TopologyMap map = all_reduce_map(config);
        CHECK(passed.codes[3] == by_map(map, inputs, config.count));
        check_additions(map, passed.pieces, config.ranks, config.type);
      }
}

TEST_CASE("a wider accumulator is rounded once, in both executions") {
  for (const AllReduce algorithm :
       {AllReduce::ring, AllReduce::double_tree, AllReduce::rabenseifner, AllReduce::direct}) {
    AllReduceConfig config{algorithm, 8, 96, formats::bf16};
    const Inputs inputs(8, 96, formats::bf16);
    const std::vector<Bits> narrow = by_map(all_reduce_map(config), inputs, 96);
    config.accumulate = formats::f32;
    const std::vector<Bits> wide = by_map(all_reduce_map(config), inputs, 96);
    CHECK(mp::run_whole(mp::all_reduce_ranks(config, inputs.sources), 96).codes[5] == wide);
    CHECK(wide != narrow);
  }
}

TEST_CASE("NCCL's map and its kernel's ring of messages agree in every bit and addition") {
  for (const std::uint64_t ranks : {2U, 3U, 4U, 8U})
    for (const std::uint64_t count : {1U, 5U, 17U, 1000U, 8195U, 100000U}) {
      nccl::Request request;
      request.version = {2, 28, 3};
      request.count = count;
      request.type = formats::bf16;
      request.machine = nccl::hopper_nvswitch(ranks);
      request.settings =
          nccl::read_settings({{"NCCL_ALGO", "Ring"}, {"NCCL_LL_BUFFSIZE", "65536"}}, {2, 28, 3});
      const nccl::Prediction prediction = nccl::predict_all_reduce(request);
      // What the host hands to the kernel of a channel: begin, length, chunk.
      std::vector<mp::RingLoop> loops;
      const std::uint64_t chunk = 65536 / 8 / 2 / 2;
      for (const nccl::Part& part : prediction.parts)
        for (std::uint64_t begin = part.begin; begin < part.end; begin += ranks * chunk) {
          const std::uint64_t left = part.end - begin;
          const std::uint64_t even = (left + ranks - 1) / ranks;
          const bool full = left >= ranks * chunk;
          loops.push_back(
              {begin, full ? begin + ranks * chunk : part.end, full ? chunk : (even + 7) / 8 * 8});
        }
      CAPTURE(ranks, count);
      const Inputs inputs(ranks, count, formats::bf16);
      const mp::Results passed = mp::run_whole(
          mp::ring_ranks(inputs.sources, loops, {formats::bf16, formats::bf16}), count);
      const std::vector<Bits> mapped = by_map(prediction.map, inputs, count);
      for (const auto& rank : passed.codes) REQUIRE(rank == mapped);
      check_additions(prediction.map, passed.pieces, ranks, formats::bf16);
    }
}

TEST_CASE("blocks of any size give the same bits as one, and those of the recipe") {
  AllReduceConfig config{AllReduce::ring, 6, 1001, formats::bf16};
  const Inputs inputs(6, 1001, formats::bf16);
  const TopologyMap map = all_reduce_map(config);
  const std::vector<Bits> whole = by_map(map, inputs, 1001);
  for (const std::uint64_t bytes : {1U, 100U, 5000U})
    CHECK(by_map(map, inputs, 1001, {.input_bytes = bytes}) == whole);
  std::vector<Bits> all;
  for (const auto& rank : inputs.owned) {
    std::vector<Bits> codes(1001);
    rank->read(0, 1, codes);
    all.insert(all.end(), codes.begin(), codes.end());
  }
  const InputTensors tensors{{"x", input_tensor({6, 1001, formats::bf16}, all)}};
  CHECK(run(all_reduce_recipe(map, 6, formats::bf16), tensors).at("y").codes == whole);
}

TEST_CASE("maps that are evaluated together give the bits of each alone, whatever the blocks") {
  const Inputs inputs(5, 777, formats::bf16, true);
  std::vector<TopologyMap> maps;
  for (const AllReduce algorithm : {AllReduce::ring, AllReduce::linear, AllReduce::double_tree})
    maps.push_back(all_reduce_map({algorithm, 5, 777, formats::bf16}));
  maps.push_back({{{0, 777, parse_topology("fold(exact) > f32")}}});
  for (const std::uint64_t bytes : {1U, 3000U, 1U << 20}) {
    std::vector<std::vector<Bits>> together(maps.size(), std::vector<Bits>(777));
    fast::evaluate_all_reduces(
        maps, inputs.sources, 777, {}, {.input_bytes = bytes},
        [&](std::uint64_t begin, std::span<const fast::CodeMatrix> blocks) {
          REQUIRE(blocks.size() == maps.size());
          for (std::size_t m = 0; m < maps.size(); ++m)
            blocks[m].read_codes(0, 0,
                                 std::span<Bits>(together[m]).subspan(begin, blocks[m].columns()));
        });
    for (std::size_t m = 0; m < maps.size(); ++m)
      CHECK(together[m] == by_map(maps[m], inputs, 777));
  }
}

TEST_CASE("averages multiply before or divide after, each with its own rounding") {
  // Three ranks: 1/3 is not a bf16.
  const TopologyMap map = all_reduce_map({AllReduce::direct, 3, 1, formats::bf16});
  const Bits one = 0x3f80, three = 0x4040;
  const InputTensors tensors{{"x", input_tensor({3, 1, formats::bf16}, {one, one, one})}};
  const auto average = [&](Average kind) {
    return run(all_reduce_recipe(map, 3, formats::bf16, kind), tensors).at("y").codes[0];
  };
  CHECK(average(Average::none) == three);
  CHECK(average(Average::post) == one);
  // 0.333984375 three times: 0.66796875, then 1.001953125, a tie of 1 and 1.0078125, to even.
  CHECK(average(Average::pre) == one);
}

TEST_CASE("the binary tree of twelve nodes is NCCL's") {
  const auto place = [](std::uint64_t node) { return binary_tree_place(12, node); };
  CHECK(place(0) == TreePlace{{}, {}, 8});
  CHECK(place(8) == TreePlace{0, 4, 10});
  CHECK(place(4) == TreePlace{8, 2, 6});
  CHECK(place(10) == TreePlace{8, 9, 11});
  CHECK(place(11) == TreePlace{10, {}, {}});
  // No rank is inside both trees of a double tree.
  const auto both_inside = [](const TreePlace& a, const TreePlace& b) {
    return (a.first_child || a.second_child) && (b.first_child || b.second_child);
  };
  for (std::uint64_t nodes = 2; nodes < 40; nodes += 2)
    for (std::uint64_t node = 0; node < nodes; ++node) {
      const TreePlace a = binary_tree_place(nodes, node), b = second_tree_place(nodes, node);
      CHECK_FALSE(both_inside(a, b));
    }
}

TEST_CASE("maps of textbook algorithms print as expected") {
  const auto text = [](AllReduce algorithm, std::uint64_t ranks,
                       const Format& type = formats::f32) {
    return print(all_reduce_map({algorithm, ranks, 8, type}));
  };
  CHECK(text(AllReduce::ring, 4) ==
        "{ [0,2): rotate(1, fold(f32)); [2,4): rotate(2, fold(f32)); [4,6): rotate(3, fold(f32)); "
        "[6,8): fold(f32) }");
  CHECK(text(AllReduce::recursive_doubling, 4) == "{ [0,8): pairs(f32) }");
  CHECK(text(AllReduce::recursive_doubling, 6) == "{ [0,8): cut(2 4 5, pairs(f32), pairs(f32)) }");
  CHECK(text(AllReduce::recursive_halving, 4) == "{ [0,8): halves(f32) }");
  CHECK(text(AllReduce::vllm_one_stage, 4, formats::bf16) == "{ [0,8): fold(f32) > bf16 }");
  CHECK(text(AllReduce::symmetric_two_shot, 3, formats::bf16) == "{ [0,8): fold(bf16, from=0) }");
  CHECK(text(AllReduce::nvls, 8, formats::bf16) == "{ [0,8): any(f32) > bf16 }");
  CHECK(text(AllReduce::tree, 4) == "{ [0,8): tree(f32, (1 2 3 0)) }");
}

TEST_CASE("configurations that no all-reduce has are refused") {
  CHECK_THROWS_AS(all_reduce_map({AllReduce::ring, 0, 8}), ConfigurationError);
  CHECK_THROWS_AS(all_reduce_map({AllReduce::ring, 1, 8}), ConfigurationError);
  CHECK_THROWS_AS(all_reduce_map({AllReduce::ring, 4, ~0ULL}), ConfigurationError);
  CHECK_THROWS_AS(all_reduce_map({AllReduce::vllm, 3, 8}), ConfigurationError);
  CHECK_THROWS_AS(all_reduce_map({AllReduce::vllm_two_stage, 4, 9}), ConfigurationError);
  CHECK_THROWS_AS(all_reduce_map({.ranks = 4, .count = 8, .accumulate = formats::bf16}),
                  ConfigurationError);
  CHECK_THROWS_AS(all_reduce_map({.ranks = 4, .count = 8, .ranks_per_node = 3}),
                  ConfigurationError);
  CHECK(all_reduce_map({AllReduce::ring, 4, 0}).regions.empty());
}
