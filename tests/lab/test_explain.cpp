// Outputs of an H200, without their topology: explain finds it. Outputs that were damaged on
// purpose: explain says how.
#include <algorithm>
#include <filesystem>

#include "lab/derive.hpp"
#include "lab/explain/recorded_outputs.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;

namespace {

namespace fs = std::filesystem;

const std::string folder = WHYBITS_SOURCE_DIR "/tests/recordings/";
constexpr const char* split_bf16 =
    "cublaslt-bf16o32-m16-n1024-k8192-TN-ws32m";                            // 6 slices, f32 out
constexpr const char* f32_simt = "cublaslt-f32-m128-n1024-k8192-NN-ws32m";  // 32 slices
constexpr const char* serial = "gpu-mma-serial3-bf16";                      // bf16 out, 96×64

Recording recording(const std::string& name) {
  return read_recording(folder + name + ".json");
}

/// What a recording was checked with, given or derived; null for maps and undefined orders.
SchemaPtr true_order(const Recording& r) {
  if (r.topology) {
    if (r.topology->find("any(") != std::string::npos) return nullptr;
    const auto parsed = parse_notation(*r.topology);
    const auto* schema = std::get_if<SchemaPtr>(&parsed);
    return schema ? *schema : nullptr;
  }
  return std::get<SchemaPtr>(std::get<DerivedTopology>(derive_from_fields(r)).topology);
}

bool finds(const Explanation& explanation, const SchemaPtr& order, const Observed& observed) {
  const LeafTypes types = observed.operands.types();
  const std::uint64_t k = observed.operands.shape.k;
  const Tree tree = make_reduction(order, k, types).tree;
  return std::ranges::any_of(explanation.exact, [&](const Candidate& c) {
    return !c.hypothesis.operands && make_reduction(c.hypothesis.topology, k, types).tree == tree;
  });
}

/// One output again, without some of its products, by the reference evaluator.
Bits without(const Recording& r, std::uint64_t row, std::uint64_t column,
             const std::function<bool(std::uint64_t)>& lost) {
  const auto a = r.open("a"), b = r.open("b");
  const std::uint64_t k = r.shape.k;
  std::vector<Bits> x(k), y(k);
  a->read(row * k, 1, x);
  b->read(column, r.shape.n, y);
  for (std::uint64_t i = 0; i < k; ++i)
    if (lost(i)) x[i] = 0;
  const OperandVector left(a->format(), x), right(b->format(), y);
  Leaves leaves;
  leaves.a = &left;
  leaves.b = &right;
  return evaluate(make_reduction(true_order(r), k, LeafTypes::of(leaves)), leaves);
}

struct Damaged {
  Explanation explanation;
  /// The outputs that have this damage, with its text; empty if none has.
  std::pair<std::vector<std::size_t>, std::string> of(DamageKind kind) const {
    for (const Damage& damage : explanation.damage)
      if (damage.kind == kind) return {damage.outputs, damage.text};
    return {};
  }
};

Damaged explain_damaged(const std::string& name,
                        const std::function<void(const Recording&, std::vector<Bits>&)>& damage) {
  const Recording r = recording(name);
  RecordedOutputs given = recorded_outputs(r);
  damage(r, given.observed.codes);
  Damaged result{explain(given.observed)};
  CHECK_FALSE(result.explanation.explained());
  return result;
}

}  // namespace

TEST_CASE("explain finds the order of split-K outputs of an H200, and that order alone") {
  for (const char* name : {split_bf16, f32_simt}) {
    INFO(name);
    const Recording r = recording(name);
    const RecordedOutputs given = recorded_outputs(r);
    const Explanation e = explain(given.observed);
    REQUIRE(e.exact.size() == 1);
    CHECK(finds(e, true_order(r), given.observed));
    CHECK(e.tried > 3000);
    CHECK(e.nearest->wrong > 500);
  }
}

TEST_CASE("explain finds the order of every plain recording without its topology", "[.full]") {
  std::uint64_t recordings = 0, alone = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Recording r = read_recording(entry.path());
    if (r.computation != RecordedComputation::gemm || r.types.c || r.types.product ||
        !r.output.words)
      continue;
    const SchemaPtr order = true_order(r);
    if (!order) continue;
    INFO(r.name);
    const RecordedOutputs given = recorded_outputs(r);
    const Explanation e = explain(given.observed);
    CHECK(finds(e, order, given.observed));
    ++recordings;
    if (e.exact.size() == 1) ++alone;
  }
  INFO(recordings << " recordings, " << alone << " with one order");
  CHECK(recordings >= 50);
  CHECK(alone >= 1);
}

TEST_CASE("one lost product is found by its index") {
  for (const char* name : {split_bf16, f32_simt}) {
    INFO(name);
    const Damaged d = explain_damaged(name, [](const Recording& r, std::vector<Bits>& codes) {
      codes[77] = without(r, 0, 77, [](std::uint64_t i) { return i == 4321; });
    });
    const auto [outputs, text] = d.of(DamageKind::lost_product);
    CHECK(outputs == std::vector<std::size_t>{77});
    CHECK(text == "lack product 4321 of 8192");
  }
}

TEST_CASE("in a rounded output several products could be the lost one, and explain says so") {
  const Damaged d = explain_damaged(serial, [](const Recording& r, std::vector<Bits>& codes) {
    codes[5 * 64 + 7] = without(r, 5, 7, [](std::uint64_t i) { return i == 611; });
  });
  const auto [outputs, text] = d.of(DamageKind::lost_product);
  CHECK(outputs == std::vector<std::size_t>{5 * 64 + 7});
  CHECK_THAT(text, contains("product"));
}

TEST_CASE("a lost tail of one output is told by its length") {
  const Damaged d = explain_damaged(split_bf16, [](const Recording& r, std::vector<Bits>& codes) {
    codes[3] = without(r, 0, 3, [](std::uint64_t i) { return i >= 8192 - 64; });
  });
  const auto [outputs, text] = d.of(DamageKind::lost_tail);
  CHECK(outputs == std::vector<std::size_t>{3});
  CHECK(text == "lack the last 64 of 8192 products");
}

TEST_CASE("two tiles that changed places are told from wrong sums") {
  const Damaged d = explain_damaged(split_bf16, [](const Recording&, std::vector<Bits>& codes) {
    std::swap_ranges(codes.begin() + 128, codes.begin() + 192, codes.begin() + 512);
  });
  std::size_t moved = 0;
  for (const Damage& damage : d.explanation.damage) {
    CHECK(damage.kind == DamageKind::moved);
    CHECK_THAT(damage.text, contains("384 columns on"));
    moved += damage.outputs.size();
  }
  CHECK(moved == 128);
}

TEST_CASE("a tile written over by its neighbour is told by the distance") {
  const Damaged d = explain_damaged(serial, [](const Recording&, std::vector<Bits>& codes) {
    for (std::size_t i = 16; i < 32; ++i)
      for (std::size_t j = 0; j < 16; ++j) codes[i * 64 + j] = codes[(i + 16) * 64 + j];
  });
  const auto [outputs, text] = d.of(DamageKind::moved);
  CHECK(outputs.size() > 250);
  CHECK(text == "hold what belongs 16 rows and 0 columns on");
}

TEST_CASE("one step of the last place is one ulp, up or down, rounded or not") {
  for (const char* name : {split_bf16, serial})
    for (const int step : {1, -1}) {
      INFO(name << ' ' << step);
      const Damaged d = explain_damaged(name, [step](const Recording&, std::vector<Bits>& codes) {
        codes[41] += static_cast<Bits>(static_cast<std::int64_t>(step));
      });
      const auto [outputs, text] = d.of(DamageKind::ulp);
      CHECK(outputs == std::vector<std::size_t>{41});
      CHECK(text == "are 1 ulp away");
    }
}

TEST_CASE("NaN, zeros, the other sign and powers of two are called what they are") {
  const Damaged d = explain_damaged(split_bf16, [](const Recording&, std::vector<Bits>& codes) {
    codes[10] = 0x7fffffff;
    for (std::size_t i = 20; i < 36; ++i) codes[i] = 0;
    codes[50] ^= 0x80000000;
    codes[60] += 0x00800000;
  });
  CHECK(d.of(DamageKind::not_finite).first == std::vector<std::size_t>{10});
  CHECK(d.of(DamageKind::zero).first.size() == 16);
  CHECK(d.of(DamageKind::negated).first == std::vector<std::size_t>{50});
  CHECK(d.of(DamageKind::scaled).first == std::vector<std::size_t>{60});
  CHECK_THAT(d.of(DamageKind::scaled).second, contains("2^1 times"));
}

TEST_CASE("outputs of other operands are explained by no order") {
  const Recording r = recording(split_bf16);
  RecordedOutputs given = recorded_outputs(r);
  std::ranges::reverse(given.observed.codes);
  const Explanation e = explain(given.observed);
  REQUIRE_FALSE(e.explained());
  REQUIRE(e.bound);
  CHECK(e.bound->looked_at == 32);
  CHECK(e.bound->beyond > 24);
  CHECK(e.bound->largest > 1);
  CHECK(e.bound->largest_of_known < 1);
}

TEST_CASE("outputs that all lack their tail are explained by an order without it") {
  const Recording r = recording(serial);
  RecordedOutputs given = recorded_outputs(r);
  for (std::uint64_t i = 0; i < 96; ++i)
    for (std::uint64_t j = 0; j < 64; ++j) {
      const auto a = r.open("a"), b = r.open("b");
      std::vector<Bits> x(1000), y(1000);
      a->read(i * 1000, 1, x);
      b->read(j, 64, y);
      const OperandVector left(a->format(), x), right(b->format(), y);
      Leaves leaves;
      leaves.a = &left;
      leaves.b = &right;
      static const Reduction cut = make_reduction(
          parse_topology("take(0..960, fold(sm90.mma.bf16)) > bf16"), 1000, LeafTypes::of(leaves));
      given.observed.codes[i * 64 + j] = evaluate(cut, leaves);
    }
  const Explanation e = explain(given.observed);
  REQUIRE(e.explained());
  CHECK_THAT(e.exact[0].hypothesis.family, contains("the last 40 of 1000 products lost"));
}

TEST_CASE("what is no plain product is refused") {
  CHECK_THROWS_AS(recorded_outputs(recording("mma-bf16-steps1-dist0")), UsageError);
  CHECK_THROWS_AS(recorded_outputs(recording("gpu-simt-f32-mul_add-lanes1")), UsageError);
  CHECK_THROWS_AS(recorded_outputs(recording("gpu-wgmma-persistent-bf16-hash")), UsageError);
}
