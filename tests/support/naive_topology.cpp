#include "tests/support/naive_topology.hpp"

#include <algorithm>
#include <utility>

#include "tests/support/naive_units.hpp"

namespace whybits::test {
namespace {

using Kind = NaiveTerm::Kind;
using Begin = NaiveTerm::Begin;
using List = std::vector<TermPtr>;
using Lists = std::vector<List>;

struct Carry {
  enum class What { none, c, term } what = What::none;
  TermPtr term;
  bool same_fold = false;  ///< the fold has begun in an earlier piece: where it starts is settled
};

List without_nothing(const List& list) {
  List out;
  std::copy_if(list.begin(), list.end(), std::back_inserter(out),
               [](const TermPtr& t) { return t != nullptr; });
  return out;
}

Lists in_steps(const List& list, int addends) {
  Lists steps;
  for (const TermPtr& term : list) {
    if (steps.empty() || static_cast<int>(steps.back().size()) == addends) steps.emplace_back();
    steps.back().push_back(term);
  }
  return steps;
}

/// Rounding twice in the same way is rounding once.
TermPtr rounded(const TermPtr& inner, const Conversion& conversion) {
  if (!inner) return nullptr;
  if (inner->kind == Kind::round && inner->conversion == conversion) return inner;
  const bool sum = inner->kind == Kind::fold || inner->kind == Kind::any;
  if (sum && inner->unit.after && *inner->unit.after == conversion) return inner;
  auto term = std::make_shared<NaiveTerm>();
  term->kind = Kind::round;
  term->conversion = conversion;
  term->inner = inner;
  return term;
}

bool is_fold_by(const TermPtr& term, const Unit& unit) {
  return term && term->kind == Kind::fold &&
         naive_unit_identity(term->unit) == naive_unit_identity(unit);
}

TermPtr fold_term(const Unit& unit, Begin begin, TermPtr start, Lists steps) {
  const bool add = unit.kind == Unit::Kind::add;
  if (begin == Begin::term && !start) begin = add ? Begin::first : Begin::zero;
  if (begin == Begin::term && add) {
    steps.insert(steps.begin(), List{start});
    begin = Begin::first;
    start = nullptr;
  }
  if (steps.empty()) {
    if (begin == Begin::term) return unit.after ? rounded(start, *unit.after) : start;
    if (begin != Begin::c) return nullptr;
    if (unit.after) {
      Unit plain = unit;
      plain.after.reset();
      return rounded(fold_term(plain, begin, nullptr, {}), *unit.after);
    }
  }
  if (begin == Begin::first && unit.after) steps[0][0] = rounded(steps[0][0], *unit.after);
  if (begin == Begin::first && steps.size() == 1) return steps[0][0];
  const TermPtr head = begin == Begin::term ? start : begin == Begin::first ? steps[0][0] : nullptr;
  if (is_fold_by(head, unit)) {
    Lists all = head->steps;
    all.insert(all.end(), steps.begin() + (begin == Begin::first ? 1 : 0), steps.end());
    steps = std::move(all);
    begin = head->begin;
    start = head->start;
  }
  auto term = std::make_shared<NaiveTerm>();
  term->kind = Kind::fold;
  term->unit = unit;
  term->begin = begin;
  term->start = start;
  term->steps = std::move(steps);
  return term;
}

/// Two values by an IEEE add; a missing partner passes the other.
TermPtr pair_term(const Unit& unit, const TermPtr& a, const TermPtr& b) {
  if (!a) return b;
  if (!b) return a;
  Unit plain = unit;
  plain.after.reset();
  const TermPtr sum = fold_term(plain, Begin::first, nullptr, {{a}, {b}});
  return unit.after ? rounded(sum, *unit.after) : sum;
}

class Reader {
 public:
  TermPtr read(const Schema& schema, const List& list, const Carry& carry) {
    return std::visit([&](const auto& form) { return read(form, list, carry); }, schema.form);
  }
  bool c_used = false;

 private:
  // --- forms that add --------------------------------------------------------------------------
  TermPtr read(const Fold& form, const List& list, const Carry& carry) {
    return fold(form, list, carry);
  }

  TermPtr fold(const Fold& form, const List& list, const Carry& carry) {
    const bool add = form.unit.kind == Unit::Kind::add;
    Begin begin = add ? Begin::first : Begin::zero;
    if (carry.same_fold) {
      begin = Begin::term;
    } else if (form.start == Start::c) {
      if (carry.what == Carry::What::none) throw NaiveRefusal("no c");
      begin = carry.what == Carry::What::c ? Begin::c : Begin::term;
    } else if (form.start == Start::automatic) {
      if (carry.what == Carry::What::term) begin = Begin::term;
      if (carry.what == Carry::What::c && !add) begin = Begin::c;
    } else {
      if (carry.what == Carry::What::term) throw NaiveRefusal("the start is fixed");
      begin = form.start == Start::first ? Begin::first : Begin::zero;
      if (form.start == Start::zero && carry.what == Carry::What::c) c_used = true;
    }
    if (begin == Begin::c) c_used = true;
    return fold_term(form.unit, begin, carry.term,
                     in_steps(without_nothing(list), form.unit.addends));
  }

  TermPtr owed_rounding(const Unit& unit, const List& list, const TermPtr& sum) const {
    return unit.after && without_nothing(list).size() == 1 ? rounded(sum, *unit.after) : sum;
  }

  TermPtr read(const Pairs& form, const List& list, const Carry& carry) {
    refuse_accumulator(carry);
    List x = list;
    for (std::size_t distance = 1; distance < x.size(); distance *= 2)
      for (std::size_t i = 0; i + distance < x.size(); i += 2 * distance)
        x[i] = pair_term(form.unit, x[i], x[i + distance]);
    return x.empty() ? nullptr : owed_rounding(form.unit, list, x[0]);
  }

  TermPtr read(const Halves& form, const List& list, const Carry& carry) {
    refuse_accumulator(carry);
    if (list.empty()) return nullptr;
    List x = list;
    std::size_t padded = 1;
    while (padded < x.size()) padded *= 2;
    x.resize(padded);
    for (std::size_t distance = padded / 2; distance > 0; distance /= 2)
      for (std::size_t i = 0; i < distance; ++i) x[i] = pair_term(form.unit, x[i], x[i + distance]);
    return owed_rounding(form.unit, list, x[0]);
  }

  TermPtr read(const Any& form, const List& list, const Carry& carry) {
    refuse_accumulator(carry);
    const List items = without_nothing(list);
    if (items.size() < 2 || (items.size() == 2 && !form.unit.after))
      return fold_term(form.unit, Begin::first, nullptr, in_steps(items, 1));
    auto term = std::make_shared<NaiveTerm>();
    term->kind = Kind::any;
    term->unit = form.unit;
    term->steps = in_steps(items, 1);
    return term;
  }

  TermPtr read(const Explicit& form, const List& list, const Carry& carry) {
    refuse_accumulator(carry);
    if (count_leaves(form.root) != list.size()) throw NaiveRefusal("another number of addends");
    return nested(form.unit, form.root, list, carry);
  }

  static std::size_t count_leaves(const Nested& place) {
    std::size_t count = place.items.empty() ? 1 : 0;
    for (const Nested& item : place.items) count += count_leaves(item);
    return count;
  }

  TermPtr nested(const Unit& unit, const Nested& place, const List& list, const Carry& carry) {
    const bool add = unit.kind == Unit::Kind::add;
    if (place.items.empty()) return fold({unit}, {list.at(place.leaf)}, carry);
    List addends;
    Carry start = carry;
    for (const Nested& item : place.items) {
      if (item.items.empty())
        addends.push_back(list.at(item.leaf));
      else if (add)
        addends.push_back(nested(unit, item, list, {}));
      else
        start = {Carry::What::term, nested(unit, item, list, carry)};
    }
    return fold({unit}, addends, start);
  }

  void refuse_accumulator(const Carry& carry) const {
    if (carry.what == Carry::What::term) throw NaiveRefusal("no accumulator to continue");
  }

  // --- forms that cut --------------------------------------------------------------------------
  TermPtr read(const Slices& form, const List& list, const Carry& carry) {
    Lists pieces;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i % form.size == 0) pieces.emplace_back();
      pieces.back().push_back(list[i]);
    }
    const bool uneven = form.ragged && list.size() % form.size != 0;
    return merge(pieces, *form.each, form.merge, carry, uneven ? form.ragged.get() : nullptr);
  }

  TermPtr read(const Parts& form, const List& list, const Carry& carry) {
    std::uint64_t blocks = 0;
    while (blocks * form.by < list.size()) ++blocks;
    Lists pieces(form.count);
    std::size_t at = 0;
    for (std::uint64_t part = 0; part < form.count; ++part)
      for (std::uint64_t b = 0; b < blocks / form.count + (part < blocks % form.count ? 1 : 0); ++b)
        for (std::uint64_t i = 0; i < form.by && at < list.size(); ++i)
          pieces[part].push_back(list[at++]);
    return merge(pieces, *form.each, form.merge, carry);
  }

  TermPtr read(const Cut& form, const List& list, const Carry& carry) {
    Lists pieces(1);
    std::size_t next = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      while (next < form.borders.size() && form.borders[next] == i) {
        pieces.emplace_back();
        ++next;
      }
      pieces.back().push_back(list[i]);
    }
    for (; next < form.borders.size(); ++next) {
      if (form.borders[next] > list.size()) throw NaiveRefusal("border beyond the addends");
      pieces.emplace_back();
    }
    return merge(pieces, *form.each, form.merge, carry);
  }

  TermPtr read(const Lanes& form, const List& list, const Carry& carry) {
    Lists pieces(form.count);
    const std::size_t round = form.count * form.by;
    const std::size_t whole = form.rest == 0 ? list.size() : list.size() / round * round;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t block = i < whole ? i / form.by : (i - whole) / form.rest;
      pieces[block % form.count].push_back(list[i]);
    }
    return merge(pieces, *form.each, form.merge, carry);
  }

  /// Does a fold in here say from=c?
  bool asks_for_c(const Schema& schema) const {
    if (const auto* fold = std::get_if<Fold>(&schema.form)) return fold->start == Start::c;
    bool asks = false;
    std::visit(
        [&](const auto& form) {
          if constexpr (requires { form.merge; })
            asks = (form.merge && asks_for_c(*form.merge)) || asks_for_c(*form.each);
          else if constexpr (requires { form.inner; })
            asks = asks_for_c(*form.inner);
        },
        schema.form);
    return asks;
  }

  /// `last`: the topology of the last piece, where it is another one.
  TermPtr merge(Lists pieces, const Schema& each, const Merge& merge, Carry carry,
                const Schema* last = nullptr) {
    if (!merge && last) {
      const List tail = pieces.back();
      pieces.pop_back();
      if (!pieces.empty())
        carry = {Carry::What::term, chain(pieces, each, carry),
                 is_one_fold(each) && is_one_fold(*last)};
      return chain({tail}, *last, carry);
    }
    if (!merge) return chain(pieces, each, carry);
    Carry to_merge;
    if (carry.what != Carry::What::none && asks_for_c(*merge)) std::swap(to_merge, carry);
    List results;
    for (const List& piece : pieces)
      results.push_back(
          read(last && &piece == &pieces.back() ? *last : each, piece, std::exchange(carry, {})));
    if (carry.what != Carry::What::none)
      results.push_back(read(each, {}, carry));  // no piece at all
    return read(*merge, results, to_merge);
  }

  /// The fold that a topology is, if is_one_fold.
  static const Fold& the_fold(const Schema& schema) {
    if (const auto* fold = std::get_if<Fold>(&schema.form)) return *fold;
    const Schema* below = nullptr;
    std::visit(
        [&](const auto& form) {
          if constexpr (requires { form.each; })
            below = form.each.get();
          else if constexpr (requires { form.inner; })
            below = form.inner.get();
        },
        schema.form);
    return the_fold(*below);
  }

  /// Cuts, chains and reorders one fold, and does nothing else.
  static bool is_one_fold(const Schema& schema) {
    bool one = std::holds_alternative<Fold>(schema.form);
    std::visit(
        [&](const auto& form) {
          if constexpr (requires { form.ragged; })
            one = !form.ragged && !form.merge && is_one_fold(*form.each);
          else if constexpr (requires { form.merge; })
            one = !form.merge && is_one_fold(*form.each);
          else if constexpr (requires { form.inner; })
            one = !requires { form.conversion; } && !requires { form.operand; } &&
                  is_one_fold(*form.inner);
        },
        schema.form);
    return one;
  }

  TermPtr chain(const Lists& pieces, const Schema& each, Carry carry) {
    if (is_one_fold(each) && the_fold(each).start == Start::c && carry.what == Carry::What::none)
      throw NaiveRefusal("no c");
    bool any = false;
    for (const List& piece : pieces) {
      if (without_nothing(piece).empty() && (piece.empty() || is_one_fold(each))) continue;
      any = true;
      const TermPtr sum = read(each, piece, carry);
      carry = {Carry::What::term, sum, is_one_fold(each)};
    }
    if (!any && carry.what == Carry::What::c)
      return read(each, pieces.empty() ? List{} : pieces[0], carry);
    return carry.term;
  }

  // --- forms that reorder ----------------------------------------------------------------------
  TermPtr read(const Rotate& form, const List& list, const Carry& carry) {
    List rotated;
    for (std::size_t i = 0; i < list.size(); ++i)
      rotated.push_back(list[(i + form.by) % list.size()]);
    return read(*form.inner, rotated, carry);
  }
  TermPtr read(const Reverse& form, const List& list, const Carry& carry) {
    return read(*form.inner, List(list.rbegin(), list.rend()), carry);
  }
  TermPtr read(const Order& form, const List& list, const Carry& carry) {
    if (form.permutation.size() != list.size()) throw NaiveRefusal("another number of addends");
    List ordered;
    for (const std::uint64_t place : form.permutation) ordered.push_back(list.at(place));
    return read(*form.inner, ordered, carry);
  }
  TermPtr read(const Take& form, const List& list, const Carry& carry) {
    if (form.end > list.size()) throw NaiveRefusal("fewer addends");
    List taken;
    for (std::uint64_t i = form.begin; i < form.end; ++i) taken.push_back(list.at(i));
    return read(*form.inner, taken, carry);
  }
  TermPtr read(const RoundTo& form, const List& list, const Carry& carry) {
    return rounded(read(*form.inner, list, carry), form.conversion);
  }
  TermPtr read(const AddOperand& form, const List& list, const Carry& carry) {
    auto term = std::make_shared<NaiveTerm>();
    term->kind = Kind::operand;
    term->operand = form.operand;
    term->inner = read(*form.inner, list, carry);
    return term;
  }
};

void write(std::string& out, const TermPtr& term) {
  if (!term) {
    out += "nothing";
    return;
  }
  switch (term->kind) {
    case Kind::leaf:
      out += std::to_string(term->leaf);
      return;
    case Kind::round:
      out += "round " + conversion_name(term->conversion) + "(";
      write(out, term->inner);
      break;
    case Kind::operand:
      out += "add " + term->operand + "(";
      write(out, term->inner);
      break;
    case Kind::any:
    case Kind::fold:
      out += term->kind == Kind::any ? "any " : "fold ";
      out += naive_unit_identity(term->unit) + "(";
      if (term->begin == Begin::zero) out += "0";
      if (term->begin == Begin::c) out += "c";
      if (term->begin == Begin::term) write(out, term->start);
      for (const List& step : term->steps) {
        out += " |";
        for (const TermPtr& item : step) {
          out += ' ';
          write(out, item);
        }
      }
  }
  out += ")";
}

}  // namespace

TermPtr naive_expression(const Schema& schema, std::uint64_t n, bool has_c) {
  List leaves;
  for (std::uint64_t i = 0; i < n; ++i) {
    auto leaf = std::make_shared<NaiveTerm>();
    leaf->leaf = i;
    leaves.push_back(leaf);
  }
  Reader reader;
  const TermPtr term =
      reader.read(schema, leaves, {has_c ? Carry::What::c : Carry::What::none, nullptr});
  if (has_c && !reader.c_used) throw NaiveRefusal("nobody takes c");
  return term;
}

std::string naive_unit_identity(const Unit& unit) {
  std::string text;
  const auto suffixes = [&](const RoundRule& rule) {
    return " r" + std::to_string(static_cast<int>(rule.rounding)) + " o" +
           std::to_string(static_cast<int>(rule.overflow)) + " f" +
           std::to_string(static_cast<int>(rule.flush));
  };
  if (const auto matrix = naive_matrix_unit(unit.name))
    text = matrix->identity();
  else if (unit.kind == Unit::Kind::aligned)
    text = unit.name;
  else if (unit.kind == Unit::Kind::exact)
    text = "exact";
  else {
    text = unit.kind == Unit::Kind::fma ? "fma" : "add ";
    text += format_name(unit.format);
    if (!(unit.rule == RoundRule{})) text += suffixes(unit.rule);
  }
  if (unit.after) text += " then " + format_name(unit.after->to) + suffixes(unit.after->rule);
  return text;
}

std::string naive_text(const TermPtr& term) {
  std::string text;
  write(text, term);
  return text;
}

}  // namespace whybits::test
