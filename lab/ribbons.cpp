#include "lab/ribbons.hpp"

#include <algorithm>
#include <utility>

namespace whybits {
namespace {

/// The step whose value this one goes on from: its accumulator, or what it rounds.
Origin goes_on_from(const TraceNode& node) {
  const bool rounds = node.is_rounding && !node.inputs.empty();
  const Origin origin = rounds ? node.inputs[0] : node.accumulator;
  return origin >= 0 ? origin : origin_none;
}

/// A rounding, or an operand added: belongs to whatever it follows.
bool follows(const TraceNode& node) {
  return node.unit == nullptr;
}

bool merges(const TraceNode& node) {
  return !follows(node) && std::any_of(node.inputs.begin(), node.inputs.end(),
                                       [](Origin origin) { return origin >= 0; });
}

bool same_unit(const Unit* a, const Unit* b) {
  return a == b || (a && b && a->name == b->name);
}

/// A ribbon while steps are dealt out, numbered as they begin.
struct Draft {
  std::vector<std::int64_t> steps;
  const Unit* unit = nullptr;
  bool merging = false;
};

class Cutter {
 public:
  explicit Cutter(const Trace& trace) : trace_(trace), draft_of_(trace.nodes.size()) {
    for (std::size_t i = 0; i < trace.nodes.size(); ++i) deal(static_cast<std::int64_t>(i));
  }

  Ribbons cut() {
    find_inputs();
    Ribbons out;
    out.position.resize(trace_.nodes.size());
    out.ribbon_of.resize(trace_.nodes.size());
    number_.resize(drafts_.size());
    out.input_begin.push_back(0);
    for (const std::size_t root : roots_) place_subtree(root, out);
    // Parents come later: depths are known from the end.
    for (std::size_t r = out.ribbons.size(); r-- > 0;) {
      Ribbon& ribbon = out.ribbons[r];
      if (ribbon.joins < 0) continue;
      ribbon.parent =
          static_cast<std::int32_t>(out.ribbon_of[static_cast<std::size_t>(ribbon.joins)]);
      ribbon.depth = out.ribbons[static_cast<std::size_t>(ribbon.parent)].depth + 1;
    }
    return out;
  }

 private:
  void deal(std::int64_t step) {
    const TraceNode& node = trace_.node(step);
    const Origin before = goes_on_from(node);
    std::size_t draft = drafts_.size();
    if (before >= 0) {
      const std::size_t candidate = draft_of_[static_cast<std::size_t>(before)];
      const Draft& d = drafts_[candidate];
      const bool goes_on =
          follows(node) || !d.unit || (merges(node) == d.merging && same_unit(node.unit, d.unit));
      if (goes_on) draft = candidate;
    }
    if (draft == drafts_.size()) drafts_.emplace_back();
    Draft& d = drafts_[draft];
    if (node.unit && !d.unit) {
      d.unit = node.unit;
      d.merging = merges(node);
    }
    d.steps.push_back(step);
    draft_of_[static_cast<std::size_t>(step)] = draft;
  }

  void find_inputs() {
    inputs_.resize(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const std::int64_t parent = trace_.node(drafts_[i].steps.back()).parent;
      if (parent < 0)
        roots_.push_back(i);
      else
        inputs_[draft_of_[static_cast<std::size_t>(parent)]].push_back(i);
    }
    const auto by_leaf = [&](std::size_t x, std::size_t y) {
      return trace_.node(drafts_[x].steps.back()).leaves.first <
             trace_.node(drafts_[y].steps.back()).leaves.first;
    };
    for (std::vector<std::size_t>& list : inputs_)
      std::stable_sort(list.begin(), list.end(), by_leaf);
  }

  /// Without recursion: trees may be as deep as they have steps.
  void place_subtree(std::size_t root, Ribbons& out) {
    struct Visit {
      std::size_t draft;
      std::size_t next_input;
      std::uint32_t first_below;
    };
    std::vector<Visit> open{{root, 0, static_cast<std::uint32_t>(out.size())}};
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.next_input < inputs_[visit.draft].size()) {
        const std::size_t input = inputs_[visit.draft][visit.next_input++];
        open.push_back({input, 0, static_cast<std::uint32_t>(out.size())});
        continue;
      }
      place(visit.draft, visit.first_below, out);
      open.pop_back();
    }
  }

  void place(std::size_t draft, std::uint32_t first_below, Ribbons& out) {
    const Draft& d = drafts_[draft];
    Ribbon ribbon;
    ribbon.begin = out.order.size();
    ribbon.first_below = first_below;
    for (const std::int64_t step : d.steps) {
      out.position[static_cast<std::size_t>(step)] = out.order.size();
      out.ribbon_of[static_cast<std::size_t>(step)] = static_cast<std::uint32_t>(out.size());
      out.order.push_back(step);
    }
    ribbon.end = out.order.size();
    const TraceNode& last = trace_.node(d.steps.back());
    ribbon.leaves = last.leaves;
    ribbon.joins = last.parent;
    ribbon.takes_leaves = !d.merging && takes_leaves(d);
    std::int64_t covered = -1;
    for (const std::size_t input : inputs_[draft]) {
      const LeafSet& leaves = trace_.node(drafts_[input].steps.back()).leaves;
      ribbon.overlapping = ribbon.overlapping || (leaves.count > 0 && leaves.first <= covered);
      covered = std::max(covered, leaves.last);
      out.input_list.push_back(number_[input]);
    }
    out.input_begin.push_back(out.input_list.size());
    number_[draft] = static_cast<std::uint32_t>(out.size());
    out.ribbons.push_back(ribbon);
  }

  bool takes_leaves(const Draft& draft) const {
    const auto is_leaf = [](Origin origin) { return is_leaf_origin(origin); };
    return std::any_of(draft.steps.begin(), draft.steps.end(), [&](std::int64_t step) {
      const TraceNode& node = trace_.node(step);
      return is_leaf(node.accumulator) ||
             std::any_of(node.inputs.begin(), node.inputs.end(), is_leaf);
    });
  }

  const Trace& trace_;
  std::vector<Draft> drafts_;
  std::vector<std::size_t> draft_of_;
  std::vector<std::vector<std::size_t>> inputs_;
  std::vector<std::size_t> roots_;
  std::vector<std::uint32_t> number_;
};

/// Running counts and sums of one side. `turned`: its amounts count negative in A − B.
void add_totals(Ribbons& ribbons, const Trace& trace, const std::vector<Mark>* marks,
                const std::vector<bool>& alike, bool turned) {
  ribbons.other_until.assign(1, 0);
  ribbons.none_until.assign(1, 0);
  for (const std::int64_t step : ribbons.order) {
    const Mark mark = marks ? (*marks)[static_cast<std::size_t>(step)] : Mark::no_counterpart;
    ribbons.other_until.push_back(ribbons.other_until.back() + (mark == Mark::other_bits ? 1 : 0));
    ribbons.none_until.push_back(ribbons.none_until.back() +
                                 (mark == Mark::no_counterpart ? 1 : 0));
  }
  ribbons.discarded_until.assign(1, Dyadic{});
  ribbons.share_until.assign(1, Dyadic{});
  Dyadic discarded, share;
  for (std::size_t r = 0; r < ribbons.size(); ++r) {
    for (const std::int64_t step : ribbons.steps(r)) {
      const Dyadic& amount = trace.node(step).discarded;
      if (amount.is_zero()) continue;
      discarded += amount;
      if (marks && !alike[static_cast<std::size_t>(step)]) share += turned ? -amount : amount;
    }
    ribbons.discarded_until.push_back(discarded);
    ribbons.share_until.push_back(share);
  }
}

/// Steps that both sides have with the same ledger entry.
std::vector<bool> alike(const Trace& own, const std::vector<std::int64_t>& counterparts,
                        const Trace& other) {
  std::vector<bool> out(own.nodes.size());
  for (std::size_t i = 0; i < own.nodes.size(); ++i)
    out[i] =
        counterparts[i] >= 0 && own.nodes[i].discarded == other.node(counterparts[i]).discarded;
  return out;
}

}  // namespace

void MarkCounts::add(Mark mark) {
  switch (mark) {
    case Mark::same_bits:
      ++same;
      return;
    case Mark::other_bits:
      ++other;
      return;
    case Mark::no_counterpart:
      ++no_counterpart;
      return;
  }
}

MarkCounts& MarkCounts::operator+=(const MarkCounts& counts) {
  same += counts.same;
  other += counts.other;
  no_counterpart += counts.no_counterpart;
  return *this;
}

std::span<const std::uint32_t> Ribbons::inputs(std::size_t ribbon) const {
  return std::span(input_list)
      .subspan(input_begin[ribbon], input_begin[ribbon + 1] - input_begin[ribbon]);
}

std::span<const std::int64_t> Ribbons::steps(std::size_t ribbon) const {
  return std::span(order).subspan(ribbons[ribbon].begin, ribbons[ribbon].steps());
}

MarkCounts Ribbons::marks(std::size_t first, std::size_t last) const {
  const std::uint64_t begin = ribbons[first].begin;
  const std::uint64_t end = ribbons[last].end;
  MarkCounts counts;
  counts.other = other_until[end] - other_until[begin];
  counts.no_counterpart = none_until[end] - none_until[begin];
  counts.same = end - begin - counts.other - counts.no_counterpart;
  return counts;
}

std::uint64_t Ribbons::step_count(std::size_t first, std::size_t last) const {
  return ribbons[last].end - ribbons[first].begin;
}

Dyadic Ribbons::discarded(std::size_t first, std::size_t last) const {
  return discarded_until[last + 1] - discarded_until[first];
}

Dyadic Ribbons::share(std::size_t first, std::size_t last) const {
  return share_until[last + 1] - share_until[first];
}

Ribbons cut_into_ribbons(const Trace& trace) {
  Ribbons ribbons = Cutter(trace).cut();
  add_totals(ribbons, trace, nullptr, {}, false);
  return ribbons;
}

RibbonPair cut_into_ribbons(const Trace& a, const Trace& b, const Divergence& divergence) {
  RibbonPair pair{Cutter(a).cut(), Cutter(b).cut()};
  add_totals(pair.a, a, &divergence.marks_a, alike(a, divergence.counterpart_a, b), false);
  add_totals(pair.b, b, &divergence.marks_b, alike(b, divergence.counterpart_b, a), true);
  return pair;
}

std::vector<Dyadic> errors_so_far(const Trace& trace) {
  std::vector<Dyadic> errors;
  errors.reserve(trace.nodes.size());
  for (const TraceNode& node : trace.nodes) {
    Dyadic error = node.discarded;
    const auto below = [&](Origin origin) {
      if (origin >= 0) error += errors[static_cast<std::size_t>(origin)];
    };
    below(node.accumulator);
    for (const Origin origin : node.inputs) below(origin);
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace whybits
