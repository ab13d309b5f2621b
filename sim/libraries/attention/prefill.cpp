#include "sim/libraries/attention/prefill.hpp"

#include <algorithm>
#include <string>

#include "sim/ceil_div.hpp"

namespace whybits {

std::vector<PrefillLaunch> prefill_launches(const FlashKernel& kernel, AttentionShape prompt,
                                            const FlashWish& wish,
                                            const PrefillSchedule& schedule) {
  const std::uint64_t keys = prompt.keys;
  if (keys == 0) throw ConfigurationError("keys", keys, "must be at least 1");
  if (schedule.cached >= keys)
    throw ConfigurationError(
        "cached", schedule.cached,
        "must leave a query: less than the " + std::to_string(keys) + " keys of the prompt");
  const std::uint64_t queries = keys - schedule.cached;
  const std::uint64_t chunk = schedule.chunk == 0 ? queries : schedule.chunk;
  if (ceil_div(queries, chunk) > most_prefill_launches)
    throw ConfigurationError("chunk", chunk,
                             "cuts " + std::to_string(queries) + " queries into more than " +
                                 std::to_string(most_prefill_launches) + " launches");
  prompt.causal = true;
  std::vector<PrefillLaunch> launches;
  for (std::uint64_t first = schedule.cached; first < keys;) {
    const std::uint64_t end = first + std::min(chunk, keys - first);
    prompt.queries = end - first;
    prompt.keys = end;
    launches.push_back({first, end, flash_plan(kernel, prompt, wish)});
    first = end;
  }
  return launches;
}

RowCut row_cut(const FlashPlan& plan, std::uint64_t seen) {
  RowCut cut{plan.kernel.fused_scores, plan.block, 0, 0};
  const std::uint64_t splits = ceil_div(seen, plan.split_keys);
  if (seen <= plan.block) cut.block = 0;
  if (splits > 1) cut.split_keys = plan.split_keys;
  if (splits > flash_combine_lanes(plan)) cut.lanes = flash_combine_lanes(plan);
  return cut;
}

}  // namespace whybits
