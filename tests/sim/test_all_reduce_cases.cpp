// Cases that others reported, and what the model says of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numbers>

#include "sim/arith.hpp"
#include "sim/builders/all_reduce.hpp"
#include "sim/fast/all_reduce.hpp"
#include "sim/hash.hpp"
#include "sim/libraries/nccl/all_reduce.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

/// Normal numbers of unit variance, as activations are modelled; by index, for each rank.
class Normal final : public CodeSource {
 public:
  Normal(const Format& type, std::uint64_t count, std::uint64_t rank)
      : type_(type), count_(count), stream_(mix(rank + 7)) {}
  Format format() const override { return type_; }
  std::uint64_t size() const override { return count_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (Bits& code : out) {
      const auto uniform = [](std::uint64_t h) {
        return (static_cast<double>(h >> 11) + 1) * 0x1p-53;
      };
      const std::uint64_t h = mix(stream_ + first);
      const double value =
          std::sqrt(-2 * std::log(uniform(h))) * std::cos(2 * std::numbers::pi * uniform(mix(h)));
      code = convert(formats::f64, type_, std::bit_cast<Bits>(value));
      first += stride;
    }
  }

 private:
  Format type_;
  std::uint64_t count_, stream_;
};

std::vector<Bits> reduce(const AllReduceConfig& config, std::uint64_t used) {
  std::vector<std::unique_ptr<Normal>> inputs;
  std::vector<const CodeSource*> ranks;
  for (std::uint64_t r = 0; r < config.ranks; ++r) {
    inputs.push_back(std::make_unique<Normal>(config.type, used, r));
    ranks.push_back(inputs.back().get());
  }
  TopologyMap map = all_reduce_map(config);
  while (map.regions.back().begin >= used) map.regions.pop_back();
  map.regions.back().end = used;
  std::vector<Bits> codes(used);
  fast::evaluate_all_reduce(
      map, ranks, used, {}, {}, [&](std::uint64_t begin, const fast::CodeMatrix& block) {
        block.read_codes(0, 0, std::span<Bits>(codes).subspan(begin, block.columns()));
      });
  return codes;
}

/// Of the elements of the smaller message, those that the larger one gives other bits, in per cent.
double differ_percent(std::uint64_t ranks, const Format& type, AllReduce algorithm) {
  // 1664 × 5120 against 2048 × 5120, both an eighth as many tokens: owners' shares are the same.
  const std::uint64_t small = 208 * 5120, large = 256 * 5120;
  const std::vector<Bits> a = reduce({algorithm, ranks, small, type}, small);
  const std::vector<Bits> b = reduce({algorithm, ranks, large, type}, small);
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) ++differ;
  return 100.0 * static_cast<double>(differ) / static_cast<double>(small);
}

Bits sum_of(const char* topology, const std::vector<double>& values) {
  std::vector<Bits> codes;
  for (const double value : values)
    codes.push_back(convert(formats::f64, formats::f32, std::bit_cast<Bits>(value)));
  const OperandVector vector(formats::f32, codes);
  Leaves leaves;
  leaves.a = &vector;
  return evaluate(make_reduction(parse_topology(topology), values.size(), LeafTypes::of(leaves)),
                  leaves);
}

}  // namespace

TEST_CASE("vLLM's two stages rotate with the owner: 14.86 % of elements were reported to differ") {
  // vLLM pull request 57042: four ranks, f32, 1664×5120 against 2048×5120.
  const double percent = differ_percent(4, formats::f32, AllReduce::vllm_two_stage);
  CHECK(percent > 14.5);
  CHECK(percent < 14.7);
  CHECK(differ_percent(2, formats::f32, AllReduce::vllm_two_stage) == 0);
  CHECK(differ_percent(4, formats::f32, AllReduce::vllm_one_stage) == 0);
  // bf16 payload: sums in f32 are rounded once, and the last rounding hides nearly all.
  const double bf16 = differ_percent(4, formats::bf16, AllReduce::vllm_two_stage);
  CHECK(bf16 < 0.01);
}

TEST_CASE("the rank probe tells rotated chains, pairs and a wide accumulator apart") {
  const std::vector<double> probe{1e8, 1, -1e8, 1};
  const auto value = [&](const char* topology) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(sum_of(topology, probe)));
  };
  CHECK(value("fold(f32)") == 1);
  CHECK(value("rotate(1, fold(f32))") == 0);
  CHECK(value("rotate(2, fold(f32))") == 1);
  CHECK(value("rotate(3, fold(f32))") == 0);
  CHECK(value("pairs(f32)") == 0);
  CHECK(value("halves(f32)") == 2);
  CHECK(value("fold(f64) > f32") == 2);
}

TEST_CASE("the fingerprint of four ranks names the start of every element") {
  // Another result for each rotation, the tree's chain and a wide accumulator.
  const std::vector<double> print{67108864, -6, -50331648, 3};
  const auto value = [&](const char* topology) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(sum_of(topology, print)));
  };
  CHECK(value("fold(f32)") == 16777211);
  CHECK(value("rotate(1, fold(f32))") == 16777212);
  CHECK(value("rotate(2, fold(f32))") == 16777214);
  CHECK(value("rotate(3, fold(f32))") == 16777208);
  CHECK(value("reverse(fold(f32))") == 16777216);
  CHECK(value("fold(f64) > f32") == 16777213);
}

TEST_CASE("vLLM's invariant settings keep one chain for every batch, which of them matter") {
  using namespace whybits::nccl;
  // What each setting, relaxed alone, does to token 0 over batches 1 to 4096 (hidden 4096, bf16).
  const Version version{2, 28, 3};
  const std::map<std::string, std::string> invariant{
      {"NCCL_ALGO", "allreduce:tree"}, {"NCCL_PROTO", "Simple"},      {"NCCL_MIN_NCHANNELS", "1"},
      {"NCCL_MAX_NCHANNELS", "1"},     {"NCCL_NVLS_ENABLE", "0"},     {"NCCL_COLLNET_ENABLE", "0"},
      {"NCCL_NTHREADS", "1"},          {"NCCL_SOCKET_NTHREADS", "1"}, {"NCCL_LAUNCH_MODE", "GROUP"},
      {"NCCL_P2P_NET_DISABLE", "1"}};
  const auto topologies_of_element_0_to_4095 = [&](const std::string& relaxed,
                                                   std::uint64_t ranks) {
    auto environment = invariant;
    environment.erase(relaxed);
    if (relaxed == "NCCL_MAX_NCHANNELS") environment.erase("NCCL_MIN_NCHANNELS");
    std::vector<std::string> seen;
    for (std::uint64_t batch = 1; batch <= 4096; batch = batch < 64 ? batch + 1 : batch * 2) {
      Request request;
      request.version = version;
      request.count = batch * 4096;
      request.type = formats::bf16;
      request.machine = hopper_nvswitch(ranks);
      request.settings = read_settings(environment, version);
      std::string head;
      for (const MapRegion& region : predict_all_reduce(request).map.regions)
        if (region.begin < 4096)
          head += std::to_string(std::min<std::uint64_t>(region.end, 4096)) + " " +
                  print(*region.topology) + " ";
      if (std::ranges::find(seen, head) == seen.end()) seen.push_back(head);
    }
    return seen.size();
  };
  for (const std::uint64_t ranks : {3U, 4U}) {
    CAPTURE(ranks);
    CHECK(topologies_of_element_0_to_4095("", ranks) == 1);
    CHECK(topologies_of_element_0_to_4095("NCCL_ALGO", ranks) > 1);  // Ring is back
    for (const char* other :
         {"NCCL_PROTO", "NCCL_NVLS_ENABLE", "NCCL_COLLNET_ENABLE", "NCCL_NTHREADS",
          "NCCL_SOCKET_NTHREADS", "NCCL_LAUNCH_MODE", "NCCL_P2P_NET_DISABLE", "NCCL_MIN_NCHANNELS"})
      CHECK(topologies_of_element_0_to_4095(other, ranks) == 1);
  }
  // More channels: no matter with four ranks, whose channels share one chain. With three they do
  // not; token 0 stays in channel 0 all the same, and only later tokens change their channel.
  CHECK(topologies_of_element_0_to_4095("NCCL_MAX_NCHANNELS", 4) == 1);
  CHECK(topologies_of_element_0_to_4095("NCCL_MAX_NCHANNELS", 3) == 1);
}
