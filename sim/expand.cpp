#include "sim/expand.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "sim/as_signed.hpp"
#include "sim/ceil_div.hpp"
#include "sim/pieces.hpp"
#include "sim/plural.hpp"
#include "sim/shape_pool.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t max_addends = std::uint64_t{1} << 40;

/// What an expansion is handed to begin with, beside its addends.
struct Carry {
  enum class Kind { none, c, node } kind = Kind::none;
  Node node;
};

/// A list of addends as a key: equal keys, equal lists.
struct ListKey {
  using RunKey = std::tuple<Node::Kind, const Shape*, std::int64_t, std::int64_t, std::int64_t,
                            std::uint64_t, std::int64_t, std::uint64_t>;
  const Unit* unit;
  bool interleaved;
  std::vector<RunKey> runs;

  ListKey(const Unit& by, const Items& items, bool halves) : unit(&by), interleaved(halves) {
    for (const Run& run : items.runs())
      runs.emplace_back(run.node.kind, run.node.shape.get(), run.node.offset, run.node.stride,
                        run.step, run.count, run.repeat_step, run.repeats);
  }
  bool operator<(const ListKey& other) const {
    return std::tie(unit, interleaved, runs) < std::tie(other.unit, other.interleaved, other.runs);
  }
};

class Expander {
 public:
  explicit Expander(std::uint64_t max_work) : pool_(max_work / 8), budget_(max_work) {}

  Node expand(const Schema& schema, const Items& items, const Carry& carry) {
    spend(1 + items.runs().size());
    return std::visit([&](const auto& form) { return build(form, items, carry); }, schema.form);
  }

  bool c_used() const { return c_used_; }

 private:
  /// Regular lists cost a handful whatever their length; irregular ones what they list.
  void spend(std::uint64_t work) { budget_.spend(work); }

  Items select(const Items& items, std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
    return ItemsIndex(items, &budget_).select(first, stride, count);
  }

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
    for (const Piece& piece : pieces) {
      const Items addends = piece.items.has_empty() ? piece.items.without_empty() : piece.items;
      if (addends.empty()) continue;
      push_seams(seams, {all.size(), addends.size(), piece.count});
      if (const Run* run = addends.single_run()) {
        all.push({run->node, run->step, run->count, piece.move, piece.count});
        continue;
      }
      spend(piece.count * addends.runs().size());
      for (std::uint64_t i = 0; i < piece.count; ++i)
        all.append(addends.moved(as_signed(i) * piece.move));
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
    spend(items.runs().size());
    constexpr std::size_t regular = 8;  // runs
    if (items.runs().size() > regular) return split(unit, items, interleaved);
    // In coordinates of its own it has been met before, most likely.
    Lattice lattice;
    lattice.include(items);
    const std::int64_t divisor = std::max<std::int64_t>(lattice.divisor, 1);
    const Items local = items.localised(lattice.base, divisor);
    ListKey key(unit, local, interleaved);
    auto known = met_.find(key);
    if (known == met_.end())
      known = met_.emplace(std::move(key), split(unit, local, interleaved)).first;
    return placed(known->second, lattice.base, divisor);
  }

  Node split(const Unit& unit, const Items& items, bool interleaved) {
    const std::uint64_t n = items.size();
    if (interleaved) {
      const Node even = binary(unit, select(items, 0, 2, ceil_div(n, 2)), true);
      return pool_.combine(unit, even, binary(unit, select(items, 1, 2, n / 2), true));
    }
    std::uint64_t power = 1;
    while (power * 2 < n) power *= 2;
    const Node left = binary(unit, select(items, 0, 1, power), false);
    return pool_.combine(unit, left, binary(unit, select(items, power, 1, n - power), false));
  }

  Node build(const Slices& form, const Items& items, const Carry& carry) {
    const bool uneven = form.ragged && items.size() % form.size != 0;
    if (uneven && !form.merge && result_format(*form.ragged) != result_format(*form.each))
      throw TopologyError(
          "slices(…, ragged=…, chain): the ragged slice must end in the format of the others");
    return merge(cut_pieces(form, items, budget_), *form.each, form.merge, carry,
                 uneven ? form.ragged.get() : nullptr);
  }
  Node build(const Parts& form, const Items& items, const Carry& carry) {
    return merge(cut_pieces(form, items, budget_), *form.each, form.merge, carry);
  }
  Node build(const Cut& form, const Items& items, const Carry& carry) {
    return merge(cut_pieces(form, items, budget_), *form.each, form.merge, carry);
  }
  Node build(const Lanes& form, const Items& items, const Carry& carry) {
    return merge(cut_pieces(form, items, budget_), *form.each, form.merge, carry);
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
      const Node node = expand(topology, piece.at(done), {});
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
      const bool begun = !pieces.empty();
      if (begun) carry = {Carry::Kind::node, chain(std::move(pieces), each, carry)};
      const Fold* fold = chained_fold(*last);
      if (!begun || !fold || !chained_fold(each)) return chain({tail}, *last, carry);
      Pieces all;
      collect(*last, tail, all);
      return fold_pieces({fold->unit}, all, carry);  // where it started is settled
    }
    if (const Fold* fold = chained_fold(each)) {
      Pieces all;
      for (const Piece& piece : pieces) collect(each, piece, all);
      return fold_pieces(*fold, all, carry);
    }
    for (const Piece& piece : pieces) {
      if (piece.items.empty()) continue;  // however many: lanes(10^6, …) of two addends has most
      for (std::uint64_t i = 0; i < piece.count; ++i) {
        if (carry.kind == Carry::Kind::node && !takes_carry(each, true, false))
          throw TopologyError(
              "chain: the pieces' topology has no accumulator that could be continued");
        carry = {Carry::Kind::node, expand(each, piece.at(i), carry)};
      }
    }
    if (carry.kind == Carry::Kind::c) return expand(each, {}, carry);  // there was no piece
    return carry.node;
  }

  /// The one fold that a topology is, if it only cuts, chains and reorders.
  static const Fold* chained_fold(const Schema& schema) {
    if (const auto* fold = std::get_if<Fold>(&schema.form)) return fold;
    return std::visit(
        [](const auto& form) -> const Fold* {
          using Form = std::decay_t<decltype(form)>;
          if constexpr (std::is_same_v<Form, Slices>)
            return form.merge || form.ragged ? nullptr : chained_fold(*form.each);
          else if constexpr (requires { form.merge; })
            return form.merge ? nullptr : chained_fold(*form.each);
          else if constexpr (std::is_same_v<Form, Rotate> || std::is_same_v<Form, Reverse> ||
                             std::is_same_v<Form, Order> || std::is_same_v<Form, Take>)
            return chained_fold(*form.inner);
          else
            return nullptr;
        },
        schema.form);
  }

  /// Its addends in the order of that fold, cut where its step grid restarts.
  void collect(const Schema& schema, const Piece& piece, Pieces& out) {
    spend(1 + piece.items.runs().size());
    std::visit(
        [&](const auto& form) {
          if constexpr (requires { form.merge; }) {
            Pieces parts;
            for (const Piece& part : cut_pieces(form, piece.items, budget_))
              collect(*form.each, part, parts);
            const std::uint64_t count = piece.items.empty() ? 1 : piece.count;
            spend((count - 1) * parts.size());
            for (std::uint64_t i = 0; i < count; ++i)
              for (const Piece& part : parts)
                out.push_back({part.items.moved(as_signed(i) * piece.move), part.count, part.move});
          } else if constexpr (requires { reordered(form, piece.items); }) {
            collect(*form.inner, {reordered(form, piece.items), piece.count, piece.move}, out);
          } else {
            out.push_back(piece);
          }
        },
        schema.form);
  }

  Items reordered(const Rotate& form, const Items& items) const {
    if (items.empty()) return items;
    const std::uint64_t by = form.by % items.size();
    Items rotated = items.range(by, items.size() - by);
    rotated.append(items.range(0, by));
    return rotated;
  }
  Items reordered(const Reverse&, const Items& items) const { return items.reversed(); }
  Items reordered(const Order& form, const Items& items) {
    if (form.permutation.size() != items.size())
      throw TopologyError("order(…): lists " + std::to_string(form.permutation.size()) +
                          " places, but " + there_are(items.size(), "addend"));
    spend(items.size());
    const ItemsIndex index(items);
    Items ordered;
    for (const std::uint64_t place : form.permutation) ordered.push(index.at(place));
    return ordered;
  }
  Items reordered(const Take& form, const Items& items) const {
    if (form.end > items.size())
      throw TopologyError("take(" + std::to_string(form.begin) + ".." + std::to_string(form.end) +
                          (items.size() == 1 ? ", …): there is only " : ", …): there are only ") +
                          counted_plainly(items.size(), "addend"));
    return items.range(form.begin, form.end - form.begin);
  }

  Node build(const Rotate& form, const Items& items, const Carry& carry) {
    return expand(*form.inner, reordered(form, items), carry);
  }
  Node build(const Reverse& form, const Items& items, const Carry& carry) {
    return expand(*form.inner, reordered(form, items), carry);
  }
  Node build(const Order& form, const Items& items, const Carry& carry) {
    return expand(*form.inner, reordered(form, items), carry);
  }
  Node build(const Take& form, const Items& items, const Carry& carry) {
    return expand(*form.inner, reordered(form, items), carry);
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
    const std::uint64_t listed = count_leaves(form.root);
    if (listed != items.size())
      throw TopologyError("tree(…): lists " + counted_plainly(listed, "addend") +
                          (items.size() == 1 ? ", but there is " : ", but there are ") +
                          std::to_string(items.size()) + "; leave some out with take(…)");
    std::vector<bool> seen(listed);
    mark_leaves(form.root, seen);
    spend(listed);
    return nested(form.unit, form.root, ItemsIndex(items), carry);
  }

  // Lists nest ten thousand deep: none of these recurses.

  static std::uint64_t count_leaves(const Nested& list) {
    std::uint64_t count = 0;
    std::vector<const Nested*> open{&list};
    while (!open.empty()) {
      const Nested& next = *open.back();
      open.pop_back();
      if (next.items.empty()) ++count;
      for (const Nested& item : next.items) open.push_back(&item);
    }
    return count;
  }

  static void mark_leaves(const Nested& list, std::vector<bool>& seen) {
    std::vector<const Nested*> open{&list};
    while (!open.empty()) {
      const Nested& next = *open.back();
      open.pop_back();
      for (auto item = next.items.rbegin(); item != next.items.rend(); ++item)
        open.push_back(&*item);
      if (next.items.empty()) mark_leaf(next.leaf, seen);
    }
  }

  static void mark_leaf(std::uint64_t number, std::vector<bool>& seen) {
    const std::string leaf = "tree(…): addend " + std::to_string(number);
    if (number >= seen.size())
      throw TopologyError(leaf + " does not exist; there " + (seen.size() == 1 ? "is " : "are ") +
                          std::to_string(seen.size()) + ", numbered from 0");
    if (seen[number]) throw TopologyError(leaf + " is listed twice");
    seen[number] = true;
  }

  /// A list folds left. A list that comes first is the accumulator to go on with; elsewhere a list
  /// is a value of its own, which only an IEEE add takes: fma and matrix units take products.
  Node nested(const Unit& unit, const Nested& root, const ItemsIndex& items, const Carry& carry) {
    std::vector<const Nested*> values{&root};  // lists that are values, each before those in it
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const Nested* list : spine_of(*values[i]))
        for (std::size_t k = 0; k < list->items.size(); ++k)
          if (!list->items[k].items.empty() && k > 0) values.push_back(&list->items[k]);
    std::unordered_map<const Nested*, Node> made;
    for (auto list = values.rbegin(); list != values.rend(); ++list)
      made[*list] = fold_list(unit, **list, items, *list == &root ? carry : Carry{}, made);
    return made[&root];
  }

  /// A list, the list that comes first in it, the one that comes first in that, ….
  static std::vector<const Nested*> spine_of(const Nested& list) {
    std::vector<const Nested*> spine{&list};
    while (!spine.back()->items.empty() && !spine.back()->items[0].items.empty())
      spine.push_back(&spine.back()->items[0]);
    return spine;
  }

  /// `made`: the values of the lists inside.
  Node fold_list(const Unit& unit, const Nested& list, const ItemsIndex& items, const Carry& carry,
                 const std::unordered_map<const Nested*, Node>& made) {
    const std::vector<const Nested*> spine = spine_of(list);
    Pieces pieces;
    for (auto level = spine.rbegin(); level != spine.rend(); ++level) {
      Items addends;
      if ((*level)->items.empty()) addends.push(items.at((*level)->leaf));
      for (std::size_t i = level == spine.rbegin() ? 0 : 1; i < (*level)->items.size(); ++i) {
        const Nested& item = (*level)->items[i];
        if (!item.items.empty() && unit.kind != Unit::Kind::add)
          throw TopologyError("tree(" + unit_name(unit) +
                              ", …): a list can only come first; the other addends are products");
        addends.push(item.items.empty() ? items.at(item.leaf) : made.at(&item));
      }
      pieces.push_back({std::move(addends), 1, 0});
    }
    return fold_pieces({unit}, pieces, carry);
  }

  ShapePool pool_;
  WorkBudget budget_;
  bool c_used_ = false;
  std::map<ListKey, Node> met_;  ///< what pairs and halves made of a list
};

}  // namespace

Tree expand(const Schema& schema, std::uint64_t n, const ExpandOptions& options) {
  if (n > max_addends)
    throw TopologyError(std::to_string(n) + " addends: at most 2^40 are supported");
  Expander expander(options.max_work);
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
