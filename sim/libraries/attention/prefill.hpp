// A prompt that is not attended to at once: in chunks of queries, or behind a prefix whose keys and
// values are cached. Each chunk is a launch of its own, which is cut by its own queries and keys.
#pragma once

#include <vector>

#include "sim/libraries/attention/flash.hpp"

namespace whybits {

/// How the queries of a prompt are served.
struct PrefillSchedule {
  std::uint64_t cached = 0;  ///< queries that are not asked: their keys are there already
  std::uint64_t chunk = 0;   ///< queries of a launch; 0: all at once
};

/// Queries [first, end) over keys [0, end).
struct PrefillLaunch {
  std::uint64_t first = 0, end = 0;
  FlashPlan plan;
};

/// The launches of a schedule, in order. `prompt` has as many queries as keys; its mask is causal,
/// whatever it says. Errors: ConfigurationError for a prompt without tokens, a cache that leaves no
/// query, more than `most_prefill_launches`, and what flash_plan refuses.
std::vector<PrefillLaunch> prefill_launches(const FlashKernel& kernel, AttentionShape prompt,
                                            const FlashWish& wish, const PrefillSchedule& schedule);
inline constexpr std::uint64_t most_prefill_launches = 4096;

/// How a launch cuts the keys of a row that sees `seen` of them, without what cannot matter: the
/// block where all that it sees is in one, splits behind what it sees, lanes of the combination
/// that hold at most one split either way. Keys behind the mask add +0 to finite values.
///
/// Rows with equal cuts are one computation: of finite values no bit may differ (but for the sign
/// of an output that a combination of splits lets underflow to zero).
struct RowCut {
  bool fused_scores = false;
  std::uint64_t block = 0;       ///< 0: one holds all
  std::uint64_t split_keys = 0;  ///< 0: one holds all
  std::uint64_t lanes = 0;       ///< 0: as many as splits, or more

  friend bool operator==(const RowCut&, const RowCut&) = default;
};
RowCut row_cut(const FlashPlan& plan, std::uint64_t seen);

}  // namespace whybits
