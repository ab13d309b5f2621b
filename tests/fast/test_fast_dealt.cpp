// Sums of rows cut in two, lanes first: the reference evaluator's bits.
#include <set>

#include "sim/fast/dealt_plan.hpp"
#include "sim/fast/turned.hpp"
#include "tests/fast/all_outputs.hpp"
#include "tests/support/random_leaves.hpp"
#include "tests/support/random_reduction.hpp"

namespace whybits::test {
namespace {

constexpr std::array kinds = {LeafKind::ordinary, LeafKind::wide, LeafKind::special};

/// Outputs whose leaves are rows; with `pairs`, products of two rows, or squares of one.
struct Rows {
  Format format = formats::f32;
  std::uint64_t outputs = 1, n = 0;
  enum class Leaf { value, product, square } leaf = Leaf::value;
};

fast::LaneOperands random_rows(Random& random, const Rows& rows, LeafKind kind) {
  const auto some = [&] {
    return fast::CodeMatrix::of(rows.format, rows.outputs, rows.n,
                                random_codes(random, rows.format, rows.outputs * rows.n, kind))
        .transposed();
  };
  fast::LaneOperands operands;
  operands.rows = 1;
  operands.columns = rows.outputs;
  operands.length = rows.n;
  operands.b = some();
  if (rows.leaf == Rows::Leaf::square) operands.paired = operands.b;
  if (rows.leaf == Rows::Leaf::product) operands.paired = some();
  return operands;
}

/// Whether the plan is in two.
bool check_rows(const SchemaPtr& schema, const fast::LaneOperands& operands) {
  const LeafTypes types = operands.types();
  const Reduction reduction = make_reduction(schema, operands.length, types);
  fast::RegionPlan plan = fast::compile_dealt(reduction, types);
  if (operands.paired) fast::use_pairs(plan.plans[0]);
  CAPTURE(print(*schema), operands.length, operands.columns, fast::print(plan.plans[0]));
  std::vector<Bits> expected;
  std::vector<std::uint64_t> places;
  for (std::uint64_t c = 0; c < operands.columns; ++c) {
    expected.push_back(evaluate(reduction, fast::OutputLeaves(operands, 0, c).get()));
    places.push_back(c);
  }
  check_on_every_set(expected, operands.columns, [&](unsigned threads) {
    return fast::evaluate_turned(plan, operands, {{0}, places, operands.columns},
                                 {.threads = threads});
  });
  return plan.dealt != nullptr;
}

struct Dealt {
  const char* topology;
  std::uint64_t least;  ///< addends from which on it is cut in two
};

void check_dealt(std::span<const Dealt> all, const std::vector<Format>& formats, Rows::Leaf leaf) {
  for_all(3, [&](Random& random) {
    for (const Dealt& one : all)
      for (const LeafKind kind : kinds)
        for (const Format& format : formats) {
          const std::uint64_t n = one.least + random.below(700);
          const std::uint64_t outputs =
              random.below(4) == 0 ? 60 + random.below(90) : 1 + random.below(5);
          CAPTURE(one.topology, n);
          CHECK(check_rows(parse_topology(one.topology),
                           random_rows(random, {format, outputs, n, leaf}, kind)));
        }
  });
}

TEST_CASE("rows whose addends are dealt to lanes have the reference's bits") {
  constexpr Dealt all[] = {
      {"lanes(64, fold(f32), halves(f32))", 700},
      {"lanes(64, by=4, lanes(4, fold(f32), fold(f32)), halves(f32))", 1100},
      {"lanes(32, by=4, lanes(4, fold(f32, from=0), fold(f32)), halves(f32))", 700},
      {"lanes(32, fold(f32, from=0), slices(32, pairs(f32), fold(f32))) > bf16", 700},
      {"lanes(100, by=3, fold(f32), slices(32, halves(f32), halves(f32)))", 900},
      {"slices(512, lanes(32, by=8, pairs(f32), halves(f32)), fold(f32, from=0))", 1024},
      {"halves(f32)", 900},
      {"lanes(48, fold(f32), any(f32))", 900},
      {"lanes(64, fold(f32.rz), pairs(f32.ftz))", 900},
      {"lanes(64, fold(f64), halves(f64)) > f32", 900}};
  check_dealt(all, {formats::f32, formats::bf16}, Rows::Leaf::value);
}

TEST_CASE("rows of narrow sums dealt to lanes have the reference's bits") {
  constexpr Dealt all[] = {{"lanes(64, fold(f16), halves(f16))", 700},
                           {"lanes(64, by=8, fold(f16) > e4m3, fold(f32)) > f16", 1024},
                           {"lanes(40, fold(exact > f16), halves(f16))", 700},
                           {"lanes(64, fold(f16), fold(f16 > e5m2)) + bias > f16", 700}};
  for_all(3, [&](Random& random) {
    for (const Dealt& one : all)
      for (const LeafKind kind : kinds) {
        fast::LaneOperands rows =
            random_rows(random, {formats::f16, 1 + random.below(70), one.least}, kind);
        rows.operands.emplace_back(
            "bias", fast::CodeMatrix::of(formats::f16, 1, rows.columns,
                                         random_codes(random, formats::f16, rows.columns, kind)));
        check_rows(parse_topology(one.topology), rows);
      }
  });
}

TEST_CASE("dot products of rows dealt to lanes have the reference's bits") {
  constexpr Dealt all[] = {
      {"lanes(256, by=8, fold(f32.fma, from=0), slices(32, pairs(f32), fold(f32)))", 4096},
      {"lanes(64, fold(f32.fma), slices(32, pairs(f32), fold(f32)))", 700},
      {"lanes(32, by=4, fold(f32.fma, from=0), halves(f32))", 1200},
      {"lanes(32, by=8, slices(8, slices(2, fold(f32.fma, from=0), fold(f32, from=0)), "
       "fold(f32, from=0)), pairs(f32))",
       1024}};
  for (const Rows::Leaf leaf : {Rows::Leaf::product, Rows::Leaf::square})
    check_dealt(all, {formats::bf16, formats::f32}, leaf);
}

/// Some random topologies have no reduction of plain rows: a fold wants a c, a format is narrowed.
bool can_be_made(const SchemaPtr& schema, std::uint64_t n, const LeafTypes& types) {
  try {
    make_reduction(schema, n, types);
  } catch (const TopologyError&) {
    return false;
  }
  return true;
}

TEST_CASE("random sums of rows have the reference's bits, cut in two or not") {
  std::set<bool> seen;
  for (const Family family : {Family::values, Family::fma})
    for_all(150, [&](Random& random) {
      const RandomOperands made = random_operands(random, family);
      const std::uint64_t lanes = 16 + random.below(80), by = 1 + random.below(9);
      const SchemaPtr schema =
          whybits::schema(Lanes{lanes, by, random_topology(random, made, family),
                                whybits::schema(Halves{ieee_add(formats::f32)})});
      Rows rows{made.leaves.a_format, 1 + random.below(4), made.leaves.a.size() * lanes};
      rows.leaf = family == Family::fma ? Rows::Leaf::square : Rows::Leaf::value;
      const fast::LaneOperands operands = random_rows(random, rows, random.pick(kinds));
      if (!can_be_made(schema, rows.n, operands.types())) return;
      seen.insert(check_rows(schema, operands));
    });
  CHECK(seen.size() == 2);
}

TEST_CASE("torch.sum's order of a long row is 256 words added side by side") {
  const Reduction reduction =
      make_reduction(parse_topology("lanes(64, by=4, lanes(4, fold(f32), fold(f32)), halves(f32))"),
                     4096, {.a = formats::f32});
  const fast::RegionPlan plan = fast::compile_dealt(reduction, {.a = formats::f32});
  REQUIRE(plan.dealt);
  CHECK(plan.dealt->lanes() == 256);
  CHECK(plan.dealt->apart == 1);
}

TEST_CASE("a chain is not cut in two") {
  const auto plan = [](const char* topology) {
    return fast::compile_dealt(make_reduction(parse_topology(topology), 4096, {.a = formats::f32}),
                               {.a = formats::f32});
  };
  CHECK(plan("fold(f32)").dealt == nullptr);
  CHECK(plan("lanes(8, fold(f32), fold(f32))").dealt == nullptr);
  CHECK(plan("lanes(64, fold(f32), halves(f32))").dealt != nullptr);
}

}  // namespace
}  // namespace whybits::test
