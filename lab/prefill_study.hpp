// One prompt served in several ways: at once, in chunks of queries, behind a cached prefix. Which
// rows (a query of a head) are the computation that the whole prompt is, and which bits differ.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/attention_study.hpp"
#include "sim/libraries/attention/prefill.hpp"

namespace whybits {

/// A kernel with its wishes, beside itself on the whole prompt.
struct PrefillWay {
  std::string spec;  ///< of the kernel: "fa2:splits=4"
  PrefillSchedule schedule;
  PrefillLaunch whole;                  ///< every query at once
  std::vector<PrefillLaunch> launches;  ///< of the schedule
};

/// Queries in a row, of launches cut in one way, that are all the whole prompt's computation or all
/// are not.
struct PrefillRun {
  std::uint64_t first = 0, last = 0;
  std::uint64_t launches = 1;
  FlashPlan plan;
  bool must_not_differ = false;
  std::string reason;  ///< what the row's cut has other than the whole's; of the last query
  std::uint64_t rows = 0, rows_differ = 0;  ///< compared
  std::uint64_t outputs = 0, outputs_differ = 0;
  /// The first output seen that differs.
  struct Place {
    std::uint64_t head = 0, query = 0, column = 0;
  };
  std::optional<Place> first_difference;
};

/// The runs of a way, without looking at data: nothing is counted yet.
std::vector<PrefillRun> prefill_runs(const PrefillWay& way);

/// The same with counts. The request's shape has as many queries as keys, one sequence; its rows
/// are compared, and of every run the last query of a head. Errors: RecipeError.
std::vector<PrefillRun> compare_prefill(const AttentionRequest& request, const PrefillWay& way);

std::string prefill_text(std::span<const PrefillWay> ways,
                         std::span<const std::vector<PrefillRun>> runs);
nlohmann::ordered_json prefill_json(const PrefillWay& way, std::span<const PrefillRun> runs);

}  // namespace whybits
