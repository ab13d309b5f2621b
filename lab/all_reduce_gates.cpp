#include "lab/all_reduce_gates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/inputs.hpp"

namespace whybits {
namespace {

/// The first elements of a map.
TopologyMap head(const TopologyMap& map, std::uint64_t count) {
  TopologyMap part;
  for (const MapRegion& region : map.regions)
    if (region.begin < count)
      part.regions.push_back({region.begin, std::min(region.end, count), region.topology});
  return part;
}

std::vector<std::string> reasons(const AllReducePlan& before, const AllReducePlan& now) {
  std::vector<std::string> found;
  if (before.nccl && now.nccl) {
    const nccl::Choice& a = before.nccl->choice;
    const nccl::Choice& b = now.nccl->choice;
    const auto name = [](const auto& names, auto value) {
      return names[static_cast<std::size_t>(value)];
    };
    if (a.algorithm != b.algorithm)
      found.push_back(fmt::format("algorithm {} → {}", name(nccl::algorithm_names, a.algorithm),
                                  name(nccl::algorithm_names, b.algorithm)));
    if (a.protocol != b.protocol)
      found.push_back(fmt::format("protocol {} → {}", name(nccl::protocol_names, a.protocol),
                                  name(nccl::protocol_names, b.protocol)));
    if (a.channels != b.channels)
      found.push_back(fmt::format("channels {} → {}", a.channels, b.channels));
    else if (before.nccl->parts.size() != now.nccl->parts.size())
      found.push_back(
          fmt::format("parts {} → {}", before.nccl->parts.size(), now.nccl->parts.size()));
  }
  if (found.empty()) found.emplace_back("chunk borders");
  return found;
}

}  // namespace

std::vector<BatchGate> all_reduce_gates(const GatesRequest& request) {
  const auto inputs =
      open_messages("--input", request.input, request.type, request.ranks, request.hidden);
  std::vector<BatchGate> gates;
  AllReducePlan before;
  TopologyMap head_before;
  std::vector<Bits> first, last;
  for (std::uint64_t batch = request.first; batch <= request.last; ++batch) {
    AllReducePlan plan = all_reduce_plan("--algorithm", request.algorithm,
                                         {request.ranks, request.hidden * batch, request.type, 1});
    BatchGate gate{batch, request.hidden * batch * request.type.word_bytes(), {}, {}, 0, 0, 0};
    if (plan.nccl) gate.choice = plan.nccl->choice;
    TopologyMap now = head(plan.map, request.hidden);
    if (gates.empty()) {
      first = last = evaluate_map(now, inputs, request.hidden);
    } else {
      gate.other_topology = elements_with_other_topology(head_before, now, request.ranks);
      if (gate.other_topology > 0) {
        std::vector<Bits> codes = evaluate_map(now, inputs, request.hidden);
        gate.reasons = reasons(before, plan);
        gate.differ = count_differences(last, codes);
        last = std::move(codes);
      }
      gate.differ_from_first = count_differences(first, last);
    }
    gates.push_back(std::move(gate));
    before = std::move(plan);
    head_before = std::move(now);
  }
  return gates;
}

}  // namespace whybits
