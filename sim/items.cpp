#include "sim/items.hpp"

#include <algorithm>
#include <numeric>

#include "sim/as_signed.hpp"
#include "sim/ceil_div.hpp"
#include "sim/tree.hpp"

namespace whybits {
namespace {

bool same_but_offset(const Node& a, const Node& b) {
  return a.kind == b.kind && a.shape == b.shape && a.stride == b.stride;
}

/// A node without leaves (nothing, or an operand alone) lies nowhere: it never moves.
Node shifted(Node node, std::int64_t distance) {
  if (extent(node) > 0) node.offset += distance;
  return node;
}

/// The last run is about to be followed by another: joins it to an equal predecessor.
void group_last(std::vector<Run>& runs) {
  if (runs.size() < 2) return;
  Run& before = runs[runs.size() - 2];
  const Run& last = runs.back();
  if (!same_but_offset(before.node, last.node) || before.step != last.step ||
      before.count != last.count)
    return;
  const std::int64_t distance = last.node.offset - before.node.offset;
  if (before.repeats == 1) {
    before.repeat_step = distance;
  } else if (distance != before.repeat_step * as_signed(before.repeats)) {
    return;
  }
  ++before.repeats;
  runs.pop_back();
}

}  // namespace

Node Run::at(std::uint64_t i) const {
  return shifted(node, as_signed(i / count) * repeat_step + as_signed(i % count) * step);
}

Items Items::leaves(std::uint64_t n) {
  Items items;
  if (n > 0) items.push(Node::leaf(0), 1, n);
  return items;
}

void Items::push_single(const Node& node) {
  ++size_;
  if (!runs_.empty()) {
    Run& open = runs_.back();
    if (same_but_offset(open.node, node)) {
      const std::int64_t distance = node.offset - open.node.offset;
      if (open.count == 1) open.step = distance;
      if (distance == open.step * as_signed(open.count)) {
        ++open.count;
        return;
      }
    }
    group_last(runs_);
  }
  runs_.push_back(Run{node});
}

void Items::push(const Node& node, std::int64_t step, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    push_single(shifted(node, as_signed(i) * step));
    Run& open = runs_.back();
    if (open.count > 1 && (open.step == step || extent(node) == 0)) {
      open.count += count - i - 1;  // the rest continues this run by construction
      size_ += count - i - 1;
      return;
    }
  }
}

void Items::push(const Run& run) {
  if (extent(run.node) == 0) return push(run.node, 0, run.size());
  for (std::uint64_t r = 0; r < run.repeats; ++r) {
    const Node node = shifted(run.node, as_signed(r) * run.repeat_step);
    push(node, run.step, run.count);
    const std::uint64_t rest = run.repeats - r - 1;
    if (rest == 0 || r == 0) continue;
    Run& open = runs_.back();
    const std::int64_t length = open.step * as_signed(run.count);
    if (open.count >= 2 * run.count && run.repeat_step == length) {
      push(shifted(node, length), open.step, rest * run.count);  // one long run
      return;
    }
    if (runs_.size() < 2 || open.count != run.count || open.node.offset != node.offset) continue;
    Run& group = runs_[runs_.size() - 2];
    if (group.repeats > 1 && group.repeat_step == run.repeat_step && group.count == run.count &&
        group.step == open.step && same_but_offset(group.node, node)) {
      group.repeats += rest;  // the last one stays open
      open.node.offset += as_signed(rest) * run.repeat_step;
      size_ += rest * run.count;
      return;
    }
  }
}

void Items::append(const Items& other) {
  for (const Run& run : other.runs_) push(run);
}

Node Items::at(std::uint64_t i) const {
  for (const Run& run : runs_) {
    if (i < run.size()) return run.at(i);
    i -= run.size();
  }
  return {};
}

const Run* Items::single_run() const {
  return runs_.size() == 1 && runs_[0].repeats == 1 ? &runs_[0] : nullptr;
}

Items Items::select(std::uint64_t first, std::uint64_t stride, std::uint64_t count) const {
  return ItemsIndex(*this).select(first, stride, count);
}

ItemsIndex::ItemsIndex(const Items& items, WorkBudget* budget)
    : runs_(items.runs()), budget_(budget) {
  if (runs_.size() < 2) return;
  if (budget_) budget_->spend(runs_.size());
  ends_.reserve(runs_.size());
  std::uint64_t end = 0;
  for (const Run& run : runs_) ends_.push_back(end += run.size());
}

ItemsIndex::Place ItemsIndex::place(std::uint64_t i) const {
  if (runs_.size() == 1) return {&runs_[0], i};
  const auto run = std::upper_bound(ends_.begin(), ends_.end(), i);
  return {&runs_[static_cast<std::size_t>(run - ends_.begin())],
          run == ends_.begin() ? i : i - run[-1]};
}

Node ItemsIndex::at(std::uint64_t i) const {
  const Place at = place(i);
  return at.run->at(at.number);
}

namespace {

/// Every stride-th item of a run, from `number` on, as one run: as many as it goes, `most` at most.
Run strided(const Run& run, std::uint64_t number, std::uint64_t stride, std::uint64_t most) {
  const Node node = run.at(number);
  const std::uint64_t in_repeat = run.count - number % run.count;
  const std::uint64_t here = ceil_div(in_repeat, stride);  // items in this repeat
  if (run.repeats > 1 && stride % run.count == 0) {        // one a repeat, or every so many
    const std::uint64_t count = std::min(most, (run.size() - number + stride - 1) / stride);
    const std::int64_t step = run.repeat_step * as_signed(stride / run.count);
    return {node, count > 1 ? step : 0, count};
  }
  const std::uint64_t count = std::min(most, here);
  const std::int64_t step = count > 1 ? run.step * as_signed(stride) : 0;
  // As many in each repeat, if all repeats are entered alike.
  const bool alike = run.count % stride == 0 && number % run.count < stride && count == here;
  const std::uint64_t repeats =
      alike ? std::min(most / here, (run.size() - number + run.count - 1) / run.count) : 1;
  return {node, step, count, repeats > 1 ? run.repeat_step : 0, repeats};
}

}  // namespace

Items ItemsIndex::select(std::uint64_t first, std::uint64_t stride, std::uint64_t count) const {
  Items out;
  while (count > 0) {
    if (budget_) budget_->spend(1);
    const Place at = place(first);
    const Run part = strided(*at.run, at.number, stride, count);
    out.push(part);
    first += part.size() * stride;
    count -= part.size();
  }
  return out;
}

Items Items::reversed() const {
  Items out;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
    out.push({run->at(run->size() - 1), -run->step, run->count, -run->repeat_step, run->repeats});
  return out;
}

Items Items::moved(std::int64_t distance) const {
  Items out = *this;
  for (Run& run : out.runs_) run.node = shifted(run.node, distance);
  return out;
}

Items Items::placed(std::int64_t offset, std::int64_t stride) const {
  Items out = *this;
  for (Run& run : out.runs_) {
    run.node = whybits::placed(run.node, offset, stride);
    run.step *= stride;
    run.repeat_step *= stride;
  }
  return out;
}

Items Items::localised(std::int64_t base, std::int64_t divisor) const {
  Items out = *this;
  for (Run& run : out.runs_) {
    run.node = whybits::localised(run.node, base, divisor);
    run.step /= divisor;
    run.repeat_step /= divisor;
  }
  return out;
}

bool Items::has_empty() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const Run& run) { return run.node.is_empty(); });
}

Items Items::without_empty() const {
  Items out;
  for (const Run& run : runs_)
    if (!run.node.is_empty()) out.push(run);
  return out;
}

std::uint64_t extent(const Node& node) {
  if (node.is_empty()) return 0;
  return node.is_leaf() ? 1 : node.shape->extent;
}

std::uint64_t leaf_count(const Node& node) {
  if (node.is_empty()) return 0;
  return node.is_leaf() ? 1 : node.shape->leaves;
}

Node placed(const Node& node, std::int64_t offset, std::int64_t stride) {
  if (extent(node) == 0) return node;
  Node out = node;
  out.offset = offset + stride * node.offset;
  out.stride = extent(node) > 1 ? stride * node.stride : 1;
  return out;
}

Node localised(const Node& node, std::int64_t base, std::int64_t divisor) {
  if (extent(node) == 0) return node;
  Node out = node;
  out.offset = (node.offset - base) / divisor;
  out.stride = extent(node) > 1 ? node.stride / divisor : 1;
  return out;
}

void Lattice::include(const Node& node) {
  const std::uint64_t width = extent(node);
  if (width == 0) return;
  const std::int64_t end = node.offset + node.stride * as_signed(width - 1);
  if (any) divisor = std::gcd(divisor, node.offset - base);
  if (width > 1) divisor = std::gcd(divisor, node.stride);
  base = any ? std::min(base, node.offset) : node.offset;
  last = any ? std::max(last, end) : end;
  any = true;
}

void Lattice::include(const Items& items) {
  for (const Run& run : items.runs()) {
    if (extent(run.node) == 0) continue;
    include(run.node);
    include(run.at(run.count - 1));  // the four corners bound the whole run
    include(run.at(run.size() - run.count));
    include(run.at(run.size() - 1));
    if (run.count > 1) divisor = std::gcd(divisor, run.step);
    if (run.repeats > 1) divisor = std::gcd(divisor, run.repeat_step);
  }
}

}  // namespace whybits
