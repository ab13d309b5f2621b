#include "lab/leaf_runs.hpp"

#include <algorithm>

namespace whybits {

std::vector<LeafRun> leaf_runs(const Trace& trace, std::span<const Origin> origins) {
  std::vector<std::int64_t> leaves;
  std::vector<Origin> open(origins.begin(), origins.end());
  while (!open.empty()) {
    const Origin origin = open.back();
    open.pop_back();
    if (is_leaf_origin(origin)) leaves.push_back(static_cast<std::int64_t>(leaf_of_origin(origin)));
    if (origin < 0) continue;
    const TraceNode& node = trace.node(origin);
    open.push_back(node.accumulator);
    open.insert(open.end(), node.inputs.begin(), node.inputs.end());
  }
  std::sort(leaves.begin(), leaves.end());
  std::vector<LeafRun> runs;
  for (const std::int64_t leaf : leaves) {
    if (!runs.empty() && leaf <= runs.back().last + 1)
      runs.back().last = leaf;
    else
      runs.push_back({leaf, leaf});
  }
  return runs;
}

std::string runs_text(std::span<const LeafRun> runs,
                      const std::function<std::string(std::int64_t)>& number, std::size_t first) {
  const auto run = [&](const LeafRun& r) {
    return r.first == r.last ? number(r.first) : number(r.first) + "…" + number(r.last);
  };
  std::string out;
  const bool all = runs.size() <= first + 1;
  for (std::size_t i = 0; i < (all ? runs.size() : first); ++i)
    out += (i > 0 ? ", " : "") + run(runs[i]);
  return all ? out : out + ", …, " + run(runs.back());
}

}  // namespace whybits
