#include "lab/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "exact/measure.hpp"
#include "lab/code_text.hpp"
#include "lab/files.hpp"
#include "lab/leaf_runs.hpp"
#include "lab/memory_limit.hpp"
#include "lab/number_view.hpp"
#include "lab/ribbons.hpp"
#include "lab/text_table.hpp"
#include "sim/arith.hpp"

namespace whybits {
namespace {

constexpr std::size_t shown_agreements = 2;
constexpr std::size_t shown_entries = 3;

std::string node_name(const TraceNode& node) {
  return node.unit ? unit_name(*node.unit) : "+ operand";
}

std::string sum_text(const Trace& trace, Origin step) {
  return "the sum of " + leaves_text(trace.node(step).leaves, trace, {&step, 1});
}

/// What enters a step beside the accumulator, or the values that an adder combines.
std::string inputs_text(const Trace& trace, const TraceNode& node) {
  LeafSet direct;
  std::vector<Origin> own;
  std::vector<std::string> parts;
  for (const Origin origin : node.inputs) {
    if (origin >= 0)
      parts.push_back(sum_text(trace, origin));
    else if (origin == origin_c)
      parts.emplace_back("c");
    else if (origin == origin_operand)
      parts.emplace_back("the operand");
    else if (is_leaf_origin(origin)) {
      direct.insert(origin);
      own.push_back(origin);
    }
  }
  if (direct.count > 0) parts.insert(parts.begin(), leaves_text(direct, trace, own));
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string accumulator_text(const Trace& trace, Origin origin) {
  if (origin >= 0) return sum_text(trace, origin);
  if (origin == origin_c) return "c";
  if (is_leaf_origin(origin)) return fmt::format("leaf {}", leaf_of_origin(origin));
  return "0";
}

void code_rows(TextTable& table, const std::string& name, const Format& format, Bits code) {
  table.row({name, display_decimal(format, code), hex_code(format, code), field_text(format, code),
             format_name(format)});
}

std::string distance_text(const Format& fa, Bits a, const Format& fb, Bits b) {
  if (!(fa == fb)) return "";
  const auto ulp = exact::ulp_distance(fa, a, b);
  if (!ulp) return "Not comparable, there is a NaN";
  return fmt::format("{} ulp of {} apart", grouped(*ulp), format_name(fa));
}

/// The exact sum with enough digits to place it among the codes.
std::string exact_text(const Dyadic& exact) {
  std::string text = exact.to_decimal();
  constexpr std::size_t longest = 24;
  return text.size() <= longest ? text : fmt::format("{:.15g}…", exact.to_double());
}

std::string last_rounding_text(const OutputStory& story) {
  const SplitReduction& a = story.reduction_a;
  const SplitReduction& b = story.reduction_b;
  if (!a.last || a.last != b.last || !story.exact || story.exact->is_zero()) return "";
  const Bits want = story.exact->round_to(a.last->to, a.last->rule);
  const bool right_a = story.after_a == want;
  const bool right_b = story.after_b == want;
  if (right_a == right_b)
    return right_a ? ""
                   : "The exact sum rounds to " + display_decimal(a.last->to, want) +
                         ": neither has it.";
  return fmt::format("The exact sum rounds to {}: {} has it, {} has not.",
                     display_decimal(a.last->to, want), right_a ? "A" : "B", right_a ? "B" : "A");
}

std::string ledger_row_step(const OutputStory& story, const LedgerDifference& entry) {
  if (entry.a >= 0 && entry.b >= 0) return step_text(story.a, entry.a) + " (both)";
  return entry.a >= 0 ? step_text(story.a, entry.a) : step_text(story.b, entry.b);
}

std::string ledger_subject(const OutputStory& story) {
  const std::string difference = story.healed ? "A - B before the last rounding" : "A - B";
  return story.divergence.same_addends ? difference : "what rounding makes of " + difference;
}

void append_ledger(std::string& out, const OutputStory& story) {
  if (!story.divergence.ledger_valid) {
    out += "\n  ledger: not defined, a step met NaN, infinity or overflow\n";
    return;
  }
  const auto& entries = story.divergence.ledger;
  Dyadic total;
  for (const LedgerDifference& entry : entries) total += entry.amount;
  if (!story.divergence.same_addends)
    out += "\n  A and B do not add the same numbers: their exact sums differ as well\n";
  if (entries.empty()) {
    out += "\n  ledger: every step that both have discards the same, the others nothing\n";
    return;
  }
  const std::string differing =
      counted(entries.size(), "entry") + (entries.size() == 1 ? " that differs" : " that differ");
  out += fmt::format("\n  ledger: {} = {} is the sum of {}{}\n", ledger_subject(story),
                     signed_short(total), differing,
                     entries.size() > shown_entries ? "; the largest" : "");
  using enum TextTable::Align;
  TextTable table({"in", "A discards", "B discards", "step"}, {left, right, right, left});
  for (std::size_t i = 0; i < std::min(shown_entries, entries.size()); ++i) {
    const LedgerDifference& e = entries[i];
    table.row({e.a >= 0 && e.b >= 0 ? "both"
               : e.a >= 0           ? "A"
                                    : "B",
               e.a >= 0 ? signed_short(story.a.node(e.a).discarded) : "",
               e.b >= 0 ? signed_short(story.b.node(e.b).discarded) : "",
               ledger_row_step(story, e)});
  }
  out += table.text(4);
}

nlohmann::ordered_json code_json(const Format& format, Bits code) {
  return {{"format", format_name(format)},
          {"code", hex_code(format, code)},
          {"fields", field_text(format, code)},
          {"value", display_decimal(format, code)}};
}

nlohmann::ordered_json node_json(const Trace& trace, std::int64_t node) {
  if (node < 0) return nullptr;
  const TraceNode& n = trace.node(node);
  return {{"number", node},
          {"step", step_text(trace, node)},
          {"value", code_json(n.format, n.code)},
          {"leaves", n.leaves.count},
          {"first_leaf", n.leaves.first},
          {"last_leaf", n.leaves.last},
          {"discarded",
           n.finite ? nlohmann::ordered_json(n.discarded.to_decimal()) : nlohmann::ordered_json()}};
}

}  // namespace

std::string leaves_text(const LeafSet& leaves, const Trace& trace, std::span<const Origin> below) {
  if (leaves.empty()) return "nothing";
  if (leaves.count == 0) return "c or an operand alone";
  if (leaves.count == 1) return fmt::format("leaf {}", leaves.first);
  const auto span = static_cast<std::uint64_t>(leaves.last - leaves.first) + 1;
  if (span == leaves.count) return fmt::format("leaves {}…{}", leaves.first, leaves.last);
  if (!told_by_runs(leaves))
    return fmt::format("{} of the leaves {}…{}", leaves.count, leaves.first, leaves.last);
  const std::vector<LeafRun> runs = leaf_runs(trace, below);
  return fmt::format("{} leaves ({})", leaves.count,
                     runs_text(runs, [](std::int64_t leaf) { return std::to_string(leaf); }));
}

std::string step_text(const Trace& trace, std::int64_t node) {
  const TraceNode& n = trace.node(node);
  if (n.is_rounding)
    return fmt::format("rounding to {} of {}", conversion_name(n.conversion),
                       leaves_text(n.leaves, trace, {&node, 1}));
  return fmt::format("{}: {} onto {}", node_name(n), inputs_text(trace, n),
                     accumulator_text(trace, n.accumulator));
}

namespace {

std::string codes_text(const OutputStory& story) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  TextTable codes({"", "value", "word", "sign exponent fraction", "format"});
  code_rows(codes, "A", x.output, story.after_a);
  code_rows(codes, "B", y.output, story.after_b);
  if (x.last || y.last) {
    code_rows(codes, "A before the last rounding", x.before.result, story.before_a);
    code_rows(codes, "B before the last rounding", y.before.result, story.before_b);
  }
  if (story.exact) codes.row({"exact", exact_text(*story.exact)});
  return codes.text(2);
}

/// How far apart the results are, after and before the last rounding.
std::string distances_text(const OutputStory& story) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  const std::string before =
      distance_text(x.before.result, story.before_a, y.before.result, story.before_b);
  if (story.healed)
    return (before.empty() ? "They differ" : before) +
           " before the last rounding, which makes them equal.";
  if (story.divergence.same_result) return "";
  const std::string after = distance_text(x.output, story.after_a, y.output, story.after_b);
  if (after.empty() || before.empty() || before == after) return after.empty() ? "" : after + ".";
  return after + "; " + before + " before the last rounding.";
}

}  // namespace

std::string story_text(const OutputStory& story, const std::string& title) {
  const Divergence& d = story.divergence;
  const bool same = story.healed || d.same_result;
  std::string out = title + (same ? ": the same bits\n" : "\n") + codes_text(story);
  for (const std::string& sentence : {distances_text(story), last_rounding_text(story)})
    if (!sentence.empty()) out += "  " + sentence + "\n";
  out += output_errors_text(story.error_a, story.error_b);
  out += d.same_result ? "\n  what agrees\n" : "\n  where they part\n";
  if (d.agreements.empty())
    out += "    no step of A and B covers the same leaves with the same bits\n";
  for (std::size_t i = 0; i < std::min(shown_agreements, d.agreements.size()); ++i) {
    const Agreement& agreement = d.agreements[i];
    const TraceNode& node = story.a.node(agreement.a);
    out += fmt::format("    equal    {}: {} ({}) in both\n",
                       leaves_text(node.leaves, story.a, {&agreement.a, 1}),
                       display_decimal(node.format, node.code), hex_code(node.format, node.code));
    if (agreement.next_a >= 0)
      out += fmt::format("    next, A  {}\n", step_text(story.a, agreement.next_a));
    if (agreement.next_b >= 0)
      out += fmt::format("    next, B  {}\n", step_text(story.b, agreement.next_b));
  }
  if (!d.same_result || !d.ledger.empty()) append_ledger(out, story);
  return out;
}

namespace {

constexpr std::size_t most_steps_copied = std::size_t{1} << 17;
constexpr std::size_t most_ribbons = 4096;

nlohmann::ordered_json ribbons_json(const Ribbons& ribbons, bool amounts) {
  if (ribbons.size() > most_ribbons) return nullptr;
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < ribbons.size(); ++r) {
    const Ribbon& ribbon = ribbons.ribbons[r];
    const MarkCounts marks = ribbons.marks(r, r);
    const auto amount = [&](const Dyadic& value) {
      return amounts ? nlohmann::ordered_json(value.to_decimal()) : nlohmann::ordered_json();
    };
    out.push_back({{"leaves", ribbon.leaves.count},
                   {"first_leaf", ribbon.leaves.first},
                   {"last_leaf", ribbon.leaves.last},
                   {"steps", ribbon.steps()},
                   {"same", marks.same},
                   {"other", marks.other},
                   {"no_counterpart", marks.no_counterpart},
                   {"discarded", amount(ribbons.discarded(r, r))},
                   {"share", amount(ribbons.share(r, r))}});
  }
  return out;
}

/// The K axis before the last rounding: what each accumulator lost.
void add_axis_json(nlohmann::ordered_json& out, const OutputStory& story) {
  if (std::max(story.a.nodes.size(), story.b.nodes.size()) > most_steps_copied) return;
  OutputStory sums = story;
  end_before_last_rounding(sums);
  const RibbonPair ribbons = cut_into_ribbons(sums.a, sums.b, sums.divergence);
  const bool valid = sums.divergence.ledger_valid;
  const auto error = [&](const Trace& trace) {
    return valid ? nlohmann::ordered_json(trace.ledger().to_decimal()) : nlohmann::ordered_json();
  };
  out["sums"] = {{"error_a", error(sums.a)},
                 {"error_b", error(sums.b)},
                 {"ribbons_a", ribbons_json(ribbons.a, valid)},
                 {"ribbons_b", ribbons_json(ribbons.b, valid)}};
}

}  // namespace

nlohmann::ordered_json story_json(const OutputStory& story) {
  nlohmann::ordered_json out{
      {"same", story.healed || story.divergence.same_result},
      {"healed_by_last_rounding", story.healed},
      {"a", code_json(story.reduction_a.output, story.after_a)},
      {"b", code_json(story.reduction_b.output, story.after_b)},
      {"a_before", code_json(story.reduction_a.before.result, story.before_a)},
      {"b_before", code_json(story.reduction_b.before.result, story.before_b)},
      {"exact", story.exact ? nlohmann::ordered_json(story.exact->to_decimal()) : nullptr}};
  out["error_a"] = output_error_json(story.error_a);
  out["error_b"] = output_error_json(story.error_b);
  out["agreements"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(16, story.divergence.agreements.size()); ++i) {
    const Agreement& agreement = story.divergence.agreements[i];
    out["agreements"].push_back({{"equal", node_json(story.a, agreement.a)},
                                 {"next_a", node_json(story.a, agreement.next_a)},
                                 {"next_b", node_json(story.b, agreement.next_b)}});
  }
  out["ledger_valid"] = story.divergence.ledger_valid;
  out["ledger_entries"] = story.divergence.ledger.size();
  out["ledger"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(16, story.divergence.ledger.size()); ++i) {
    const LedgerDifference& entry = story.divergence.ledger[i];
    out["ledger"].push_back({{"amount", entry.amount.to_decimal()},
                             {"a", node_json(story.a, entry.a)},
                             {"b", node_json(story.b, entry.b)}});
  }
  add_axis_json(out, story);
  return out;
}

StoryPlan plan_story(const Study& study, const std::string& title) {
  return {title, story_bytes(study, study.pairs[0])};
}

std::string why_omitted(const StoryPlan& plan) {
  return fmt::format("its traces would need {} of memory; {} are allowed", bytes_text(plan.bytes),
                     human_bytes(StoryPlan::limit));
}

std::string planned_story_text(const StoryPlan& plan, const std::optional<OutputStory>& story) {
  if (plan.title.empty()) return "";
  if (story) return "\n" + story_text(*story, plan.title);
  return fmt::format("\n{} is not explained:\n  {}\n", plan.title, why_omitted(plan));
}

void add_story_json(nlohmann::ordered_json& out, const StoryPlan& plan,
                    const std::optional<OutputStory>& story) {
  if (plan.title.empty()) return;
  if (story) {
    out["output"] = story_json(*story);
    out["output"]["name"] = plan.title;
  } else {
    out["output_omitted"] = plan.title + ": " + why_omitted(plan);
  }
}

}  // namespace whybits
