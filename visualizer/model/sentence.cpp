#include "visualizer/model/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exact/measure.hpp"
#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "lab/number_view.hpp"
#include "lab/ribbons.hpp"
#include "lab/text_table.hpp"
#include "visualizer/model/step_title.hpp"
#include "visualizer/model/strip_steps.hpp"

namespace whybits::viz {
namespace {

const TraceNode& at(const Trace& trace, std::int64_t step) {
  return trace.nodes[static_cast<std::size_t>(step)];
}

/// What the step after the agreement takes besides the sum that is equal.
Phrase next_phrase(const std::string& side, const Trace& trace, std::int64_t equal,
                   std::int64_t next) {
  if (next < 0) return {"why.next.done", {side}};
  const TraceNode& node = at(trace, next);
  if (node.is_rounding) return {"why.next.rounds", {side, conversion_name(node.conversion)}};
  LeafSet leaves, sums;
  std::vector<Origin> leaves_from, sums_from;
  const auto take = [&](Origin origin) {
    if (origin == equal) return;
    if (is_leaf_origin(origin)) {
      leaves.insert(origin);
      leaves_from.push_back(origin);
    }
    if (origin >= 0) {
      sums.insert(at(trace, origin).leaves);
      sums_from.push_back(origin);
    }
  };
  take(node.accumulator);
  for (const Origin origin : node.inputs) take(origin);
  if (sums.count > 0) return {"why.next.adds_sum", {side}, {leaves_phrase(sums, trace, sums_from)}};
  if (leaves.count > 0)
    return {"why.next.adds_leaves", {side}, {leaves_phrase(leaves, trace, leaves_from)}};
  return {"why.next.adds_operand", {side}};
}

void where_they_part(const OutputStory& story, std::vector<Phrase>& out) {
  if (story.divergence.agreements.empty()) {
    out.push_back({"why.nothing_common", {}});
    return;
  }
  const Agreement& first = story.divergence.agreements[0];
  const TraceNode& node = at(story.a, first.a);
  out.push_back({"why.equal_until",
                 {display_decimal(node.format, node.code), hex_code(node.format, node.code)},
                 {leaves_phrase(node.leaves, story.a, {&first.a, 1})}});
  out.push_back(next_phrase("A", story.a, first.a, first.next_a));
  out.push_back(next_phrase("B", story.b, first.b, first.next_b));
}

/// The ribbon that lost most on one side, and how one-sided its steps were.
Phrase largest_loss(const std::string& side, const Trace& trace, const Ribbons& ribbons) {
  std::size_t worst = 0;
  Dyadic most;
  for (std::size_t r = 0; r < ribbons.size(); ++r)
    if (const Dyadic lost = ribbons.discarded(r, r).abs(); lost > most) {
      most = lost;
      worst = r;
    }
  std::uint64_t inexact = 0, toward_zero = 0;
  for (const std::int64_t step : ribbons.steps(worst)) {
    const TraceNode& node = at(trace, step);
    if (node.discarded.is_zero()) continue;
    ++inexact;
    const Dyadic value = Dyadic::from_code(node.format, node.code);
    // What was discarded lies on zero's side of the exact sum.
    toward_zero += (value - node.discarded).sign() * node.discarded.sign() < 0 ? 1U : 0U;
  }
  const std::string lost = signed_short(ribbons.discarded(worst, worst));
  const std::string steps = grouped(ribbons.ribbons[worst].steps());
  const Origin last = ribbons.steps(worst).back();
  Phrase range = leaves_phrase(ribbons.ribbons[worst].leaves, trace, {&last, 1});
  if (inexact == 0) return {"why.loss_exact", {side, lost, steps}, {std::move(range)}};
  const double share = 100.0 * static_cast<double>(toward_zero) / static_cast<double>(inexact);
  Phrase out{"why.loss",
             {side, lost, steps, grouped(inexact), fmt::format("{:.0f}", share)},
             {std::move(range)}};
  if (std::string to = strip_steps(ribbons, worst, trace).rounded_to; !to.empty()) {
    out.key = "why.loss_rounded";
    out.values.push_back(std::move(to));
  }
  return out;
}

void who_lost(const OutputStory& story, std::vector<Phrase>& out) {
  const Divergence& d = story.divergence;
  if (!d.ledger_valid) {
    out.push_back({"why.not_finite", {}});
    return;
  }
  if (!d.same_addends) {
    out.push_back({"why.other_addends", {}});
    return;
  }
  const Dyadic a = story.a.ledger();
  const Dyadic b = story.b.ledger();
  out.push_back({"why.lost", {signed_short(a), signed_short(b), signed_short(a - b)}});
  const RibbonPair ribbons = cut_into_ribbons(story.a, story.b, d);
  const bool worse_a = a.abs() > b.abs();
  const Ribbons& worse = worse_a ? ribbons.a : ribbons.b;
  if (worse.size() > 0 && !(a.is_zero() && b.is_zero()))
    out.push_back(worse_a ? largest_loss("A", story.a, worse) : largest_loss("B", story.b, worse));
}

/// A value halfway between two neighbours of the output format that lies between the two sums.
std::optional<Dyadic> midpoint_between(const OutputStory& story) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  const Dyadic a = Dyadic::from_code(x.output, story.after_a);
  const Dyadic b = Dyadic::from_code(y.output, story.after_b);
  if (exact::ulp_distance(x.output, story.after_a, story.after_b) != 1) return std::nullopt;
  return (a + b) * Dyadic(1, -1);
}

void last_rounding(const OutputStory& story, std::vector<Phrase>& out) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  if (!x.last || x.last != y.last) return;
  if (!story.a.finite || !story.b.finite) return;
  const std::string to = format_name(x.output);
  if (story.healed) {
    out.push_back({"why.healed", {to}});
    return;
  }
  if (same_value(x.output, story.after_a, y.output, story.after_b)) return;
  const auto finite = [](const Format& f, Bits code) { return unpack(f, code).finite(); };
  if (!finite(x.output, story.after_a) || !finite(y.output, story.after_b)) return;
  const auto apart = x.before.result == y.before.result
                         ? exact::ulp_distance(x.before.result, story.before_a, story.before_b)
                         : std::nullopt;
  const auto middle = midpoint_between(story);
  if (middle && apart && x.last->rule.rounding == Rounding::nearest_even)
    out.push_back({"why.midpoint",
                   {grouped(*apart), format_name(x.before.result),
                    decimal_label(to_rational(*middle), 24), to}});
}

void who_is_right(const OutputStory& story, std::vector<Phrase>& out) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  if (!story.exact || !(x.output == y.output) || story.healed) return;
  // The rule of the last rounding, where both have the same; else to nearest.
  const bool common = x.last && x.last == y.last;
  const Bits want = story.exact->round_to(x.output, common ? x.last->rule : RoundRule{});
  const bool a = story.after_a == want;
  const bool b = story.after_b == want;
  const std::string value = display_decimal(x.output, want);
  if (a && b) return;
  out.push_back({a ? "why.right_a" : b ? "why.right_b" : "why.right_none", {value}});
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return part < whole && share > 99.95 ? "> 99.9" : fmt::format("{:.3g}", share);
}

}  // namespace

std::vector<Phrase> explain_output(const OutputStory& story) {
  std::vector<Phrase> out;
  if (story.divergence.same_result && !story.healed) {
    // The traces end before the last rounding: the sums themselves are the same.
    const bool same_tree = story.reduction_a.before.tree == story.reduction_b.before.tree;
    out.push_back({same_tree ? "why.same_tree" : "why.same_bits", {}});
    return out;
  }
  // Where a last rounding decides, that is told instead.
  const bool rounds_last = story.reduction_a.last || story.reduction_b.last;
  if (story.divergence.ledger_valid && story.divergence.same_addends && !rounds_last)
    out.push_back({"why.other_steps", {}});
  where_they_part(story, out);
  who_lost(story, out);
  last_rounding(story, out);
  who_is_right(story, out);
  return out;
}

std::vector<Phrase> explain_comparison(const Study& study) {
  const PairComparison& pair = study.pairs[0];
  const SplitReduction& a = study.topologies[0].reduction;
  const SplitReduction& b = study.topologies[1].reduction;
  const std::uint64_t outputs = study.outputs();
  const std::string all = grouped(outputs);
  if (outputs == 0) return {{"overview.empty", {}}};
  if (pair.same_tree) return {{"overview.same_tree", {grouped(a.before.tree.statistics().steps)}}};
  if (pair.after.differ == 0 && pair.before.differ == 0) return {{"overview.none_differ", {all}}};
  const bool last = a.last || b.last;
  if (pair.after.differ == 0)
    return {
        {"overview.healed",
         {grouped(pair.before.differ), all, format_name(a.before.result), format_name(a.output)}}};
  std::vector<Phrase> out{
      {"overview.differ", {grouped(pair.after.differ), all, percent(pair.after.differ, outputs)}}};
  if (last)
    out.push_back({"overview.before",
                   {grouped(pair.before.differ), all, percent(pair.before.differ, outputs),
                    format_name(a.before.result)}});
  return out;
}

}  // namespace whybits::viz
