#include "lab/prefill_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/text_table.hpp"
#include "lab/tree_runs.hpp"

namespace whybits {
namespace {

/// "blocks of 128, not 64", "one split, not splits of 512"; 0 stands for a single one of all keys.
std::string other_text(std::string_view noun, std::uint64_t is, std::uint64_t was) {
  const auto text = [&](std::uint64_t size) {
    return size == 0 ? fmt::format("one {}", noun) : fmt::format("{}s of {}", noun, grouped(size));
  };
  return fmt::format("{}, not {}", text(is), is != 0 && was != 0 ? grouped(was) : text(was));
}

/// A masked key has weight 0: what is 0 times a finite value is told from nothing only by the sign
/// of a zero.
constexpr const char* behind_the_mask =
    "one computation of what a query sees; behind the mask 0 · ∞ or NaN, or the sign of 0";

/// "blocks of 128, not 64; splits of 512, not one split".
std::string reason_of(const PrefillLaunch& launch, const PrefillLaunch& whole,
                      std::uint64_t query) {
  const RowCut a = row_cut(launch.plan, query + 1), b = row_cut(whole.plan, query + 1);
  if (a == b) return "one computation: must not differ";
  std::vector<std::string> parts;
  if (a.block != b.block) parts.push_back(other_text("block", a.block, b.block));
  if (a.split_keys != b.split_keys)
    parts.push_back(other_text("split", a.split_keys, b.split_keys));
  if (parts.empty()) parts.emplace_back("splits combined by other lanes");
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool same_cut(const FlashPlan& a, const FlashPlan& b) {
  return a.block == b.block && a.splits == b.splits &&
         (a.splits == 1 || a.split_keys == b.split_keys);
}

const PrefillLaunch& launch_of(const PrefillWay& way, std::uint64_t query) {
  const auto after = std::ranges::upper_bound(way.launches, query, {}, &PrefillLaunch::end);
  return *after;
}

/// The request's rows that the way asks for, and the last query of each run, heads in turn.
std::vector<std::uint64_t> rows_of(const AttentionRequest& request, const PrefillWay& way,
                                   std::span<const PrefillRun> runs) {
  const AttentionShape& s = request.shape;
  std::set<std::uint64_t> rows;
  for (const std::uint64_t row : request.rows)
    if (row % s.queries >= way.schedule.cached) rows.insert(row);
  for (std::size_t i = 0; i < runs.size(); ++i) rows.insert(i % s.heads * s.queries + runs[i].last);
  return {rows.begin(), rows.end()};
}

/// Rows as the launches give them, each by its own.
AttentionOutputs run_launches(const AttentionRequest& request, const PrefillWay& way) {
  const std::uint64_t d = request.shape.head_size;
  AttentionOutputs out{std::vector<Bits>(request.rows.size() * d),
                       std::vector<Bits>(request.rows.size())};
  for (const PrefillLaunch& launch : way.launches) {
    AttentionRequest part = request;
    part.rows.clear();
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < request.rows.size(); ++i) {
      const std::uint64_t query = request.rows[i] % request.shape.queries;
      if (query < launch.first || query >= launch.end) continue;
      part.rows.push_back(request.rows[i]);
      places.push_back(i);
    }
    if (places.empty()) continue;
    const AttentionOutputs own = run_attention(part, launch.plan);
    for (std::size_t i = 0; i < places.size(); ++i) {
      out.lse[places[i]] = own.lse[i];
      std::copy_n(own.y.begin() + static_cast<std::ptrdiff_t>(i * d), d,
                  out.y.begin() + static_cast<std::ptrdiff_t>(places[i] * d));
    }
  }
  return out;
}

std::string way_text(const PrefillSchedule& schedule) {
  const std::string chunk = schedule.chunk == 0
                                ? std::string("at once")
                                : fmt::format("chunks of {}", grouped(schedule.chunk));
  return schedule.cached == 0 ? chunk
                              : fmt::format("{} cached, {}", grouped(schedule.cached),
                                            schedule.chunk == 0 ? "the rest " + chunk : chunk);
}

}  // namespace

std::vector<PrefillRun> prefill_runs(const PrefillWay& way) {
  std::vector<PrefillRun> runs;
  for (const PrefillLaunch& launch : way.launches) {
    bool fresh = true;  // no run of this launch yet
    for (std::uint64_t query = launch.first; query < launch.end; ++query) {
      const bool same = row_cut(launch.plan, query + 1) == row_cut(way.whole.plan, query + 1);
      const bool joins = !runs.empty() && runs.back().must_not_differ == same &&
                         same_cut(runs.back().plan, launch.plan);
      if (joins) {
        runs.back().last = query;
        if (fresh) ++runs.back().launches;
      } else {
        runs.push_back({query, query, 1, launch.plan, same, {}, 0, 0, 0, 0, {}});
      }
      fresh = false;
    }
  }
  for (PrefillRun& run : runs)
    run.reason = reason_of(launch_of(way, run.last), way.whole, run.last);
  return runs;
}

std::vector<PrefillRun> compare_prefill(const AttentionRequest& given, const PrefillWay& way) {
  const AttentionShape& s = given.shape;
  std::vector<PrefillRun> runs = prefill_runs(way);
  AttentionRequest request = given;
  request.rows = rows_of(given, way, runs);
  const AttentionOutputs whole = run_attention(request, way.whole.plan);
  const AttentionOutputs parts = run_launches(request, way);
  for (std::size_t i = 0; i < request.rows.size(); ++i) {
    const std::uint64_t query = request.rows[i] % s.queries;
    PrefillRun& run = *std::ranges::lower_bound(runs, query, {}, &PrefillRun::last);
    std::uint64_t differ = 0;
    for (std::uint64_t column = 0; column < s.head_size; ++column) {
      const std::size_t at = i * s.head_size + column;
      if (whole.y[at] == parts.y[at]) continue;
      ++differ;
      if (!run.first_difference)
        run.first_difference = {request.rows[i] / s.queries % s.heads, query, column};
    }
    ++run.rows;
    run.rows_differ += differ > 0 ? 1 : 0;
    run.outputs += s.head_size;
    run.outputs_differ += differ;
  }
  for (PrefillRun& run : runs)
    if (run.must_not_differ && run.outputs_differ > 0) run.reason = behind_the_mask;
  return runs;
}

std::string prefill_text(std::span<const PrefillWay> ways,
                         std::span<const std::vector<PrefillRun>> all_runs) {
  using enum TextTable::Align;
  std::string out;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const PrefillWay& way = ways[i];
    out += fmt::format("{}{}, {}, beside the whole prompt in {}\n", i == 0 ? "" : "\n", way.spec,
                       way_text(way.schedule), plan_text(way.whole.plan));
    TextTable table({"queries", "launches", "cut into", "rows differ", "outputs differ", "why"},
                    {right, right, left, right, right, left});
    for (const PrefillRun& run : all_runs[i])
      table.row({run_text({run.first, run.last, {}}), grouped(run.launches), plan_text(run.plan),
                 fmt::format("{} of {}", grouped(run.rows_differ), grouped(run.rows)),
                 fmt::format("{} of {}", grouped(run.outputs_differ), grouped(run.outputs)),
                 run.reason});
    out += table.text(2);
  }
  return out;
}

nlohmann::ordered_json prefill_json(const PrefillWay& way, std::span<const PrefillRun> runs) {
  nlohmann::ordered_json out{{"kernel", way.spec},
                             {"evidence", way.whole.plan.kernel.evidence},
                             {"cached", way.schedule.cached},
                             {"chunk", nullptr},
                             {"whole", plan_json(way.whole.plan)},
                             {"launches", way.launches.size()},
                             {"runs", nlohmann::ordered_json::array()}};
  if (way.schedule.chunk != 0) out["chunk"] = way.schedule.chunk;
  for (const PrefillRun& run : runs) {
    nlohmann::ordered_json first = nullptr;
    if (run.first_difference)
      first = {{"head", run.first_difference->head},
               {"query", run.first_difference->query},
               {"column", run.first_difference->column}};
    nlohmann::ordered_json one{
        {"first", run.first}, {"last", run.last}, {"launches", run.launches}};
    one.update(plan_json(run.plan));
    one.update({{"must_not_differ", run.must_not_differ},
                {"reason", run.reason},
                {"rows", run.rows},
                {"rows_differ", run.rows_differ},
                {"outputs", run.outputs},
                {"outputs_differ", run.outputs_differ},
                {"first_difference", std::move(first)}});
    out["runs"].push_back(std::move(one));
  }
  return out;
}

}  // namespace whybits
