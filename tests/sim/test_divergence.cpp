// Divergence against its definition: leaf sets written out, every node of A compared with every
// node of B, sums in integers of GMP.
#include <algorithm>
#include <map>

#include "sim/divergence.hpp"
#include "sim/notation.hpp"
#include "sim/schema_edit.hpp"
#include "tests/support/naive_exact.hpp"
#include "tests/support/naive_formats.hpp"
#include "tests/support/random_reduction.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// Everything below a node that is no step: leaves, c, operands; with repeats, sorted.
using Cover = std::vector<Origin>;

std::vector<Cover> covers(const Trace& trace) {
  std::vector<Cover> all;
  for (const TraceNode& node : trace.nodes) {
    Cover cover;
    std::vector<Origin> inputs = node.inputs;
    inputs.push_back(node.accumulator);
    for (const Origin input : inputs) {
      if (input >= 0) {
        const Cover& below = all.at(static_cast<std::size_t>(input));
        cover.insert(cover.end(), below.begin(), below.end());
      } else if (input != origin_none) {
        cover.push_back(input);
      }
    }
    std::sort(cover.begin(), cover.end());
    all.push_back(std::move(cover));
  }
  return all;
}

/// A step and the rounding behind it cover the same leaves: first with first, second with second.
std::vector<std::int64_t> naive_counterparts(const std::vector<Cover>& from,
                                             const std::vector<Cover>& to) {
  std::vector<std::int64_t> counterparts;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(i);
    auto rank = std::count(from.begin(), end, from[i]);
    std::int64_t found = -1;
    for (std::size_t j = 0; j < to.size() && !from[i].empty(); ++j)
      if (to[j] == from[i] && rank-- == 0) found = static_cast<std::int64_t>(j);
    counterparts.push_back(found);
  }
  return counterparts;
}

/// The same word, or in another format the same number.
bool naive_same(const Format& fa, Bits a, const Format& fb, Bits b) {
  if (fa == fb) return a == b;
  const NaiveNumber x = naive_decode(fa, a);
  const NaiveNumber y = naive_decode(fb, b);
  if (x.nan || y.nan) return x.nan && y.nan;
  if (x.negative != y.negative || x.infinite != y.infinite) return false;
  return x.infinite || *fixed_point(fa, a) == *fixed_point(fb, b);
}

std::vector<Mark> naive_marks(const Trace& a, const Trace& b,
                              const std::vector<std::int64_t>& counterparts) {
  std::vector<Mark> marks;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    Mark mark = Mark::no_counterpart;
    if (counterparts[i] >= 0) {
      const TraceNode& x = a.nodes[i];
      const TraceNode& y = b.nodes.at(static_cast<std::size_t>(counterparts[i]));
      mark = naive_same(x.format, x.code, y.format, y.code) ? Mark::same_bits : Mark::other_bits;
    }
    marks.push_back(mark);
  }
  return marks;
}

/// Nodes with the same bits that lie below no other such node, largest first, then by first leaf.
std::vector<std::int64_t> naive_agreements(const Trace& a, const std::vector<Cover>& cover,
                                           const std::vector<Mark>& marks) {
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    bool maximal = marks[i] == Mark::same_bits;
    for (std::int64_t up = a.nodes[i].parent; up >= 0;
         up = a.nodes[static_cast<std::size_t>(up)].parent)
      maximal = maximal && marks[static_cast<std::size_t>(up)] != Mark::same_bits;
    if (maximal) found.push_back(static_cast<std::int64_t>(i));
  }
  const auto rank = [&](std::int64_t node) {
    std::vector<std::int64_t> leaves;
    for (const Origin origin : cover[static_cast<std::size_t>(node)])
      if (is_leaf_origin(origin)) leaves.push_back(leaf_of_origin(origin));
    const std::int64_t first =
        leaves.empty() ? -1 : *std::min_element(leaves.begin(), leaves.end());
    return std::pair(-static_cast<std::int64_t>(leaves.size()), first);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](std::int64_t x, std::int64_t y) { return rank(x) < rank(y); });
  return found;
}

void check_agreements(const Trace& a, const Trace& b, const Divergence& d,
                      const std::vector<std::int64_t>& expected) {
  REQUIRE(d.agreements.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Agreement& agreement = d.agreements[i];
    REQUIRE(agreement.a == expected[i]);
    REQUIRE(agreement.b == d.counterpart_a[static_cast<std::size_t>(agreement.a)]);
    REQUIRE(agreement.next_a == a.nodes[static_cast<std::size_t>(agreement.a)].parent);
    REQUIRE(agreement.next_b == b.nodes[static_cast<std::size_t>(agreement.b)].parent);
  }
}

FixedPoint discarded(const Trace& trace, std::int64_t node) {
  if (node < 0) return 0;
  return fixed_point(trace.nodes.at(static_cast<std::size_t>(node)).discarded);
}

bool equal(const FixedPoint& a, const FixedPoint& b) {
  return a == b;
}

/// Every entry is a's discarded − b's, no node is in two, none that differs is missing.
FixedPoint check_ledger(const Trace& a, const Trace& b, const Divergence& d) {
  FixedPoint sum = 0;
  std::map<std::int64_t, int> seen_a, seen_b;
  for (std::size_t i = 0; i < d.ledger.size(); ++i) {
    const LedgerDifference& entry = d.ledger[i];
    REQUIRE((entry.a >= 0 || entry.b >= 0));
    if (entry.a >= 0) REQUIRE(d.counterpart_a[static_cast<std::size_t>(entry.a)] == entry.b);
    if (entry.b >= 0) REQUIRE(d.counterpart_b[static_cast<std::size_t>(entry.b)] == entry.a);
    REQUIRE(++seen_a[entry.a] <= (entry.a < 0 ? static_cast<int>(d.ledger.size()) : 1));
    REQUIRE(++seen_b[entry.b] <= (entry.b < 0 ? static_cast<int>(d.ledger.size()) : 1));
    const FixedPoint amount = fixed_point(entry.amount);
    REQUIRE_FALSE(equal(amount, 0));
    REQUIRE(equal(amount, discarded(a, entry.a) - discarded(b, entry.b)));
    const bool descends = i == 0 || abs(fixed_point(d.ledger[i - 1].amount)) >= abs(amount);
    REQUIRE(descends);
    sum += amount;
  }
  return sum;
}

struct Counts {
  int pairs = 0, differing = 0, agreements = 0, ledgers = 0;
};

void check_divergence(const SchemaPtr& topology_a, const SchemaPtr& topology_b,
                      const NaiveLeaves& naive, Counts& counts) {
  CAPTURE(print(*topology_a), print(*topology_b), describe(naive));
  if (!takes(*topology_a, naive) || !takes(*topology_b, naive)) return;
  const SimLeaves leaves(naive);
  const std::uint64_t n = naive.a.size();
  const Trace a = trace(make_reduction(topology_a, n, leaves.types()), leaves.get());
  const Trace b = trace(make_reduction(topology_b, n, leaves.types()), leaves.get());
  const Divergence d = diverge(a, b);
  const std::vector<Cover> cover_a = covers(a);
  const std::vector<Cover> cover_b = covers(b);

  REQUIRE(d.same_result == naive_same(a.format, a.result, b.format, b.result));
  REQUIRE(d.counterpart_a == naive_counterparts(cover_a, cover_b));
  REQUIRE(d.counterpart_b == naive_counterparts(cover_b, cover_a));
  REQUIRE(d.marks_a == naive_marks(a, b, d.counterpart_a));
  REQUIRE(d.marks_b == naive_marks(b, a, d.counterpart_b));
  const std::vector<std::int64_t> expected = naive_agreements(a, cover_a, d.marks_a);
  check_agreements(a, b, d, expected);
  // Nobody is the first: the other way round there are as many.
  REQUIRE(naive_agreements(b, cover_b, d.marks_b).size() == expected.size());

  ++counts.pairs;
  counts.differing += d.same_result ? 0 : 1;
  counts.agreements += static_cast<int>(d.agreements.size());
  REQUIRE(d.ledger_valid == (a.finite && b.finite));
  if (!d.ledger_valid) {
    REQUIRE(d.ledger.empty());
    return;
  }
  const bool has_c = naive.c.has_value();
  const FixedPoint apart = *fixed_point(a.format, a.result) - *fixed_point(b.format, b.result);
  const FixedPoint sums = *naive_exact_sum(naive_expression(*topology_a, n, has_c), naive) -
                          *naive_exact_sum(naive_expression(*topology_b, n, has_c), naive);
  REQUIRE(equal(check_ledger(a, b, d), apart - sums));
  if (d.same_addends) REQUIRE(equal(sums, 0));
  ++counts.ledgers;
}

/// Nearly the same topology, so that large parts agree.
SchemaPtr varied(Random& random, const SchemaPtr& old) {
  return edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* fold = std::get_if<Fold>(&s.form);
    if (!fold || random.below(3) != 0) return nullptr;
    if (fold->unit.kind == Unit::Kind::add && fold->start == Start::automatic && random.coin())
      return schema(Pairs{fold->unit});
    return schema(Reverse{schema(*fold)});
  });
}

}  // namespace

TEST_CASE("Divergence finds what its definition says, whatever the topologies and data") {
  for (const Family family : all_families) {
    Counts counts;
    for_all(700, [&](Random& random) {
      const RandomOperands operands = random_operands(random, family);
      const SchemaPtr a = random_topology(random, operands, family);
      const SchemaPtr b =
          random.coin() ? varied(random, a) : random_topology(random, operands, family);
      check_divergence(a, b, operands.leaves, counts);
    });
    CAPTURE(family_name(family));
    CHECK(counts.pairs >= 450);
    CHECK(counts.differing >= 150);
    CHECK(counts.agreements >= 300);
    CHECK(counts.ledgers >= 250);
  }
}

namespace {

struct Pair {
  Trace a, b;
  Divergence d;
};

Pair diverged(const std::string& a, const std::string& b, const Format& format,
              std::vector<Bits> codes) {
  const OperandVector values(format, std::move(codes));
  Leaves leaves;
  leaves.a = &values;
  const auto traced = [&](const std::string& topology) {
    return trace(make_reduction(parse_topology(topology), values.size(), LeafTypes::of(leaves)),
                 leaves);
  };
  Pair pair{traced(a), traced(b), {}};
  pair.d = diverge(pair.a, pair.b);
  return pair;
}

constexpr Bits one = 0x3f800000, tiny = 0x33000000;  // 1 and 2^-25: tiny is lost against one

}  // namespace

TEST_CASE("The same tree agrees at its root, and its ledgers cancel") {
  const Pair same = diverged("fold(f32)", "slices(3, fold(f32), chain)", formats::f32,
                             {one, tiny, tiny, one, tiny});
  CHECK(same.d.same_result);
  REQUIRE(same.d.agreements.size() == 1);
  CHECK(same.d.agreements[0].a == 3);
  CHECK(same.d.agreements[0].next_a == -1);
  CHECK(same.d.agreements[0].next_b == -1);
  CHECK(same.d.ledger.empty());
  CHECK(same.d.ledger_valid);
}

TEST_CASE("Another order parts where the first sum is no longer the same") {
  // ((1 + t) + t) + t loses everything, 1 + (t + (t + t)) does not.
  const Pair pair =
      diverged("fold(f32)", "reverse(fold(f32))", formats::f32, {one, tiny, tiny, tiny});
  CHECK(pair.a.result == one);
  CHECK(pair.b.result == one + 1);
  CHECK_FALSE(pair.d.same_result);
  CHECK(pair.d.agreements.empty());
  REQUIRE(pair.d.ledger.size() == 3);
  Dyadic sum;
  for (const LedgerDifference& entry : pair.d.ledger) sum += entry.amount;
  CHECK(sum == Dyadic(-1, -23));
}

TEST_CASE("Addends that only one topology adds are no rounding difference") {
  const Pair pair = diverged("fold(f32)", "take(0..2, fold(f32))", formats::f32, {one, one, one});
  CHECK_FALSE(pair.d.same_addends);
  CHECK(pair.d.ledger.empty());  // nothing was rounded
  CHECK_FALSE(pair.d.same_result);
  CHECK(diverged("fold(f32)", "take(0..1, fold(f32))", formats::f32, {one}).d.same_addends);
  CHECK(diverged("fold(f32)", "pairs(f32)", formats::f32, {}).d.same_addends);
}

TEST_CASE("Nothing and a single addend diverge nowhere") {
  for (const std::vector<Bits>& codes : {std::vector<Bits>{}, {0x80000000}, {0x7fc00001}}) {
    const Pair pair = diverged("fold(f32)", "halves(f32)", formats::f32, codes);
    CHECK(pair.d.same_result);
    CHECK(pair.d.agreements.empty());
    CHECK(pair.d.ledger.empty());
  }
}

TEST_CASE("same_value compares words in one format and numbers across formats") {
  using namespace formats;
  CHECK(same_value(f32, one, f32, one));
  CHECK_FALSE(same_value(f32, 0, f32, 0x80000000));
  CHECK_FALSE(same_value(f32, 0x7fc00000, f32, 0x7fffffff));
  CHECK(same_value(f32, one, bf16, 0x3f80));
  CHECK_FALSE(same_value(f32, one + 1, bf16, 0x3f80));
  CHECK_FALSE(same_value(f32, 0x80000000, bf16, 0));
  CHECK(same_value(f32, 0x80000000, bf16, 0x8000));
  CHECK(same_value(f32, 0x7fc00000, bf16, 0xffff));
  CHECK(same_value(f16, 0x7c00, e5m2, 0x7c));
  CHECK_FALSE(same_value(f16, 0x7c00, e5m2, 0xfc));
  CHECK(same_value(f16, 0x0001, f64, 0x3e70000000000000));  // 2^-24
}
