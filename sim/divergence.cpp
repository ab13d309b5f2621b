#include "sim/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace whybits {
namespace {

/// A node and the leaves below it; of several with just these leaves (a rounding covers the same
/// ones as the step that it rounds) the first corresponds to the first.
struct Keyed {
  std::uint64_t low, high, count;
  std::int64_t node;

  friend auto operator<=>(const Keyed&, const Keyed&) = default;
  auto leaves() const { return std::tie(low, high, count); }
};

std::vector<Keyed> index(const Trace& trace) {
  std::vector<Keyed> nodes;
  nodes.reserve(trace.nodes.size());
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const LeafSet& set = trace.nodes[i].leaves;
    if (set.empty()) continue;  // a padded step of a composite unit corresponds to nothing
    nodes.push_back({set.low, set.high, set.count, static_cast<std::int64_t>(i)});
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

const TraceNode& at(const Trace& trace, std::int64_t node) {
  return trace.nodes[static_cast<std::size_t>(node)];
}

void pair_up(const Trace& a, std::int64_t node_a, const Trace& b, std::int64_t node_b,
             Divergence& out) {
  const TraceNode& x = at(a, node_a);
  const TraceNode& y = at(b, node_b);
  const auto ia = static_cast<std::size_t>(node_a);
  const auto ib = static_cast<std::size_t>(node_b);
  const Mark mark =
      same_value(x.format, x.code, y.format, y.code) ? Mark::same_bits : Mark::other_bits;
  out.marks_a[ia] = out.marks_b[ib] = mark;
  out.counterpart_a[ia] = node_b;
  out.counterpart_b[ib] = node_a;
}

void match(const Trace& a, const Trace& b, Divergence& out) {
  const std::vector<Keyed> nodes_a = index(a);
  const std::vector<Keyed> nodes_b = index(b);
  std::size_t i = 0, j = 0;
  while (i < nodes_a.size() && j < nodes_b.size()) {
    const auto left = nodes_a[i].leaves();
    const auto right = nodes_b[j].leaves();
    if (left < right) {
      ++i;
    } else if (right < left) {
      ++j;
    } else {
      const auto leaves = left;
      while (i < nodes_a.size() && j < nodes_b.size() && nodes_a[i].leaves() == leaves &&
             nodes_b[j].leaves() == leaves)
        pair_up(a, nodes_a[i++].node, b, nodes_b[j++].node, out);
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

/// A magnitude as a double, which keeps the order of exact ones, and whether it is the magnitude.
struct Magnitude {
  double rounded;
  bool exact;
  std::size_t entry;

  Magnitude(const Dyadic& amount, std::size_t i)
      : rounded(std::abs(amount.to_double())),
        exact(std::isnormal(rounded) && mpz_sizeinbase(amount.mantissa().get_mpz_t(), 2) <= 53),
        entry(i) {}
};

/// Largest first, equal ones as they were. Doubles settle nearly all comparisons.
void sort_by_magnitude(std::vector<LedgerDifference>& ledger) {
  std::vector<Magnitude> order;
  order.reserve(ledger.size());
  for (std::size_t i = 0; i < ledger.size(); ++i) order.emplace_back(ledger[i].amount, i);
  std::stable_sort(order.begin(), order.end(), [&](const Magnitude& x, const Magnitude& y) {
    if (x.rounded != y.rounded || (x.exact && y.exact)) return x.rounded > y.rounded;
    return ledger[x.entry].amount.abs() > ledger[y.entry].amount.abs();
  });
  std::vector<LedgerDifference> sorted;
  sorted.reserve(ledger.size());
  for (const Magnitude& magnitude : order) sorted.push_back(std::move(ledger[magnitude.entry]));
  ledger = std::move(sorted);
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
  sort_by_magnitude(out.ledger);
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
