// Many reductions under several topologies: results, differences, errors, and the main job.
#include "exact/leaf_sums.hpp"
#include "lab/generators.hpp"
#include "lab/recording.hpp"
#include "lab/study.hpp"
#include "lab/usage_error.hpp"
#include "lab/vector_source.hpp"
#include "lab/verify.hpp"
#include "sim/notation.hpp"
#include "tests/support/naive_exact.hpp"
#include "tests/support/random_reduction.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// Every leaf, c and operand, whether the topology adds it or not: the truth of the computation.
std::optional<FixedPoint> naive_truth(const NaiveLeaves& leaves) {
  auto everything = std::make_shared<NaiveTerm>();
  everything->kind = NaiveTerm::Kind::fold;
  everything->begin = leaves.c ? NaiveTerm::Begin::c : NaiveTerm::Begin::first;
  for (std::uint64_t i = 0; i < leaves.a.size(); ++i) {
    auto leaf = std::make_shared<NaiveTerm>();
    leaf->leaf = i;
    everything->steps.push_back({leaf});
  }
  auto with_bias = std::make_shared<NaiveTerm>();
  with_bias->kind = NaiveTerm::Kind::operand;
  with_bias->inner = everything;
  return naive_exact_sum(with_bias, leaves);
}

const char* const layer_topologies[] = {"slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16",
                                        "slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16",
                                        "fold(sm90.wgmma.bf16) > bf16"};

struct Small {  ///< 3 × 5 outputs of 40 addends
  GemmShape shape{3, 5, 40};
  std::unique_ptr<CodeSource> a = uniform_source(formats::bf16, 120, 1);
  std::unique_ptr<CodeSource> b = uniform_source(formats::bf16, 200, 2);
  GemmOperands operands;
  Small() {
    operands.shape = shape;
    operands.a = a.get();
    operands.b = b.get();
  }
  Study study(std::initializer_list<const char*> topologies) const {
    std::vector<SchemaPtr> schemas;
    for (const char* text : topologies) schemas.push_back(parse_topology(text));
    return run_study(gemm_request(operands, ChosenOutputs::all(shape), {}, schemas));
  }
};

}  // namespace

TEST_CASE("The last rounding is taken off and put back without a trace") {
  int rounded = 0;
  for_all(3000, [&](Random& random) {
    const Family family = random.pick(all_families);
    const RandomOperands operands = random_operands(random, family);
    SchemaPtr topology = random_topology(random, operands, family);
    if (random.coin()) topology = schema(RoundTo{topology, {formats::bf16, {}}});
    if (!takes(*topology, operands.leaves)) return;
    const SimLeaves leaves(operands.leaves);
    const std::uint64_t n = operands.leaves.a.size();
    CAPTURE(print(*topology), describe(operands.leaves));
    const Reduction whole = make_reduction(topology, n, leaves.types());
    const SplitReduction split = split_last_rounding(topology, n, leaves.types());
    REQUIRE(split.output == whole.result);
    REQUIRE(split.round(evaluate(split.before, leaves.get())) == evaluate(whole, leaves.get()));
    REQUIRE(split.last.has_value() == std::holds_alternative<RoundTo>(topology->form));
    rounded += split.last ? 1 : 0;
  });
  CHECK(rounded > 1000);
  const SplitReduction exact =
      split_last_rounding(parse_topology("fold(exact) > f32"), 4, {.a = formats::f32});
  CHECK_FALSE(exact.last);  // before it there is no format
}

TEST_CASE("The exact sum is that of integers, c and bias included") {
  int finite = 0;
  for_all(2500, [&](Random& random) {
    const Family family = random.pick(all_families);
    const RandomOperands operands = random_operands(random, family);
    const SimLeaves leaves(operands.leaves);
    CAPTURE(describe(operands.leaves));
    const auto expected = naive_truth(operands.leaves);
    const std::optional<Dyadic> found = exact::exact_value(leaves.get(), {{"bias", 1}});
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) return;
    const bool same = fixed_point(*found) == *expected;
    REQUIRE(same);
    ++finite;
  });
  CHECK(finite > 2000);
}

TEST_CASE("An operand that a topology adds in several places counts as often in the exact sum") {
  // Small integers: every sum is exact, and expected values are those of integer arithmetic.
  const std::vector<Bits> values{0x40a00000, 0x40000000, 0x3f800000, 0x40400000};  // 5 2 1 3
  const OperandVector addends(formats::f32, values);
  Leaves leaves;
  leaves.a = &addends;
  leaves.operands = {{"bias", {formats::f32, 0x40e00000}}};  // 7
  const auto tree = [](const char* text) { return expand(*parse_topology(text), 4); };
  const auto exact = [&](const char* text) {
    return exact::exact_value(leaves, exact::operand_uses(tree(text)));
  };
  CHECK(exact("fold(f32)") == Dyadic(11, 0));
  CHECK(exact("fold(f32) + bias") == Dyadic(18, 0));
  CHECK(exact("fold(f32) + bias + bias") == Dyadic(25, 0));
  CHECK(exact("slices(1, fold(f32) + bias, fold(f32))") == Dyadic(39, 0));
  CHECK(exact("slices(2, fold(f32) + bias, chain) + bias") == Dyadic(32, 0));

  const SchemaPtr twice = parse_topology("slices(2, fold(f32) + bias, fold(f32))");
  const SchemaPtr once = parse_topology("fold(f32) + bias");
  StudyRequest request;
  request.types = LeafTypes::of(leaves);
  request.addends = 4;
  request.outputs = 1;
  request.for_each = [&](const auto& visit) { visit(0, leaves); };
  request.topologies = {twice, once};
  const Study study = run_study(request);
  CHECK(study.topologies[0].error_after.max() == 0);
  CHECK(study.topologies[1].error_after.max() == 0);
  const OutputStory story = tell_output(request.types, leaves, twice, once);
  CHECK_FALSE(story.exact.has_value());  // each has its own
  REQUIRE(story.error_a);
  REQUIRE(story.error_b);
  CHECK(story.error_a->error.is_zero());
  CHECK(story.error_a->tree_bound.has_value());
  const OutputStory same = tell_output(request.types, leaves, twice, twice);
  CHECK(same.exact == Dyadic(25, 0));
}

TEST_CASE("A study has every output of every topology, and counts the differences") {
  const Small small;
  const Study study = small.study({"fold(sm90.wgmma.bf16)", "slices(8, fold(f32.fma), pairs(f32))",
                                   "fold(sm80.mma.bf16) > bf16"});
  REQUIRE(study.outputs() == 15);
  REQUIRE(study.topologies.size() == 3);
  REQUIRE(study.pairs.size() == 3);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t i = 0; i < 15; ++i) {
      NaiveLeaves leaves;
      leaves.a_format = formats::bf16;
      leaves.b_format = formats::bf16;
      leaves.a.resize(40);
      leaves.b.resize(40);
      small.a->read(i / 5 * 40, 1, leaves.a);
      small.b->read(i % 5, 5, leaves.b);
      const TopologyOutputs& outputs = study.topologies[t];
      const Bits expected =
          naive_value(naive_expression(*outputs.reduction.before.schema, 40), leaves, formats::f32);
      REQUIRE(outputs.before[i] == expected);
    }
  for (const PairComparison& pair : study.pairs) {
    const auto& x = study.topologies[pair.a].before;
    const auto& y = study.topologies[pair.b].before;
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < 15; ++i) differ += x[i] != y[i] ? 1U : 0U;
    CHECK(pair.before.differ == differ);
    CHECK(pair.before.where.size() == differ);
    CHECK_FALSE(pair.same_tree);
  }
  CHECK(study.any_output_differs());
}

TEST_CASE("Comparison counts words that are not the same value, with their distance") {
  const std::vector<Bits> a{0x3f800000, 0x3f800000, 0x7fffffff, 0x00000000, 0x40000000};
  const std::vector<Bits> b{0x3f800000, 0x3f800002, 0x3f800000, 0x80000000, 0x7fffffff};
  const OutputComparison c = compare_outputs(formats::f32, a, formats::f32, b);
  CHECK(c.differ == 4);
  CHECK(c.where == std::vector<std::size_t>{1, 2, 3, 4});
  CHECK(c.ulp.not_comparable() == 2);
  CHECK(c.ulp.buckets()[0] == 1);  // +0 and −0: not the same word, no distance
  CHECK(c.ulp.buckets()[2] == 1);  // 2 ulp
  const OutputComparison across =
      compare_outputs(formats::f32, {0x3f800000, 0x3f800001}, formats::bf16, {0x3f80, 0x3f80});
  CHECK_FALSE(across.same_format);
  CHECK(across.differ == 1);
  CHECK(across.ulp.used_buckets() == 0);
}

TEST_CASE("The first difference after the last rounding counts before one ahead of it") {
  PairComparison pair;
  CHECK_FALSE(first_difference(pair));
  pair.before.where = {3, 7};
  CHECK(first_difference(pair) == 3);
  pair.after.where = {7};
  CHECK(first_difference(pair) == 7);
}

TEST_CASE("The same tree in two spellings is known to be one") {
  const Small small;
  const Study study =
      small.study({"fold(sm90.wgmma.bf16) > bf16", "slices(16, fold(sm90.mma.bf16), chain) > bf16",
                   "fold(sm90.wgmma.bf16)"});
  CHECK(study.pairs[0].same_tree);
  CHECK_FALSE(study.pairs[1].same_tree);  // the same but for the rounding
  CHECK(study.pairs[0].after.differ == 0);
}

TEST_CASE("Sums of rows read each row once, and rows of nothing are +0") {
  const auto values = uniform_source(formats::f32, 60, 9);
  const Study study = run_study(sum_request(*values, 6, 10, {parse_topology("pairs(f32)")}));
  REQUIRE(study.outputs() == 6);
  for (std::size_t row = 0; row < 6; ++row) {
    NaiveLeaves leaves;
    leaves.a_format = formats::f32;
    leaves.a.resize(10);
    values->read(row * 10, 1, leaves.a);
    CHECK(study.topologies[0].after[row] ==
          naive_value(naive_expression(*parse_topology("pairs(f32)"), 10), leaves, formats::f32));
  }
  const Study empty = run_study(sum_request(*values, 3, 0, {parse_topology("fold(f32)")}));
  CHECK(empty.topologies[0].after == std::vector<Bits>(3, 0));
  CHECK(empty.topologies[0].error_after.exact_results() == 3);
}

TEST_CASE("Addends that are not finite have no error, and the others keep theirs") {
  const std::vector<Bits> codes{0x3f800000, 0x33800000, 0x7f800000, 0x3f800000};
  const VectorSource values = VectorSource::from_codes(formats::f32, codes);
  const Study study = run_study(sum_request(values, 2, 2, {parse_topology("fold(f32)")}));
  CHECK(study.topologies[0].error_after.count() == 1);
  CHECK(study.topologies[0].error_after.max() == 0x1p-24);
}

TEST_CASE("Memory is refused before it is taken, with the bytes and a remedy") {
  StudyRequest request;
  request.types.a = formats::f32;
  request.topologies = {parse_topology("fold(f32)"), parse_topology("pairs(f32)")};
  request.for_each = [](const auto&) { FAIL("started"); };
  request.fewer_outputs = "fewer outputs";
  request.fewer_addends = "fewer addends";
  const auto remedy = [&](std::uint64_t outputs, std::uint64_t reading) {
    request.outputs = outputs;
    request.reading_bytes = reading;
    try {
      run_study(request);
    } catch (const UsageError& error) {
      CHECK_THAT(error.what(), contains("of memory; 8.0 GiB are allowed"));
      return error.remedy;
    }
    return std::string("ran");
  };
  CHECK(remedy(1'000'000'000, 0) == "fewer outputs");
  CHECK(remedy(~std::uint64_t{0}, 5) == "fewer outputs");
  CHECK(remedy(1, std::uint64_t{9} << 30) == "fewer addends");
  CHECK(remedy(1, ~std::uint64_t{0}) == "fewer addends");
}

// The figures of README: the layer N = 4096, K = 14336 at batch 1, 128 and 1024.
TEST_CASE("The main job: 16, 25 and 29 of 4096 outputs differ, nearly all f32 sums", "[.full]") {
  GemmOperands operands;
  operands.shape = {1, 4096, 14336};
  const auto a = uniform_source(formats::bf16, 14336, 11);
  const auto b = uniform_source(formats::bf16, 14336ULL * 4096, 12);
  operands.a = a.get();
  operands.b = b.get();
  std::vector<SchemaPtr> topologies;
  for (const char* text : layer_topologies) topologies.push_back(parse_topology(text));
  const Study study =
      run_study(gemm_request(operands, ChosenOutputs::all(operands.shape), {}, topologies));
  REQUIRE(study.pairs.size() == 3);
  CHECK(study.pairs[0].after.differ == 16);
  CHECK(study.pairs[1].after.differ == 25);
  CHECK(study.pairs[2].after.differ == 29);
  CHECK(study.pairs[0].before.differ == 4078);
  CHECK(study.pairs[1].before.differ == 4091);
  CHECK(study.pairs[2].before.differ == 4082);
  // The split has the smallest error, the single chain four times as much.
  const auto rms = [&](std::size_t t) { return study.topologies[t].error_before.rms(); };
  CHECK(rms(0) == Catch::Approx(0.000137).epsilon(0.01));
  CHECK(rms(2) / rms(0) > 4);
  CHECK(rms(1) / rms(0) > 2);

  // And all of it is what the H200 gave: 0 of 12,288 differ.
  const char* const files[] = {"m1", "m128", "m1024"};
  std::size_t wrong = 0, compared = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    const Recording recording = read_recording(WHYBITS_SOURCE_DIR "/tests/recordings/cublas-bf16-" +
                                               std::string(files[t]) + "-n4096-k14336.json");
    const VectorSource recorded = *recording.output_codes();
    REQUIRE(recorded.size() == 4096);
    for (std::size_t i = 0; i < 4096; ++i, ++compared)
      wrong += study.topologies[t].after[i] != recorded[i] ? 1U : 0U;
  }
  CHECK(compared == 12288);
  CHECK(wrong == 0);
}
