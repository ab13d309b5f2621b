#include "visualizer/model/step_title.hpp"

#include <utility>
#include <vector>

#include "lab/leaf_runs.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits::viz {
namespace {

enum class Length { full, brief, least };

std::string place(std::int64_t leaf) {
  return grouped(static_cast<unsigned long long>(leaf));
}

bool without_holes(const LeafSet& leaves) {
  return static_cast<std::uint64_t>(leaves.last - leaves.first) + 1 == leaves.count;
}

/// The same without the word: "0…3,583", "7", "0…1, …, 16…17", "9,000 of 0…17,999".
Phrase leaf_range(const LeafSet& leaves, const Trace& trace, std::span<const Origin> below,
                  Length length) {
  if (leaves.count == 0) return {"leaves.none"};
  if (leaves.count == 1) return {"leaves.one", {place(leaves.first)}};
  if (without_holes(leaves)) return {"leaves.range", {place(leaves.first), place(leaves.last)}};
  if (length != Length::least && told_by_runs(leaves))
    return {"leaves.one", {runs_text(leaf_runs(trace, below), place, 1)}};
  return {"leaves.some", {grouped(leaves.count), place(leaves.first), place(leaves.last)}};
}

/// Names what goes into a step: in full, or shorter.
struct Names {
  const Trace& trace;
  Length length;

  bool brief() const { return length != Length::full; }

  Phrase leaves(const LeafSet& set, std::span<const Origin> below) const {
    return brief() && set.count > 1 ? leaf_range(set, trace, below, length)
                                    : leaves_phrase(set, trace, below);
  }
  Phrase sum(Origin step) const {
    const LeafSet& below = trace.nodes[static_cast<std::size_t>(step)].leaves;
    return {brief() ? "step.sum_of_brief" : "step.sum_of", {}, {leaves(below, {&step, 1})}};
  }

  Phrase inputs(const TraceNode& node) const {
    LeafSet direct;
    std::vector<Origin> own;
    std::vector<Phrase> sums;
    for (const Origin origin : node.inputs) {
      if (origin >= 0)
        sums.push_back(sum(origin));
      else if (origin == origin_c)
        sums.push_back({"step.c"});
      else if (origin == origin_operand)
        sums.push_back({"step.operand"});
      else if (is_leaf_origin(origin)) {
        direct.insert(origin);
        own.push_back(origin);
      }
    }
    if (direct.count > 0) sums.insert(sums.begin(), leaves(direct, own));
    if (sums.empty()) return {"step.leaves_none"};
    Phrase all = sums.front();
    for (std::size_t i = 1; i < sums.size(); ++i)
      all = {"step.and", {}, {std::move(all), std::move(sums[i])}};
    return all;
  }

  Phrase accumulator(Origin origin) const {
    if (origin >= 0) return sum(origin);
    if (origin == origin_c) return {"step.c"};
    if (is_leaf_origin(origin)) return {"step.leaf", {place(leaf_of_origin(origin))}};
    return {"step.zero"};
  }
};

Phrase title(const Trace& trace, Origin step, Length length) {
  const TraceNode& node = trace.node(step);
  const Names names{trace, length};
  if (node.is_rounding)
    return {"step.rounding",
            {conversion_name(node.conversion)},
            {names.leaves(node.leaves, {&step, 1})}};
  if (!node.unit) return {"step.add_operand", {}, {names.accumulator(node.accumulator)}};
  return {"step.title",
          {unit_name(*node.unit)},
          {names.inputs(node), names.accumulator(node.accumulator)}};
}

}  // namespace

Phrase leaves_phrase(const LeafSet& leaves, const Trace& trace, std::span<const Origin> below) {
  if (leaves.empty()) return {"step.leaves_none"};
  if (leaves.count == 0) return {"step.leaves_other"};
  if (leaves.count == 1) return {"step.leaf", {place(leaves.first)}};
  if (without_holes(leaves)) return {"step.leaves", {place(leaves.first), place(leaves.last)}};
  if (told_by_runs(leaves))
    return {"step.leaves_runs", {grouped(leaves.count), runs_text(leaf_runs(trace, below), place)}};
  return {"step.leaves_some", {grouped(leaves.count), place(leaves.first), place(leaves.last)}};
}

StepTitle step_title(const Trace& trace, std::int64_t step) {
  return {title(trace, step, Length::full), title(trace, step, Length::brief),
          title(trace, step, Length::least)};
}

}  // namespace whybits::viz
