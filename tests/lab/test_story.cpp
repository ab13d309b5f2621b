// What happened to one output, in words and JSON.
#include "lab/story.hpp"
#include "lab/vector_source.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

LeafSet leaves(const std::vector<std::int64_t>& list) {
  LeafSet set;
  for (const std::int64_t leaf : list) set.insert(origin_of_leaf(leaf));
  return set;
}

OutputStory story(const char* a, const char* b, const Format& format, std::vector<Bits> codes) {
  const OperandVector values(format, std::move(codes));
  Leaves leaves;
  leaves.a = &values;
  return tell_output(LeafTypes::of(leaves), leaves, parse_topology(a), parse_topology(b));
}

constexpr Bits one = 0x3f800000, half_ulp = 0x33800000, quarter = 0x3e800000;  // 1, 2^-24, 1/4

}  // namespace

TEST_CASE("Leaves are named by their range where they have one") {
  const auto named = [](std::vector<std::int64_t> of) {
    std::vector<Origin> below;
    for (const std::int64_t leaf : of) below.push_back(origin_of_leaf(leaf));
    return leaves_text(leaves(of), {}, below);
  };
  CHECK(named({7}) == "leaf 7");
  CHECK(named({3, 4, 5}) == "leaves 3…5");
  CHECK(named({0, 2, 9}) == "3 leaves (0, 2, 9)");
  CHECK(named({0, 1, 8, 9, 16, 17}) == "6 leaves (0…1, 8…9, 16…17)");
  CHECK(named({0, 1, 8, 9, 16, 17, 24}) == "7 leaves (0…1, 8…9, …, 24)");
  std::vector<std::int64_t> even;
  for (std::int64_t leaf = 0; leaf < 9000; ++leaf) even.push_back(2 * leaf);
  CHECK(named(even) == "9000 of the leaves 0…17998");
  CHECK(named({}) == "nothing");
  LeafSet c;
  c.insert(origin_c);
  CHECK(leaves_text(c, {}, {}) == "c or an operand alone");
}

TEST_CASE("Steps are named by unit, what enters and what it enters onto") {
  const OutputStory s =
      story("fold(f32) > bf16", "pairs(f32) > bf16", formats::f32, {one, quarter, one, half_ulp});
  CHECK(step_text(s.a, 0) == "f32: leaf 1 onto leaf 0");
  CHECK(step_text(s.a, 1) == "f32: leaf 2 onto the sum of leaves 0…1");
  CHECK(step_text(s.a, 3) == "rounding to bf16 of leaves 0…3");
  CHECK(step_text(s.b, 2) == "f32: the sum of leaves 2…3 onto the sum of leaves 0…1");
}

TEST_CASE("A story has the codes, how far they are apart, where they part and why") {
  const OutputStory s =
      story("fold(f32)", "reverse(fold(f32))", formats::f32, {one, half_ulp, half_ulp});
  const std::string text = story_text(s, "Sum of row 0");
  CHECK_THAT(text, contains("Sum of row 0\n"));
  CHECK_THAT(text, contains("0x3F800000") && contains("0x3F800001"));
  CHECK_THAT(text, contains("1 ulp of f32 apart."));
  CHECK_THAT(text, contains("no step of A and B covers the same leaves with the same bits"));
  CHECK_THAT(text, contains("A - B = -1.19e-07 is the sum of 2 entries that differ\n"));
  const nlohmann::ordered_json json = story_json(s);
  CHECK(json["same"] == false);
  CHECK(json["exact"] == "1.00000011920928955078125");
  CHECK(json["ledger_valid"] == true);
  CHECK(json["ledger"].size() == 2);
  CHECK(json["ledger"][0]["amount"] == "-0.000000059604644775390625");
  CHECK(json["ledger"][0]["a"]["discarded"] == "-0.000000059604644775390625");
}

TEST_CASE("Where the last rounding heals, the story is told of what it healed") {
  const OutputStory s = story("fold(f32) > bf16", "reverse(fold(f32)) > bf16", formats::f32,
                              {one, half_ulp, half_ulp});
  CHECK(s.healed);
  const std::string text = story_text(s, "Output [0,0]");
  CHECK_THAT(text, contains("Output [0,0]: the same bits\n"));
  CHECK_THAT(text,
             contains("1 ulp of f32 apart before the last rounding, which makes them equal."));
  CHECK_THAT(text,
             contains("where they part") && contains("A - B before the last rounding = -1.19e-07"));
  CHECK(story_json(s)["healed_by_last_rounding"] == true);
  CHECK(story_json(s)["same"] == true);
}

TEST_CASE("The exact sum says whose rounding is right") {
  // Steps of 2^-8 from 1 in bf16, whose last place there is 2^-7: each is a tie and lost.
  const OutputStory s = story("fold(f32) > bf16", "fold(bf16) > bf16", formats::bf16,
                              {0x3f80, 0x3b80, 0x3b80, 0x3b80, 0x3b80});
  CHECK_THAT(story_text(s, ""), contains("The exact sum rounds to 1.015625: A has it, B has not."));
}

TEST_CASE("A NaN has no ledger and no distance, and says so") {
  const OutputStory s =
      story("fold(f32)", "reverse(fold(f32))", formats::f32, {0x7f7fffff, 0x7f7fffff, 0xff800000});
  const std::string text = story_text(s, "");
  CHECK_THAT(text, contains("Not comparable, there is a NaN"));
  CHECK_THAT(text, contains("ledger: not defined"));
  CHECK(story_json(s)["ledger_valid"] == false);
  CHECK(story_json(s)["exact"].is_null());
}

TEST_CASE("Addends that one leaves out are no rounding difference") {
  const OutputStory s =
      story("fold(f32)", "take(0..2, fold(f32))", formats::f32, {one, half_ulp, half_ulp});
  CHECK_THAT(story_text(s, ""), contains("A and B do not add the same numbers"));
  const OutputStory exact = story("fold(f32)", "take(0..1, fold(f32))", formats::f32, {one, one});
  CHECK_THAT(story_text(exact, ""), contains("every step that both have discards the same"));
}

TEST_CASE("A story that would take too much memory is announced instead of told") {
  const auto values = VectorSource::from_codes(formats::f32, std::vector<Bits>{one, one});
  Study study = run_study(
      sum_request(values, 1, 2, {parse_topology("fold(f32)"), parse_topology("pairs(f32)")}));
  const StoryPlan small = plan_story(study, "Sum of row 0");
  CHECK(small.affordable());
  const LeafTypes types{.a = formats::f32};
  for (TopologyOutputs& outputs : study.topologies)
    outputs.reduction = split_last_rounding(outputs.reduction.before.schema, 1ULL << 36, types);
  const StoryPlan large = plan_story(study, "Sum of row 0");
  CHECK_FALSE(large.affordable());
  CHECK_THAT(planned_story_text(large, {}),
             contains("Sum of row 0 is not explained") && contains("TiB) of memory"));
  nlohmann::ordered_json json;
  add_story_json(json, large, {});
  CHECK_THAT(json["output_omitted"].get<std::string>(), contains("Sum of row 0: its traces"));
  CHECK(planned_story_text({}, {}).empty());
}
