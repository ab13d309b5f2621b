#include "sim/pieces.hpp"

#include <algorithm>

#include "sim/as_signed.hpp"
#include "sim/ceil_div.hpp"
#include "sim/expand.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t max_pieces = std::uint64_t{1} << 24;

void require_pieces(std::uint64_t count, const char* form) {
  if (count > max_pieces)
    throw TopologyError(std::string(form) + "(" + std::to_string(count) + ", …): at most " +
                        std::to_string(max_pieces) + " pieces are supported");
}

class Cutter {
 public:
  Cutter(const Items& items, WorkBudget& budget) : items_(items), index_(items, &budget) {}

  /// `count` pieces of `size` consecutive items each, from `first` on.
  void consecutive(std::uint64_t first, std::uint64_t size, std::uint64_t count) {
    if (size == 0) return nothing(count);
    for (std::uint64_t i = 0; i < count;) {
      const std::uint64_t at = first + i * size;
      const Same same = alike(at, size);
      const std::uint64_t group = std::clamp<std::uint64_t>(same.count, 1, count - i);
      out.push_back({index_.select(at, 1, size), group, group > 1 ? same.move : 0});
      i += group;
    }
  }

  /// `count` pieces of every stride-th item, the next piece beginning one item further.
  void interleaved(std::uint64_t first, std::uint64_t stride, std::uint64_t size,
                   std::uint64_t count) {
    if (size == 0) return nothing(count);
    for (std::uint64_t i = 0; i < count;) {
      const Same same = alike_further(first + i, stride, size);
      const std::uint64_t group = std::min(same.count, count - i);
      out.push_back({index_.select(first + i, stride, size), group, group > 1 ? same.move : 0});
      i += group;
    }
  }

  void nothing(std::uint64_t count) {
    if (count > 0) out.push_back({Items{}, count, 0});
  }

  Pieces out;

 private:
  struct Same {
    std::uint64_t count;
    std::int64_t move;
  };
  /// How many pieces from here on are translations of the first, if that is seen at once.
  Same alike(std::uint64_t at, std::uint64_t size) const {
    const auto [run, number] = index_.place(at);
    const std::uint64_t in_repeat = run->count - number % run->count;
    if (in_repeat >= size) return {in_repeat / size, run->step * as_signed(size)};
    if (number % run->count != 0 || size % run->count != 0) return {1, 0};
    const std::uint64_t repeats = size / run->count;  // a piece is some whole repeats
    return {(run->size() - number) / size, run->repeat_step * as_signed(repeats)};
  }

  /// The same for pieces of every stride-th item.
  Same alike_further(std::uint64_t at, std::uint64_t stride, std::uint64_t size) const {
    if (const Run* run = items_.single_run()) return {items_.size(), run->step};
    constexpr std::uint64_t few = 8;  // looking at more would cost more than it saves
    if (size > few) return {1, 0};
    std::uint64_t count = items_.size();
    const std::int64_t step = index_.place(at).run->step;
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto [run, number] = index_.place(at + i * stride);
      count = run->step == step ? std::min(count, run->count - number % run->count) : 1;
    }
    return {count, step};
  }

  const Items& items_;
  ItemsIndex index_;
};

/// Blocks p, p + count, … of `by` items: the lanes that blocks are dealt to.
class BlockDealer {
 public:
  BlockDealer(const Items& items, std::uint64_t count, std::uint64_t by, WorkBudget& budget)
      : items_(items),
        index_(items, &budget),
        count_(count),
        by_(by),
        n_(items.size()),
        blocks_(ceil_div(n_, by)) {}

  Pieces deal() const {
    Pieces out;
    const Run* run = items_.single_run();
    const std::uint64_t ragged = n_ % by_ == 0 ? count_ : (blocks_ - 1) % count_;  // its lane
    for (std::uint64_t p = 0; p < count_;) {
      if (p >= blocks_) {
        out.push_back({Items{}, count_ - p, 0});
        break;
      }
      // Lanes with equally many full blocks are translations of each other.
      const std::uint64_t more = blocks_ % count_;  // lanes that have one block more
      std::uint64_t end = p < more ? more : count_;
      if (p < ragged) end = std::min(end, ragged);
      const std::uint64_t group = run && p != ragged ? end - p : 1;
      out.push_back({lane(p), group, group > 1 ? run->step * as_signed(by_) : 0});
      p += group;
    }
    return out;
  }

  /// What lane p is dealt.
  Items lane(std::uint64_t p) const {
    Items all;
    std::uint64_t block = p;
    if (const Run* run = items_.single_run()) {
      const std::uint64_t full = n_ / by_;
      const std::uint64_t repeats = full > p ? ceil_div(full - p, count_) : 0;
      const std::uint64_t apart = repeats > 1 ? by_ * count_ : 0;
      all.push(
          {run->at(p * by_), by_ > 1 ? run->step : 0, by_, run->step * as_signed(apart), repeats});
      block += repeats * count_;
    }
    for (; block < blocks_; block += count_)
      all.append(index_.select(block * by_, 1, std::min(by_, n_ - block * by_)));
    return all;
  }

 private:
  const Items& items_;
  ItemsIndex index_;
  std::uint64_t count_, by_, n_, blocks_;
};

/// How many addends are dealt in other blocks, after the last whole round.
std::uint64_t rest_of(const Lanes& form, std::uint64_t n) {
  if (form.rest == 0 || form.rest == form.by) return 0;
  return form.by > n / form.count ? n : n % (form.count * form.by);
}

}  // namespace

Pieces cut_pieces(const Slices& form, const Items& items, WorkBudget& budget) {
  Cutter cutter(items, budget);
  const std::uint64_t whole = items.size() / form.size;
  const std::uint64_t rest = items.size() % form.size;
  cutter.consecutive(0, form.size, whole);
  if (rest > 0) cutter.consecutive(whole * form.size, rest, 1);
  return std::move(cutter.out);
}

Pieces cut_pieces(const Parts& form, const Items& items, WorkBudget& budget) {
  require_pieces(form.count, "parts");
  Cutter cutter(items, budget);
  const std::uint64_t blocks = ceil_div(items.size(), form.by);
  const std::uint64_t small = blocks / form.count * form.by;
  const std::uint64_t longer = blocks % form.count;
  std::uint64_t first = 0;
  for (const auto& [size, count] :
       {std::pair{small + form.by, longer}, {small, form.count - longer}}) {
    // The last block may be ragged: then the piece that holds it is shorter and stands alone.
    const std::uint64_t full = size == 0 ? count : std::min(count, (items.size() - first) / size);
    cutter.consecutive(first, size, full);
    first += size * full;
    if (full == count) continue;
    cutter.consecutive(first, items.size() - first, 1);
    first = items.size();
  }
  return std::move(cutter.out);
}

Pieces cut_pieces(const Cut& form, const Items& items, WorkBudget& budget) {
  Cutter cutter(items, budget);
  std::uint64_t first = 0;
  for (const std::uint64_t border : form.borders) {
    if (border > items.size())
      throw TopologyError("cut(…): border " + std::to_string(border) + " is beyond the " +
                          counted_plainly(items.size(), "addend"));
    cutter.consecutive(first, border - first, 1);
    first = border;
  }
  cutter.consecutive(first, items.size() - first, 1);
  return std::move(cutter.out);
}

Pieces cut_pieces(const Lanes& form, const Items& items, WorkBudget& budget) {
  require_pieces(form.count, "lanes");
  const std::uint64_t n = items.size();
  const std::uint64_t rest = rest_of(form, n);
  if (rest > 0) {
    const Items whole = items.range(0, n - rest);
    const Items last = items.range(n - rest, rest);
    const BlockDealer rounds(whole, form.count, form.by, budget);
    const BlockDealer after(last, form.count, form.rest, budget);
    Pieces out;
    budget.spend(form.count);
    for (std::uint64_t p = 0; p < form.count; ++p) {
      Items lane = rounds.lane(p);
      lane.append(after.lane(p));
      out.push_back({std::move(lane), 1, 0});
    }
    return out;
  }
  if (form.by == 1) {
    Cutter cutter(items, budget);
    const std::uint64_t longer = n % form.count;
    cutter.interleaved(0, form.count, n / form.count + 1, longer);
    cutter.interleaved(longer, form.count, n / form.count, form.count - longer);
    return std::move(cutter.out);
  }
  // A block of all items is as good as a longer one.
  return BlockDealer(items, form.count, std::min(form.by, std::max<std::uint64_t>(n, 1)), budget)
      .deal();
}

}  // namespace whybits
