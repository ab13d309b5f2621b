// Sequences kept as runs against plain lists.
#include <numeric>
#include <vector>

#include "sim/expand.hpp"
#include "sim/items.hpp"
#include "sim/notation.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

using List = std::vector<Node>;

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.shape == b.shape && a.offset == b.offset && a.stride == b.stride;
}

List listed(const Items& items) {
  List list;
  items.for_each([&](const Node& node) { list.push_back(node); });
  return list;
}

void require_same(const Items& items, const List& list) {
  REQUIRE(items.size() == list.size());
  const List other = listed(items);
  for (std::size_t i = 0; i < list.size(); ++i) REQUIRE(same(other[i], list[i]));
}

bool same_data(const Items& a, const Items& b) {
  if (a.runs().size() != b.runs().size()) return false;
  for (std::size_t i = 0; i < a.runs().size(); ++i) {
    const Run& x = a.runs()[i];
    const Run& y = b.runs()[i];
    if (!same(x.node, y.node) || x.step != y.step || x.count != y.count ||
        x.repeat_step != y.repeat_step || x.repeats != y.repeats)
      return false;
  }
  return true;
}

ShapeRef shape_of(const char* text, std::uint64_t n) {
  return expand(*parse_topology(text), n).root().shape;
}

/// Nothing, leaves, two shapes, and a sum without leaves (it lies nowhere and never moves).
Node random_node(Random& random) {
  static const std::vector<ShapeRef> shapes{shape_of("fold(f32)", 3), shape_of("pairs(f32)", 4)};
  static const ShapeRef bias = shape_of("take(0..0, fold(f32)) + bias", 2);
  const std::uint64_t draw = random.below(8);
  if (draw == 0) return {};
  if (draw == 1) return {Node::Kind::shape, bias, 0, 1};
  if (draw < 4)
    return {Node::Kind::shape, random.pick(shapes), random.between(0, 50),
            1 + random.between(0, 2)};
  return Node::leaf(random.between(0, 50));
}

Node moved(Node node, std::int64_t distance) {
  if (extent(node) > 0) node.offset += distance;
  return node;
}

/// A list with patterns in it: runs, repeated runs, single nodes.
List random_list(Random& random) {
  List list;
  for (std::uint64_t parts = random.below(6); parts > 0; --parts) {
    const Node node = random_node(random);
    const auto step = random.between(-4, 4);
    const auto repeat_step = random.between(-20, 20);
    const std::uint64_t count = 1 + random.below(5);
    const std::uint64_t repeats = random.coin() ? 1 : 1 + random.below(6);
    for (std::uint64_t r = 0; r < repeats; ++r)
      for (std::uint64_t i = 0; i < count; ++i)
        list.push_back(moved(node, static_cast<std::int64_t>(r) * repeat_step +
                                       static_cast<std::int64_t>(i) * step));
  }
  return list;
}

Items one_by_one(const List& list) {
  Items items;
  for (const Node& node : list) items.push(node);
  return items;
}

}  // namespace

TEST_CASE("The same sequence is the same data, however it was put together") {
  for_all(20'000, [](Random& random) {
    const List list = random_list(random);
    const Items plain = one_by_one(list);
    require_same(plain, list);
    // In pieces, each of them a sequence of its own.
    Items joined;
    for (std::size_t i = 0; i < list.size();) {
      const std::size_t end = std::min(list.size(), i + 1 + random.below(9));
      joined.append(
          one_by_one({list.begin() + static_cast<long>(i), list.begin() + static_cast<long>(end)}));
      i = end;
    }
    REQUIRE(same_data(plain, joined));
    // Run by run, cut anywhere between repeats.
    Items in_runs;
    for (Run run : plain.runs()) {
      const std::uint64_t first = random.below(run.repeats + 1);
      Run rest = run;
      rest.node = run.at(first * run.count);
      rest.repeats = run.repeats - first;
      run.repeats = first;
      if (first > 0) in_runs.push(run);
      if (rest.repeats > 0) in_runs.push(rest);
    }
    REQUIRE(same_data(plain, in_runs));
  });
}

TEST_CASE("A regular sequence is a run, whatever its length") {
  CHECK(Items::leaves(0).runs().empty());
  CHECK(Items::leaves(1).runs().size() == 1);
  CHECK(Items::leaves(std::uint64_t{1} << 40).runs().size() == 1);
  Items repeated;
  repeated.push({Node::leaf(0), 1, 4, 64, std::uint64_t{1} << 30});
  CHECK(repeated.size() == std::uint64_t{1} << 32);
  CHECK(repeated.runs().size() == 2);
  CHECK(repeated.at(4 * 1000 + 3).offset == 64'003);
}

TEST_CASE("Parts, order and place of a sequence are those of the list") {
  for_all(20'000, [](Random& random) {
    const List list = random_list(random);
    const Items items = one_by_one(list);
    const ItemsIndex index(items);
    const std::uint64_t n = list.size();
    for (int i = 0; i < 3 && n > 0; ++i) {
      const std::uint64_t at = random.below(n);
      REQUIRE(same(items.at(at), list[at]));
      REQUIRE(same(index.at(at), list[at]));
    }
    if (n > 0) {
      const std::uint64_t first = random.below(n);
      const std::uint64_t stride = 1 + random.below(7);
      const std::uint64_t count = random.below((n - 1 - first) / stride + 2);
      List part;
      for (std::uint64_t i = 0; i < count; ++i) part.push_back(list[first + i * stride]);
      require_same(items.select(first, stride, count), part);
      REQUIRE(same_data(items.select(first, stride, count), one_by_one(part)));
    }
    const List backwards(list.rbegin(), list.rend());
    REQUIRE(same_data(items.reversed(), one_by_one(backwards)));
    List full;
    for (const Node& node : list)
      if (!node.is_empty()) full.push_back(node);
    REQUIRE(items.has_empty() == (full.size() < n));
    REQUIRE(same_data(items.without_empty(), one_by_one(full)));
    const std::int64_t distance = random.between(0, 30);
    List further;
    for (const Node& node : list) further.push_back(moved(node, distance));
    REQUIRE(same_data(items.moved(distance), one_by_one(further)));
  });
}

TEST_CASE("Own coordinates and back") {
  for_all(5'000, [](Random& random) {
    const Items items = one_by_one(random_list(random));
    Lattice lattice;
    lattice.include(items);
    const std::int64_t divisor = std::max<std::int64_t>(lattice.divisor, 1);
    const Items local = items.localised(lattice.base, divisor);
    REQUIRE(same_data(local.placed(lattice.base, divisor), items));
    // The lattice is the smallest leaf and the largest distance that divides all others.
    std::int64_t least = 0, greatest = 0, common = 0;
    bool any = false;
    items.for_each([&](const Node& node) {
      for (std::uint64_t i = 0; i < extent(node); ++i) {
        const std::int64_t leaf = node.offset + static_cast<std::int64_t>(i) * node.stride;
        if (any) common = std::gcd(common, leaf - least);
        least = any ? std::min(least, leaf) : leaf;
        greatest = any ? std::max(greatest, leaf) : leaf;
        any = true;
      }
    });
    REQUIRE(lattice.any == any);
    REQUIRE(lattice.divisor == common);
    if (any) REQUIRE(lattice.base == least);
    if (any) REQUIRE(lattice.last == greatest);
  });
}
