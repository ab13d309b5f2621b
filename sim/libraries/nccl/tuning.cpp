#include "sim/libraries/nccl/tuning.hpp"

#include <algorithm>
#include <bit>

namespace whybits::nccl {
namespace {

constexpr std::size_t index(Algorithm a) {
  return static_cast<std::size_t>(a);
}
constexpr std::size_t index(Protocol p) {
  return static_cast<std::size_t>(p);
}

// src/graph/tuning.cc: base latencies and NVLink hops in µs, [algorithm][protocol].
constexpr float base_latency[algorithms][protocols] = {{6.8F, 14.0F, 0}, {6.6F, 14.0F, 8.4F}};
constexpr float hop_latency[algorithms][protocols] = {{.6F, 1.25F, 0}, {.6F, 1.9F, 3.4F}};
// Caps of one channel on Hopper, GB/s.
constexpr double ring_ll128_cap = 36.7, tree_ll128_cap = 36.7, tree_cap = 38.7;
/// What a tree reaches of its bandwidth, by floor(log2(bytes / 64)).
constexpr float tree_correction[protocols][24] = {
    {1.0F, 1.0F, 1.0F, 1.0F, .9F, .8F, .7F, .7F,  .7F,  .7F,  .6F,  .5F,
     .4F,  .4F,  .5F,  .6F,  .7F, .8F, .9F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F},
    {1.0F, 1.0F, 1.0F, 1.0F, 1.0F, .9F, .8F, .8F, .8F, .7F,  .6F,  .6F,
     .6F,  .6F,  .6F,  .6F,  .8F,  .9F, .9F, .9F, .9F, 1.0F, 1.0F, 1.0F},
    {.9F, .9F, .9F, .9F, .9F, .9F, .9F, .8F, .7F, .6F, .6F, .5F,
     .5F, .5F, .5F, .6F, .7F, .8F, .7F, .7F, .8F, .9F, .9F, .9F}};
constexpr int corrected_sizes = 23;

/// Bytes a thread must have before a further channel is taken.
constexpr std::uint64_t default_threshold[protocols] = {8, 8, 64};

float bandwidth(Algorithm algorithm, Protocol protocol, const Machine& machine,
                const TuningRow& row) {
  const auto channels = static_cast<double>(machine.search_channels);
  auto bus = static_cast<float>(channels * machine.channel_bandwidth);
  const auto narrow = [](double value) { return static_cast<float>(value); };
  if (algorithm == Algorithm::ring) {
    if (protocol == Protocol::ll)
      bus = narrow(std::min(row.ll_bandwidth_cap, bus * row.ring_ll_factor));
    if (protocol == Protocol::ll128) bus = narrow(std::min(bus * 0.92, channels * ring_ll128_cap));
    const auto steps = 2 * (static_cast<double>(machine.ranks) - 1);
    const float ratio = narrow(static_cast<double>(machine.ranks) / steps);
    return bus * ratio;
  }
  bus = narrow(std::min(bus * .92, channels * tree_cap));
  if (protocol == Protocol::ll) bus = narrow(std::min(bus * 1.0 / 3.8, row.ll_bandwidth_cap));
  if (protocol == Protocol::ll128)
    bus = narrow(std::min(bus * (7.0 / 9.0), channels * tree_ll128_cap));
  return bus * .5F;
}

float latency(Algorithm algorithm, Protocol protocol, std::uint64_t ranks, const TuningRow& row) {
  const bool tree_simple = algorithm == Algorithm::tree && protocol == Protocol::simple;
  const float base =
      tree_simple ? row.tree_simple_base : base_latency[index(algorithm)][index(protocol)];
  const float hop =
      tree_simple ? row.tree_simple_hop : hop_latency[index(algorithm)][index(protocol)];
  return base + static_cast<float>(2 * (ranks - 1)) * hop;
}

void require_choice(const Settings& settings, const Rules& rules, const Machine& machine) {
  const auto chosen = [](const auto& enabled) {
    return std::count(enabled.begin(), enabled.end(), true) == 1;
  };
  const bool algorithm_set = chosen(settings.algorithm);
  if (machine.nodes > 1 && !(algorithm_set && chosen(settings.protocol)))
    throw ConfigurationError("between " + std::to_string(machine.nodes) +
                             " nodes NCCL's choice depends on the speed of the network, which is "
                             "not known here; set NCCL_ALGO and NCCL_PROTO to one each");
  if (!rules.tuning.known && !(algorithm_set && chosen(settings.protocol)))
    throw ConfigurationError("NCCL " + version_name(rules.first) +
                             ": how it chooses is not known; set NCCL_ALGO and NCCL_PROTO to one "
                             "each");
  constexpr std::uint64_t without_multicast = 4;  // up to here it is never the fastest
  if (settings.nvls && !algorithm_set && machine.ranks > without_multicast)
    throw ConfigurationError("NCCL_NVLS_ENABLE is not 0: with " + std::to_string(machine.ranks) +
                             " ranks NVLink multicast may be chosen, whose order is not defined; "
                             "set it to 0, or NCCL_ALGO to Ring or Tree");
}

}  // namespace

float expected_time(Algorithm algorithm, Protocol protocol, std::uint64_t bytes,
                    const Machine& machine, const TuningRow& row) {
  float speed = bandwidth(algorithm, protocol, machine, row);
  const int size = static_cast<int>(std::bit_width(bytes >> 6)) - 1;
  if (algorithm == Algorithm::tree && size >= 0 && size < corrected_sizes)
    speed *= tree_correction[index(protocol)][size];
  return latency(algorithm, protocol, machine.ranks, row) +
         static_cast<float>(bytes) / (1000 * speed);
}

Choice size_choice(Algorithm algorithm, Protocol protocol, std::uint64_t bytes,
                   const Machine& machine, const Settings& settings) {
  std::uint64_t threshold = default_threshold[index(protocol)];
  if (algorithm == Algorithm::ring && protocol == Protocol::ll) threshold *= machine.ranks;
  threshold = settings.thread_threshold[index(algorithm)][index(protocol)].value_or(threshold);
  Choice choice{algorithm, protocol, machine.channels, settings.max_threads[index(protocol)]};
  if (algorithm == Algorithm::ring && protocol == Protocol::simple)
    choice.threads = std::min(choice.threads, machine.ring_simple_threads);
  const std::uint64_t channel_bytes = choice.threads * threshold;
  while (choice.channels > 1 && bytes < choice.channels * channel_bytes) --choice.channels;
  while (choice.threads % 128 == 0 && bytes < choice.channels * choice.threads * threshold)
    choice.threads /= 2;
  constexpr std::uint64_t warp = 32;
  if (protocol == Protocol::simple)  // warps that only synchronize
    choice.threads += algorithm == Algorithm::ring ? warp : 4 * warp;
  choice.threads = std::max(choice.threads, 3 * warp);
  return choice;
}

Choice choose(std::uint64_t bytes, const Machine& machine, const Settings& settings,
              const Rules& rules) {
  require_choice(settings, rules, machine);
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  float least = 3600000000.0F;  // µs; an hour
  for (const Algorithm a : {Algorithm::tree, Algorithm::ring})
    for (const Protocol p : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      if (!settings.algorithm[index(a)] || !settings.protocol[index(p)]) continue;
      if (machine.nodes > 1) return size_choice(a, p, bytes, machine, settings);  // the only one
      const float time = expected_time(a, p, bytes, machine, rules.tuning);
      if (time >= least) continue;
      least = time;
      algorithm = a;
      protocol = p;
    }
  return size_choice(algorithm, protocol, bytes, machine, settings);
}

}  // namespace whybits::nccl
