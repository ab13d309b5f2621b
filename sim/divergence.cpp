#include "sim/divergence.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace whybits {
namespace {

/// Leaves below, and the how-manieth node with just these leaves: a rounding covers the same ones
/// as the step that it rounds.
using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

std::map<Key, std::vector<std::int64_t>> index(const Trace& trace) {
  std::map<Key, std::vector<std::int64_t>> nodes;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const LeafSet& set = trace.nodes[i].leaves;
    if (set.empty()) continue;  // a padded step of a composite unit corresponds to nothing
    nodes[{set.low, set.high, set.count}].push_back(static_cast<std::int64_t>(i));
  }
  return nodes;
}

const TraceNode& at(const Trace& trace, std::int64_t node) {
  return trace.nodes[static_cast<std::size_t>(node)];
}

void match(const Trace& a, const Trace& b, Divergence& out) {
  const auto nodes_b = index(b);
  for (const auto& [key, left] : index(a)) {
    const auto found = nodes_b.find(key);
    if (found == nodes_b.end()) continue;
    const std::vector<std::int64_t>& right = found->second;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      const TraceNode& x = at(a, left[i]);
      const TraceNode& y = at(b, right[i]);
      const Mark mark =
          same_value(x.format, x.code, y.format, y.code) ? Mark::same_bits : Mark::other_bits;
      const auto ia = static_cast<std::size_t>(left[i]);
      const auto ib = static_cast<std::size_t>(right[i]);
      out.marks_a[ia] = out.marks_b[ib] = mark;
      out.counterpart_a[ia] = right[i];
      out.counterpart_b[ib] = left[i];
    }
  }
}

/// For each node: does it, or one that it is part of, agree? Parents come after their inputs.
std::vector<bool> inside_agreement(const Trace& trace, const std::vector<Mark>& marks) {
  std::vector<bool> inside(trace.nodes.size());
  for (std::size_t i = trace.nodes.size(); i-- > 0;) {
    const std::int64_t parent = trace.nodes[i].parent;
    inside[i] =
        marks[i] == Mark::same_bits || (parent >= 0 && inside[static_cast<std::size_t>(parent)]);
  }
  return inside;
}

void find_agreements(const Trace& a, const Trace& b, Divergence& out) {
  const std::vector<bool> inside = inside_agreement(a, out.marks_a);
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    if (out.marks_a[i] != Mark::same_bits) continue;
    const std::int64_t parent = a.nodes[i].parent;
    if (parent >= 0 && inside[static_cast<std::size_t>(parent)]) continue;
    const std::int64_t other = out.counterpart_a[i];
    out.agreements.push_back({static_cast<std::int64_t>(i), other, parent, at(b, other).parent});
  }
  std::stable_sort(out.agreements.begin(), out.agreements.end(),
                   [&](const Agreement& x, const Agreement& y) {
                     const LeafSet& p = at(a, x.a).leaves;
                     const LeafSet& q = at(a, y.a).leaves;
                     return std::tuple(q.count, p.first) < std::tuple(p.count, q.first);
                   });
}

void compare_ledgers(const Trace& a, const Trace& b, Divergence& out) {
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    LedgerDifference entry{static_cast<std::int64_t>(i), out.counterpart_a[i],
                           a.nodes[i].discarded};
    if (entry.b >= 0) entry.amount -= at(b, entry.b).discarded;
    if (!entry.amount.is_zero()) out.ledger.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < b.nodes.size(); ++i) {
    if (out.counterpart_b[i] >= 0 || b.nodes[i].discarded.is_zero()) continue;
    out.ledger.push_back({-1, static_cast<std::int64_t>(i), -b.nodes[i].discarded});
  }
  std::stable_sort(out.ledger.begin(), out.ledger.end(),
                   [](const LedgerDifference& x, const LedgerDifference& y) {
                     return x.amount.abs() > y.amount.abs();
                   });
}

}  // namespace

bool same_value(const Format& fa, Bits a, const Format& fb, Bits b) {
  if (fa == fb) return a == b;
  const Format& wide = formats::f64;
  return convert(fa, wide, a) == convert(fb, wide, b);
}

Divergence diverge(const Trace& a, const Trace& b) {
  Divergence out;
  out.same_result = same_value(a.format, a.result, b.format, b.result);
  out.same_addends = a.leaves.same_leaves(b.leaves);
  out.marks_a.assign(a.nodes.size(), Mark::no_counterpart);
  out.marks_b.assign(b.nodes.size(), Mark::no_counterpart);
  out.counterpart_a.assign(a.nodes.size(), -1);
  out.counterpart_b.assign(b.nodes.size(), -1);
  match(a, b, out);
  find_agreements(a, b, out);
  out.ledger_valid = a.finite && b.finite;
  if (out.ledger_valid) compare_ledgers(a, b, out);
  return out;
}

}  // namespace whybits
