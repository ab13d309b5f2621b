#include "tests/support/random_schema.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace whybits::test {
namespace {

/// How many addends a form may meet: the pieces of one cut differ in length.
using Sizes = std::set<std::uint64_t>;

struct Made {
  SchemaPtr schema;
  Format result;  ///< of every result
  /// Accumulator format of the fold that can go on from another's result, so that chain may join.
  std::optional<Format> carry = {};
};

class Maker {
 public:
  Maker(Random& random, const SchemaWishes& wishes) : random_(random), wishes_(wishes) {}

  /// values: format that every addend widens to; nullopt: exact products.
  Made make(const Sizes& sizes, std::optional<Format> values, int depth) {
    Made made = form(sizes, values, depth);
    if (wishes_.roundings && random_.below(6) == 0) {
      made.result = random_.pick(wishes_.formats);
      made.schema = schema(RoundTo{made.schema, conversion(made.result)});
    }
    if (wishes_.operands && random_.below(12) == 0 && widens_exactly(made.result, formats::f32)) {
      made.schema = schema(AddOperand{made.schema, "bias"});
      made.result = formats::f32;
      if (made.carry && !widens_exactly(*made.carry, formats::f32)) made.carry.reset();
    }
    return made;
  }

 private:
  Conversion conversion(const Format& to) {
    Conversion c{to, {}};
    if (random_.below(4) == 0) c.rule.rounding = Rounding::zero;
    return c;
  }

  Unit add_unit(const Format& values) {
    std::vector<Format> wide;
    for (const Format& f : wishes_.formats)
      if (widens_exactly(values, f)) wide.push_back(f);
    const Format format = wide.empty() ? values : random_.pick(wide);
    RoundRule rule;
    if (random_.below(10) == 0) rule.rounding = Rounding::zero;
    if (random_.below(10) == 0) rule.flush = Flush::both;
    return with_rounding(ieee_add(format, rule));
  }

  Unit product_unit() { return with_rounding(random_.pick(wishes_.product_units)); }

  /// Sometimes rounds after every step, to a format that the next step can read.
  Unit with_rounding(Unit unit) {
    if (!wishes_.roundings || random_.below(8) != 0) return unit;
    std::vector<Format> narrow;
    for (const Format& f : wishes_.formats)
      if (widens_exactly(f, unit.format)) narrow.push_back(f);
    return narrow.empty() ? unit : rounded_after(unit, conversion(random_.pick(narrow)));
  }

  Made folded(const Unit& unit) {
    Fold fold{unit};
    if (random_.below(5) == 0) fold.start = Start::zero;
    if (random_.below(5) == 0 && unit.kind == Unit::Kind::add) fold.start = Start::first;
    if (wishes_.starts_from_c && random_.below(4) == 0) fold.start = Start::c;
    const bool free = fold.start == Start::automatic;
    Made made{schema(std::move(fold)), unit.result_format()};
    if (free) made.carry = unit.format;
    return made;
  }

  Made form(const Sizes& sizes, std::optional<Format> values, int depth) {
    if (depth == 0 || random_.below(6) == 0) return addition(sizes, values);
    switch (random_.below(11)) {
      case 0:
      case 1: {
        const std::uint64_t size =
            random_.below(3) == 0 ? random_.below(70) + 1 : random_.below(9) + 1;
        Sizes pieces, count;
        for (const std::uint64_t n : sizes) {
          if (n >= size) pieces.insert(size);
          if (n % size != 0) pieces.insert(n % size);
          count.insert((n + size - 1) / size);
        }
        return merged(pieces, count, values, depth, [&](SchemaPtr each, Merge merge) {
          // A last slice of its own: what may stand for the others may stand for it.
          const SchemaPtr ragged = random_.below(5) == 0 ? each : nullptr;
          return schema(Slices{size, each, merge, ragged});
        });
      }
      case 2: {
        const std::uint64_t count = random_.below(6) + 1;
        const std::uint64_t by = random_.coin() ? 1 : random_.below(5) + 1;
        Sizes pieces;
        for (const std::uint64_t n : sizes) {
          const std::uint64_t blocks = (n + by - 1) / by;
          std::uint64_t left = n;
          for (std::uint64_t part = 0; part < count; ++part) {
            const std::uint64_t length = (blocks / count + (part < blocks % count ? 1 : 0)) * by;
            pieces.insert(std::min(left, length));
            left -= std::min(left, length);
          }
        }
        return merged(pieces, {count}, values, depth, [&](SchemaPtr each, Merge merge) {
          return schema(Parts{count, by, each, merge});
        });
      }
      case 3: {
        std::set<std::uint64_t> borders;
        for (std::uint64_t i = random_.below(3) + 1; i > 0; --i)
          borders.insert(random_.below(*sizes.begin() + 1));
        Sizes pieces;
        for (const std::uint64_t n : sizes) {
          std::uint64_t from = 0;
          for (const std::uint64_t border : borders) {
            pieces.insert(border - from);
            from = border;
          }
          pieces.insert(n - from);
        }
        return merged(pieces, {borders.size() + 1}, values, depth,
                      [&](SchemaPtr each, Merge merge) {
                        return schema(Cut{{borders.begin(), borders.end()}, each, merge});
                      });
      }
      case 4:
      case 5: {
        const std::uint64_t count =
            random_.below(4) == 0 ? random_.below(40) + 1 : random_.below(6) + 1;
        const std::uint64_t by = random_.coin() ? 1 : random_.below(5) + 1;
        std::uint64_t rest = random_.below(3) == 0 ? random_.below(3) + 1 : 0;
        if (rest == by) rest = 0;  // written as no rest
        Sizes pieces;
        for (const std::uint64_t n : sizes) {
          std::vector<std::uint64_t> lengths(count);
          const std::uint64_t whole = rest == 0 ? n : n - n % (count * by);
          for (std::uint64_t i = 0; i < n; ++i)
            ++lengths[(i < whole ? i / by : (i - whole) / rest) % count];
          pieces.insert(lengths.begin(), lengths.end());
        }
        return merged(pieces, {count}, values, depth, [&](SchemaPtr each, Merge merge) {
          return schema(Lanes{count, by, each, merge, rest});
        });
      }
      case 6: {
        const std::uint64_t by = random_.below(3) == 0 ? random_.below(1000) : random_.below(5);
        return wrapped(sizes, values, depth, [&](SchemaPtr t) { return schema(Rotate{by, t}); });
      }
      case 7:
        return wrapped(sizes, values, depth, [&](SchemaPtr t) { return schema(Reverse{t}); });
      case 8: {
        if (sizes.size() != 1 || *sizes.begin() == 0 || *sizes.begin() > 200)
          return addition(sizes, values);
        const std::vector<std::uint64_t> places = permutation(*sizes.begin());
        return wrapped(sizes, values, depth, [&](SchemaPtr t) { return schema(Order{places, t}); });
      }
      case 9: {
        const std::uint64_t end = random_.below(*sizes.begin() + 1);
        const std::uint64_t begin = random_.below(end + 1);
        return wrapped({end - begin}, values, depth,
                       [&](SchemaPtr t) { return schema(Take{begin, end, t}); });
      }
      default:
        break;
    }
    if (sizes.size() != 1 || *sizes.begin() == 0 || *sizes.begin() > 200)
      return addition(sizes, values);
    return explicit_tree(*sizes.begin(), values);
  }

  Made addition(const Sizes& sizes, std::optional<Format> values) {
    if (!values) {
      if (sizes.size() == 1 && *sizes.begin() > 0 && *sizes.begin() < 50 && random_.below(8) == 0)
        return explicit_tree(*sizes.begin(), values);
      return folded(product_unit());
    }
    const Unit unit = add_unit(*values);
    switch (random_.below(7)) {
      case 0:
      case 1:
        return {schema(Pairs{unit}), unit.result_format()};
      case 2:
      case 3:
        return {schema(Halves{unit}), unit.result_format()};
      case 4:
        return {schema(Any{unit}), unit.result_format()};
      default:
        return folded(unit);
    }
  }

  template <class Build>
  Made merged(const Sizes& pieces, const Sizes& count, std::optional<Format> values, int depth,
              Build build) {
    const Made each = make(pieces.empty() ? Sizes{0} : pieces, values, depth - 1);
    const bool can_chain = std::holds_alternative<Fold>(each.schema->form) ||
                           (each.carry && widens_exactly(each.result, *each.carry));
    if (can_chain && random_.below(3) == 0)
      return {build(each.schema, nullptr), each.result, each.carry};
    const Made merge = make(count, each.result, depth - 1);
    return {build(each.schema, merge.schema), merge.result, each.carry};
  }

  template <class Build>
  Made wrapped(const Sizes& sizes, std::optional<Format> values, int depth, Build build) {
    Made inner = make(sizes, values, depth - 1);
    inner.schema = build(inner.schema);
    return inner;
  }

  std::vector<std::uint64_t> permutation(std::uint64_t n) {
    std::vector<std::uint64_t> places(n);
    std::iota(places.begin(), places.end(), 0);
    for (std::uint64_t i = n; i > 1; --i) std::swap(places[i - 1], places[random_.below(i)]);
    return places;
  }

  Made explicit_tree(std::uint64_t n, std::optional<Format> values) {
    const Unit unit = values ? add_unit(*values) : product_unit();
    const std::vector<std::uint64_t> places = permutation(n);
    std::vector<Nested> items;
    for (const std::uint64_t place : places) items.push_back({place, {}});
    while (items.size() > 1) {  // joins two or more neighbours; products only at the front
      const std::uint64_t first = values ? random_.below(items.size() - 1) : 0;
      const std::uint64_t last =
          first + 2 + random_.below(std::min<std::uint64_t>(items.size() - first - 1, 20));
      Nested list;
      list.items.assign(items.begin() + static_cast<long>(first),
                        items.begin() + static_cast<long>(last));
      items.erase(items.begin() + static_cast<long>(first) + 1,
                  items.begin() + static_cast<long>(last));
      items[first] = std::move(list);
    }
    return {schema(Explicit{unit, items[0]}), unit.result_format()};
  }

  Random& random_;
  const SchemaWishes& wishes_;
};

}  // namespace

namespace {

/// A form round `inner`, or in its place, that n addends do not fit; a few sizes it does.
SchemaPtr with_fault(Random& random, const SchemaPtr& inner, std::uint64_t n) {
  const Unit f32 = ieee_add(formats::f32);
  const std::uint64_t beyond = n + 1 + random.below(4);
  switch (random.below(5)) {
    case 0:
      return schema(Take{0, beyond, inner});
    case 1:
      return schema(Cut{{beyond}, inner, schema(Fold{f32})});
    case 2: {
      std::vector<std::uint64_t> places(beyond);
      std::iota(places.begin(), places.end(), std::uint64_t{0});
      return schema(Order{places, inner});
    }
    case 3:
      return schema(Slices{1, schema(Pairs{f32}), nullptr});
    default:
      return schema(Fold{f32, Start::c});
  }
}

}  // namespace

SchemaPtr random_schema(Random& random, const SchemaWishes& wishes) {
  SchemaPtr made = Maker(random, wishes).make({wishes.n}, wishes.values, wishes.depth).schema;
  if (!wishes.faults || random.below(6) != 0) return made;
  made = with_fault(random, made, wishes.n);
  return random.coin() ? made : schema(Reverse{made});
}

}  // namespace whybits::test
