#include "visualizer/model/step_title.hpp"

#include <utility>
#include <vector>

#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits::viz {
namespace {

std::string place(std::int64_t leaf) {
  return grouped(static_cast<unsigned long long>(leaf));
}

bool without_holes(const LeafSet& leaves) {
  return static_cast<std::uint64_t>(leaves.last - leaves.first) + 1 == leaves.count;
}

/// The same without the word: "0…3,583", "7", "512 of 0…4,095".
Phrase leaf_range(const LeafSet& leaves) {
  if (leaves.count == 0) return {"leaves.none"};
  if (leaves.count == 1) return {"leaves.one", {place(leaves.first)}};
  if (without_holes(leaves)) return {"leaves.range", {place(leaves.first), place(leaves.last)}};
  return {"leaves.some", {grouped(leaves.count), place(leaves.first), place(leaves.last)}};
}

/// Names what goes into a step: in full, or as short as can be.
struct Names {
  const Trace& trace;
  bool brief;

  Phrase leaves(const LeafSet& set) const {
    return brief && set.count > 1 ? leaf_range(set) : leaves_phrase(set);
  }
  Phrase sum(Origin step) const {
    const LeafSet& below = trace.nodes[static_cast<std::size_t>(step)].leaves;
    return {brief ? "step.sum_of_brief" : "step.sum_of", {}, {leaves(below)}};
  }

  Phrase inputs(const TraceNode& node) const {
    LeafSet direct;
    std::vector<Phrase> sums;
    for (const Origin origin : node.inputs) {
      if (origin >= 0)
        sums.push_back(sum(origin));
      else if (origin == origin_c)
        sums.push_back({"step.c"});
      else if (origin == origin_operand)
        sums.push_back({"step.operand"});
      else if (is_leaf_origin(origin))
        direct.insert(origin);
    }
    if (direct.count > 0) sums.insert(sums.begin(), leaves(direct));
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

Phrase title(const Trace& trace, const TraceNode& node, bool brief) {
  const Names names{trace, brief};
  if (node.is_rounding)
    return {"step.rounding", {conversion_name(node.conversion)}, {names.leaves(node.leaves)}};
  if (!node.unit) return {"step.add_operand", {}, {names.accumulator(node.accumulator)}};
  return {"step.title",
          {unit_name(*node.unit)},
          {names.inputs(node), names.accumulator(node.accumulator)}};
}

}  // namespace

Phrase leaves_phrase(const LeafSet& leaves) {
  if (leaves.empty()) return {"step.leaves_none"};
  if (leaves.count == 0) return {"step.leaves_other"};
  if (leaves.count == 1) return {"step.leaf", {place(leaves.first)}};
  if (without_holes(leaves)) return {"step.leaves", {place(leaves.first), place(leaves.last)}};
  return {"step.leaves_some", {grouped(leaves.count), place(leaves.first), place(leaves.last)}};
}

StepTitle step_title(const Trace& trace, std::int64_t step) {
  const TraceNode& node = trace.nodes[static_cast<std::size_t>(step)];
  return {title(trace, node, false), title(trace, node, true)};
}

}  // namespace whybits::viz
