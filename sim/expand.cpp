#include "sim/expand.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/shape_pool.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t max_addends = std::uint64_t{1} << 40;
constexpr std::uint64_t max_pieces = std::uint64_t{1} << 24;

/// What an expansion is handed to begin with, beside its addends.
struct Carry {
  enum class Kind { none, c, node } kind = Kind::none;
  Node node;
};

/// `count` translated copies of a sequence of addends, `move` leaves apart.
struct Piece {
  Items items;
  std::uint64_t count = 1;
  std::int64_t move = 0;
};
using Pieces = std::vector<Piece>;

std::int64_t as_signed(std::uint64_t n) {
  return static_cast<std::int64_t>(n);
}
std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// Pieces of `size` items that begin every `distance` items; equal ones are grouped if the
/// sequence is regular.
void push_pieces(Pieces& out, const Items& items, std::uint64_t first, std::uint64_t distance,
                 std::uint64_t stride, std::uint64_t size, std::uint64_t count) {
  if (count == 0) return;
  const Run* run = items.single_run();
  if (run && size > 0) {
    out.push_back({items.select(first, stride, size), count, run->step * as_signed(distance)});
    return;
  }
  if (size == 0) {
    out.push_back({Items{}, count, 0});
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i)
    out.push_back({items.select(first + i * distance, stride, size), 1, 0});
}

Pieces cut_slices(const Slices& form, const Items& items) {
  Pieces out;
  const std::uint64_t whole = items.size() / form.size;
  push_pieces(out, items, 0, form.size, 1, form.size, whole);
  const std::uint64_t rest = items.size() - whole * form.size;
  if (rest > 0) push_pieces(out, items, whole * form.size, 0, 1, rest, 1);
  return out;
}

Pieces cut_parts(const Parts& form, const Items& items) {
  Pieces out;
  const std::uint64_t n = items.size();
  const std::uint64_t blocks = ceil_div(n, form.by);
  const std::uint64_t small = blocks / form.count;
  const std::uint64_t longer = blocks % form.count;
  // The last block may be ragged, so the piece that holds it stands alone.
  const auto size_of = [&](std::uint64_t part) {
    return (small + (part < longer ? 1 : 0)) * form.by;
  };
  std::uint64_t first = 0;
  for (std::uint64_t part = 0; part < form.count;) {
    const std::uint64_t size = size_of(part);
    const std::uint64_t end = part < longer ? longer : form.count;
    std::uint64_t full = size == 0 ? end - part : std::min(end - part, (n - first) / size);
    if (full == 0) {  // the ragged one
      push_pieces(out, items, first, 0, 1, n - first, 1);
      first = n;
      ++part;
      continue;
    }
    push_pieces(out, items, first, size, 1, size, full);
    first += size * full;
    part += full;
  }
  return out;
}

Pieces cut_at(const Cut& form, const Items& items) {
  Pieces out;
  std::uint64_t first = 0;
  for (const std::uint64_t border : form.borders) {
    if (border > items.size())
      throw TopologyError("cut(…): border " + std::to_string(border) + " is beyond the " +
                          std::to_string(items.size()) + " addends");
    push_pieces(out, items, first, 0, 1, border - first, 1);
    first = border;
  }
  push_pieces(out, items, first, 0, 1, items.size() - first, 1);
  return out;
}

Pieces deal_lanes(const Lanes& form, const Items& items) {
  Pieces out;
  const std::uint64_t n = items.size();
  const std::uint64_t count = form.count;
  if (form.by == 1) {
    const std::uint64_t longer = n % count;
    push_pieces(out, items, 0, 1, count, n / count + 1, longer);
    push_pieces(out, items, longer, 1, count, n / count, count - longer);
    return out;
  }
  // Lane p holds blocks p, p + count, …; the last block may be ragged.
  const std::uint64_t blocks = ceil_div(n, form.by);
  const auto lane = [&](std::uint64_t p) {
    Items all;
    for (std::uint64_t block = p; block < blocks; block += count)
      all.append(items.range(block * form.by, std::min(form.by, n - block * form.by)));
    return all;
  };
  const Run* run = items.single_run();
  const std::uint64_t ragged = n % form.by == 0 ? blocks : blocks - 1;  // block that is short
  for (std::uint64_t p = 0; p < count;) {
    // Lanes with equally many full blocks are translations of each other.
    const std::uint64_t end = p < blocks % count ? blocks % count : count;
    const std::uint64_t stop =
        ragged % count >= p && ragged < blocks ? std::min(end, ragged % count) : end;
    if (p >= blocks) {
      out.push_back({Items{}, count - p, 0});
      break;
    }
    const std::uint64_t group = run ? std::max<std::uint64_t>(stop - p, 1) : 1;
    out.push_back({lane(p), group, run ? run->step * as_signed(form.by) : 0});
    p += group;
  }
  return out;
}

class Expander {
 public:
  Node expand(const Schema& schema, const Items& items, const Carry& carry) {
    return std::visit([&](const auto& form) { return build(form, items, carry); }, schema.form);
  }

  bool c_used() const { return c_used_; }

 private:
  /// Does a topology take an accumulator that comes from outside? `asked`: only if it says from=c.
  bool takes_carry(const Schema& schema, bool chained, bool asked) const {
    if (const auto* form = std::get_if<Fold>(&schema.form)) {
      if (form->start == Start::c) return true;
      if (asked) return false;
      if (form->start != Start::automatic) return false;
      return chained || form->unit.kind != Unit::Kind::add;
    }
    const auto merged = [&](const SchemaPtr& each, const Merge& merge) {
      if (!merge) return takes_carry(*each, chained, asked);
      return takes_carry(*merge, chained, true) || takes_carry(*each, chained, asked);
    };
    if (const auto* form = std::get_if<Slices>(&schema.form))
      return merged(form->each, form->merge);
    if (const auto* form = std::get_if<Parts>(&schema.form)) return merged(form->each, form->merge);
    if (const auto* form = std::get_if<Cut>(&schema.form)) return merged(form->each, form->merge);
    if (const auto* form = std::get_if<Lanes>(&schema.form)) return merged(form->each, form->merge);
    const auto inside = [&](const SchemaPtr& inner) { return takes_carry(*inner, chained, asked); };
    if (const auto* form = std::get_if<Rotate>(&schema.form)) return inside(form->inner);
    if (const auto* form = std::get_if<Reverse>(&schema.form)) return inside(form->inner);
    if (const auto* form = std::get_if<Order>(&schema.form)) return inside(form->inner);
    if (const auto* form = std::get_if<Take>(&schema.form)) return inside(form->inner);
    if (const auto* form = std::get_if<RoundTo>(&schema.form)) return inside(form->inner);
    if (const auto* form = std::get_if<AddOperand>(&schema.form)) return inside(form->inner);
    return false;
  }

  void refuse_chain(const Carry& carry, const char* form) const {
    if (carry.kind == Carry::Kind::node)
      throw TopologyError(std::string("chain: ") + form +
                          " has no accumulator that could be continued; chain needs a fold");
  }

  Node build(const Fold& form, const Items& items, const Carry& carry) {
    return fold_pieces(form, {{items, 1, 0}}, carry);
  }

  /// A fold over consecutive pieces with the step grid restarting at each.
  Node fold_pieces(const Fold& form, const Pieces& pieces, const Carry& carry) {
    using Begin = Shape::Begin;
    const bool adds = form.unit.kind == Unit::Kind::add;
    Begin begin = adds ? Begin::first : Begin::zero;
    switch (form.start) {
      case Start::automatic:
        if (carry.kind == Carry::Kind::node) begin = Begin::node;
        if (carry.kind == Carry::Kind::c && !adds) begin = Begin::c;
        break;
      case Start::first:
        if (!adds)
          throw TopologyError("from=first: only an IEEE add can copy its first addend; " +
                              unit_name(form.unit) + " starts from 0 or c");
        refuse_chain(carry, "a fold from=first");
        begin = Begin::first;
        break;
      case Start::zero:
        refuse_chain(carry, "a fold from=0");
        begin = Begin::zero;
        c_used_ = c_used_ || carry.kind == Carry::Kind::c;  // deliberately left out
        break;
      case Start::c:
        if (carry.kind == Carry::Kind::none)
          throw TopologyError("from=c: the computation has no operand c here");
        begin = carry.kind == Carry::Kind::c ? Begin::c : Begin::node;
        break;
    }
    if (begin == Begin::c) c_used_ = true;
    Items all;
    std::vector<Seam> seams;
    const bool has_grid = form.unit.addends > 1;
    for (const Piece& piece : pieces)
      for (std::uint64_t i = 0; i < piece.count; ++i) {
        if (has_grid && !all.empty()) push_seam(seams, all.size());
        all.append(piece.items.moved(as_signed(i) * piece.move));
      }
    return pool_.fold(form.unit, begin, carry.node, std::move(all), std::move(seams));
  }

  Node build(const Pairs& form, const Items& items, const Carry& carry) {
    refuse_chain(carry, "pairs");
    require_add(form.unit, "pairs");
    return rounded_alone(form.unit, items, binary(form.unit, items, false));
  }

  Node build(const Halves& form, const Items& items, const Carry& carry) {
    refuse_chain(carry, "halves");
    require_add(form.unit, "halves");
    return rounded_alone(form.unit, items, binary(form.unit, items, true));
  }

  /// A single addend (beside empty places) meets no step; a unit that rounds after every step still
  /// owes its format.
  Node rounded_alone(const Unit& unit, const Items& items, const Node& node) {
    if (!unit.after) return node;
    std::uint64_t addends = 0;
    for (const Run& run : items.runs())
      if (!run.node.is_empty()) addends += run.size();
    return addends == 1 ? pool_.round(node, *unit.after) : node;
  }

  void require_add(const Unit& unit, const char* form) const {
    if (unit.kind == Unit::Kind::add) return;
    throw TopologyError(std::string(form) + "(" + unit_name(unit) +
                        "): it combines two values, so " +
                        "the unit must be an IEEE add such as f32");
  }

  /// pairs: the largest power of two below n, and the rest. halves: the even and the odd places.
  Node binary(const Unit& unit, const Items& items, bool interleaved) {
    const std::uint64_t n = items.size();
    if (n == 0) return {};
    if (n == 1) return items.at(0);
    const Run* run = items.single_run();
    if (!run) return split(unit, items, interleaved);
    if (run->node.is_empty()) return {};
    if (run->step < 0 || extent(run->node) == 0) return split(unit, items, interleaved);
    // Regular: in coordinates of its own it has been met before, most likely.
    Lattice lattice;
    lattice.include(items);
    const Items local = items.localised(lattice.base, lattice.divisor);
    const Run& plain = *local.single_run();
    const auto key = std::make_tuple(&unit, plain.node.shape.get(), plain.node.stride, plain.step,
                                     n, interleaved);
    auto known = regular_.find(key);
    if (known == regular_.end())
      known = regular_.emplace(key, split(unit, local, interleaved)).first;
    return placed(known->second, lattice.base, lattice.divisor);
  }

  Node split(const Unit& unit, const Items& items, bool interleaved) {
    const std::uint64_t n = items.size();
    if (interleaved) {
      const Node even = binary(unit, items.select(0, 2, ceil_div(n, 2)), true);
      return pool_.combine(unit, even, binary(unit, items.select(1, 2, n / 2), true));
    }
    std::uint64_t power = 1;
    while (power * 2 < n) power *= 2;
    const Node left = binary(unit, items.range(0, power), false);
    return pool_.combine(unit, left, binary(unit, items.range(power, n - power), false));
  }

  Node build(const Slices& form, const Items& items, const Carry& carry) {
    const bool uneven = form.ragged && items.size() % form.size != 0;
    if (uneven && !form.merge && result_format(*form.ragged) != result_format(*form.each))
      throw TopologyError(
          "slices(…, ragged=…, chain): the ragged slice must end in the format of the others");
    return merge(cut_slices(form, items), *form.each, form.merge, carry,
                 uneven ? form.ragged.get() : nullptr);
  }
  Node build(const Parts& form, const Items& items, const Carry& carry) {
    require_pieces(form.count, "parts");
    return merge(cut_parts(form, items), *form.each, form.merge, carry);
  }
  Node build(const Cut& form, const Items& items, const Carry& carry) {
    return merge(cut_at(form, items), *form.each, form.merge, carry);
  }
  Node build(const Lanes& form, const Items& items, const Carry& carry) {
    require_pieces(form.count, "lanes");
    return merge(deal_lanes(form, items), *form.each, form.merge, carry);
  }

  void require_pieces(std::uint64_t count, const char* form) const {
    if (count > max_pieces)
      throw TopologyError(std::string(form) + "(" + std::to_string(count) + ", …): at most " +
                          std::to_string(max_pieces) + " pieces are supported");
  }

  /// `last`: the topology of the last piece, where it is not that of the others.
  Node merge(Pieces pieces, const Schema& each, const Merge& merge, const Carry& carry,
             const Schema* last = nullptr) {
    if (!merge) return chain(std::move(pieces), each, carry, last);
    const bool chained = carry.kind == Carry::Kind::node;
    Carry to_pieces;
    Carry to_merge;
    if (carry.kind != Carry::Kind::none)
      (takes_carry(*merge, chained, true) ? to_merge : to_pieces) = carry;
    Items results;
    for (const Piece& piece : pieces) {
      const Schema& topology = last && &piece == &pieces.back() ? *last : each;
      std::uint64_t done = 0;
      if (to_pieces.kind != Carry::Kind::none) {  // c goes to the first piece alone
        results.push(expand(topology, piece.items, to_pieces));
        to_pieces = {};
        done = 1;
      }
      if (done == piece.count) continue;
      const Node node = expand(topology, piece.items.moved(as_signed(done) * piece.move), {});
      results.push(node, piece.move, piece.count - done);
    }
    // A sum of nothing still has its c.
    if (to_pieces.kind != Carry::Kind::none) results.push(expand(each, {}, to_pieces));
    return expand(*merge, results, to_merge);
  }

  Node chain(Pieces pieces, const Schema& each, Carry carry, const Schema* last = nullptr) {
    if (last) {
      const Piece tail = std::move(pieces.back());
      pieces.pop_back();
      if (!pieces.empty()) carry = {Carry::Kind::node, chain(std::move(pieces), each, carry)};
      return chain({tail}, *last, carry);
    }
    if (const auto* fold = std::get_if<Fold>(&each.form)) return fold_pieces(*fold, pieces, carry);
    for (const Piece& piece : pieces)
      for (std::uint64_t i = 0; i < piece.count; ++i) {
        if (piece.items.empty()) continue;
        if (carry.kind == Carry::Kind::node && !takes_carry(each, true, false))
          throw TopologyError(
              "chain: the pieces' topology has no accumulator that could be continued");
        const Node next = expand(each, piece.items.moved(as_signed(i) * piece.move), carry);
        carry = {Carry::Kind::node, next};
      }
    if (carry.kind == Carry::Kind::c) return expand(each, {}, carry);  // there was no piece
    return carry.node;
  }

  Node build(const Rotate& form, const Items& items, const Carry& carry) {
    if (items.empty()) return expand(*form.inner, items, carry);
    const std::uint64_t by = form.by % items.size();
    Items rotated = items.range(by, items.size() - by);
    rotated.append(items.range(0, by));
    return expand(*form.inner, rotated, carry);
  }
  Node build(const Reverse& form, const Items& items, const Carry& carry) {
    return expand(*form.inner, items.reversed(), carry);
  }
  Node build(const Order& form, const Items& items, const Carry& carry) {
    if (form.permutation.size() != items.size())
      throw TopologyError("order(…): lists " + std::to_string(form.permutation.size()) +
                          " places, but there are " + std::to_string(items.size()) + " addends");
    Items ordered;
    for (const std::uint64_t place : form.permutation) ordered.push(items.at(place));
    return expand(*form.inner, ordered, carry);
  }
  Node build(const Take& form, const Items& items, const Carry& carry) {
    if (form.end > items.size())
      throw TopologyError("take(" + std::to_string(form.begin) + ".." + std::to_string(form.end) +
                          ", …): there are only " + std::to_string(items.size()) + " addends");
    return expand(*form.inner, items.range(form.begin, form.end - form.begin), carry);
  }
  Node build(const RoundTo& form, const Items& items, const Carry& carry) {
    return pool_.round(expand(*form.inner, items, carry), form.conversion);
  }
  Node build(const AddOperand& form, const Items& items, const Carry& carry) {
    return pool_.add_operand(expand(*form.inner, items, carry), form.operand);
  }
  Node build(const Any& form, const Items& items, const Carry& carry) {
    refuse_chain(carry, "any");
    require_add(form.unit, "any");
    return pool_.any_order(form.unit, items);
  }

  Node build(const Explicit& form, const Items& items, const Carry& carry) {
    refuse_chain(carry, "tree");
    std::vector<bool> seen(items.size());
    const std::uint64_t listed = mark_leaves(form.root, seen);
    if (listed != items.size())
      throw TopologyError("tree(…): lists " + std::to_string(listed) + " addends, but there are " +
                          std::to_string(items.size()) + "; leave some out with take(…)");
    return nested(form.unit, form.root, items, carry);
  }

  std::uint64_t mark_leaves(const Nested& list, std::vector<bool>& seen) const {
    std::uint64_t count = 0;
    for (const Nested& item : list.items) count += mark_leaves(item, seen);
    if (!list.items.empty()) return count;
    const std::string leaf = "tree(…): addend " + std::to_string(list.leaf);
    if (list.leaf >= seen.size())
      throw TopologyError(leaf + " does not exist; there are " + std::to_string(seen.size()));
    if (seen[list.leaf]) throw TopologyError(leaf + " is listed twice");
    seen[list.leaf] = true;
    return 1;
  }

  /// A list folds left. For fma and matrix units the first item may be a list, the accumulator to
  /// go on with; the others must be leaves, since only products can enter.
  Node nested(const Unit& unit, const Nested& list, const Items& items, const Carry& carry) {
    if (list.items.empty()) return fold_pieces({unit}, {{items.range(list.leaf, 1), 1, 0}}, carry);
    Items addends;
    Carry start = carry;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Nested& item = list.items[i];
      if (item.items.empty()) {
        addends.push(items.at(item.leaf));
      } else if (unit.kind == Unit::Kind::add) {
        addends.push(nested(unit, item, items, {}));
      } else if (i == 0) {
        start = {Carry::Kind::node, nested(unit, item, items, carry)};
      } else {
        throw TopologyError("tree(" + unit_name(unit) +
                            ", …): a list can only come first; the other addends are products");
      }
    }
    return fold_pieces({unit}, {{addends, 1, 0}}, start);
  }

  ShapePool pool_;
  bool c_used_ = false;
  std::map<std::tuple<const Unit*, const Shape*, std::int64_t, std::int64_t, std::uint64_t, bool>,
           Node>
      regular_;
};

}  // namespace

Tree expand(const Schema& schema, std::uint64_t n, const ExpandOptions& options) {
  if (n > max_addends)
    throw TopologyError(std::to_string(n) + " addends: at most 2^40 are supported");
  Expander expander;
  Carry carry;
  if (options.has_c) carry.kind = Carry::Kind::c;
  Tree tree(n, expander.expand(schema, Items::leaves(n), carry));
  if (options.has_c && !expander.c_used())
    throw TopologyError(
        "the computation has an operand c, but no fold of this topology starts from it; "
        "write from=c where it enters or from=0 to leave it out");
  return tree;
}

}  // namespace whybits
