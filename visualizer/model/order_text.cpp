#include "visualizer/model/order_text.hpp"

#include <vector>

namespace whybits::viz {
namespace {

constexpr std::uint64_t most_leaves = 8;

struct Term {
  std::string text;
  bool sum = false;  ///< of several terms: stands in parentheses within another one

  std::string inside() const { return sum ? "(" + text + ")" : text; }
};

}  // namespace

std::optional<std::string> order_text(const Trace& trace) {
  if (trace.nodes.empty() || trace.leaves.count > most_leaves) return std::nullopt;
  std::vector<Term> terms;  // of each step
  for (const TraceNode& node : trace.nodes) {
    std::vector<Term> added;
    const auto add = [&](Origin origin) {
      if (is_leaf_origin(origin))
        added.push_back({std::to_string(leaf_of_origin(origin)), false});
      else if (origin >= 0)
        added.push_back(terms[static_cast<std::size_t>(origin)]);
      else
        return origin == origin_none;
      return true;
    };
    bool known = add(node.accumulator);
    for (const Origin origin : node.inputs) known = known && add(origin);
    if (!known || added.empty()) return std::nullopt;
    Term term = added.front();
    if (added.size() > 1) {
      term = {added.front().inside(), true};
      for (std::size_t i = 1; i < added.size(); ++i) term.text += " + " + added[i].inside();
    }
    terms.push_back(std::move(term));
  }
  return terms.back().text;
}

}  // namespace whybits::viz
