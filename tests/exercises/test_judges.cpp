// Answers are judged by what they are and compute, not by how they are written.
#include "exercises/code_task.hpp"
#include "exercises/judge_code.hpp"
#include "exercises/judge_value.hpp"
#include "exercises/verdict.hpp"
#include "tests/exercises/lesson_maker.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using namespace whybits::test;

namespace {

Verdict judge(const Lesson& lesson, const char* typed) {
  return judge_answer(lesson.tasks[0], typed, Language::en);
}

Lesson with_answer_of(nlohmann::json answer) {
  nlohmann::json task = predict_task();
  task["answer"] = std::move(answer);
  task["wrong"] = nlohmann::json::array();
  return lesson_of({task});
}

}  // namespace

TEST_CASE("a value passes as decimal, hexadecimal value and word, and only if it is exact") {
  const Lesson lesson = lesson_of({predict_task()});
  for (const char* right : {"2048", "0x6800", "0x1p11", " 2,048 ", "2048.0"}) {
    CAPTURE(right);
    CHECK(judge(lesson, right).passed());
  }
  const Verdict surprise = judge(lesson, "2049");  // rounds to 2048, but is not 2048
  CHECK(surprise.outcome == Outcome::wrong);
  REQUIRE(surprise.recognized != nullptr);
  CHECK(surprise.recognized->reply.en == "No f16.");
  CHECK_THAT(surprise.text, contains("2049 is not a number of f16"));
  CHECK_THAT(surprise.text, !contains("2048"));  // the answer is not given away
  const Verdict next = judge(lesson, "2050");
  CHECK(next.outcome == Outcome::wrong);
  CHECK(next.recognized == nullptr);
  CHECK_THAT(next.text, contains("0x6801  0 11010 0000000001  2050 = 0x1.004p+11"));
  CHECK_THAT(next.text, contains("from one number to the next, from there: 1."));
  CHECK(judge(lesson, "?").outcome == Outcome::unanswered);
  CHECK(judge(lesson, "").outcome == Outcome::unanswered);
  CHECK(judge(lesson, "two").outcome == Outcome::unreadable);
  CHECK(judge(lesson, "0x123456").outcome == Outcome::unreadable);
}

TEST_CASE("the sign of zero and NaN count in a value") {
  const Lesson zero = with_answer_of({{"value", "-0"}, {"format", "f32"}});
  CHECK(judge(zero, "-0").passed());
  CHECK(judge(zero, "0x80000000").passed());
  CHECK(judge(zero, "0").outcome == Outcome::wrong);
  const Lesson nan = with_answer_of({{"value", "nan"}, {"format", "f32"}});
  CHECK(judge(nan, "nan").passed());
  CHECK(judge(nan, "0x7FC00000").passed());
  CHECK(judge(nan, "inf").outcome == Outcome::wrong);
}

TEST_CASE("where a word is the answer, a value is not one") {
  const Lesson lesson = with_answer_of({{"value", "0xBE00"}, {"format", "f16"}});
  CHECK(judge(lesson, "0xBE00").passed());
  CHECK(judge(lesson, "be00").passed());  // the digits of a word alone
  CHECK(judge(lesson, "be0").outcome == Outcome::unreadable);
  CHECK(judge(lesson, "0xbe00").passed());
  CHECK(judge(lesson, "-1.5").outcome == Outcome::unreadable);
  CHECK(judge(lesson, "0x3E00").outcome == Outcome::wrong);
}

TEST_CASE("an estimate passes from its lower to its upper bound") {
  const Lesson lesson = with_answer_of({{"number", "16"}, {"from", "8"}, {"to", "32"}});
  for (const char* right : {"8", "16", "32", "2^4", "31.5"}) CHECK(judge(lesson, right).passed());
  CHECK_THAT(judge(lesson, "7.99").text, contains("Too small"));
  CHECK_THAT(judge(lesson, "33").text, contains("Too large"));
  CHECK_THAT(judge(lesson, "8").text, contains("it is 16"));
}

TEST_CASE("an option is chosen by its name or its place") {
  const Lesson lesson =
      with_answer_of({{"choice", "differ"},
                      {"of",
                       {{{"id", "same"}, {"text", both("the same", "相同")}},
                        {{"id", "differ"}, {"text", both("different", "不同")}}}}});
  for (const char* right : {"differ", "2", "DIFFER"}) CHECK(judge(lesson, right).passed());
  CHECK(judge(lesson, "1").outcome == Outcome::wrong);
  for (const char* other : {"3", "0", "difer"})
    CHECK(judge(lesson, other).outcome == Outcome::unreadable);
  CHECK_THAT(judge(lesson, "difer").text, contains("did you mean differ?"));
}

TEST_CASE("any topology that gives the asked bits passes") {
  const Lesson lesson = lesson_of({topology_task()});
  CHECK(judge(lesson, "pairs(f32)").passed());
  CHECK(judge(lesson, "pairs(f32) > f32").passed());
  CHECK(judge(lesson, "pairs(f32.ru)").outcome == Outcome::wrong);
  // n = 100 as 64 + 36: pairs splits there, too.
  CHECK(judge(lesson, "slices(64, pairs(f32), fold(f32))").passed());
  CHECK(judge(lesson, "slices(2, fold(f32), pairs(f32))").passed());
}

TEST_CASE("a wrong topology is told with bits, ulp and the place where it parts") {
  const Lesson lesson = lesson_of({topology_task()});
  const Verdict fold = judge(lesson, "fold(f32)");
  CHECK(fold.outcome == Outcome::wrong);
  CHECK_THAT(fold.text, contains("With n = 5"));
  CHECK_THAT(fold.text, contains("ulp of f32 apart"));
  CHECK_THAT(fold.text, contains("where they part"));
  CHECK_THAT(fold.text, contains("hexadecimal: A 0x1.") || contains("hexadecimal: A -0x1."));
  CHECK_THAT(fold.text, contains("exact"));
  const Verdict halves = judge(lesson, "slices(1, halves(f32), halves(f32))");  // however written
  REQUIRE(halves.recognized != nullptr);
  CHECK(halves.recognized->reply.en == "Far first.");
  CHECK(judge(lesson, "pairs(f32").outcome == Outcome::unreadable);
  CHECK_THAT(judge(lesson, "pairs(f32").text, contains("^"));
  CHECK(judge(lesson, "fold(sm90.wgmma.bf16)").outcome == Outcome::wrong);  // values, not products
  CHECK(judge(lesson, "pairs(f64)").outcome == Outcome::wrong);             // another result format
}

TEST_CASE("conditions on a topology are conditions on what it computes") {
  nlohmann::json task = topology_task();
  task.erase("same_as");
  task["wrong"] = nlohmann::json::array();
  task["solution"] = "pairs(f32)";
  task["not_same_as"] = {"halves(f32)"};
  task["depth_at_most"] = 7;
  const Lesson lesson = lesson_of({task});
  CHECK(judge(lesson, "pairs(f32)").passed());
  CHECK_THAT(judge(lesson, "halves(f32)").text, contains("must not"));
  CHECK_THAT(judge(lesson, "fold(f32)").text, contains("Depth 99 at n = 100; at most 7"));
}

TEST_CASE("results of code are compared word by word, and a known wrong one is recognized") {
  const Lesson lesson = lesson_of({code_task()});
  const auto& work = std::get<WriteCode>(lesson.tasks[0].work);
  const auto& wrong = lesson.tasks[0].wrong;
  const auto cases = code_cases(work);
  std::vector<Bits> results = expected_results(work, work.same_as, cases);
  CHECK(judge_results(work, wrong, results, Language::en).passed());
  const Verdict backwards =
      judge_results(work, wrong, expected_results(work, wrong[0].reference, cases), Language::en);
  CHECK(backwards.recognized == wrong.data());
  CHECK_THAT(backwards.text, contains("asked"));
  results.back() ^= 1;
  const Verdict one = judge_results(work, wrong, results, Language::en);
  CHECK(one.outcome == Outcome::wrong);
  CHECK_THAT(one.text, contains("1 of"));
}

TEST_CASE("any NaN stands for another, but not with bits above the word") {
  CHECK(same_code(formats::f16, 0x7E00, 0xFFFF));
  CHECK_FALSE(same_code(formats::f16, 0x7E00, 0x17E00));
  CHECK_FALSE(same_code(formats::f16, 0x7E00, 0x7C00));
}

TEST_CASE("a conversion to as many fraction bits has cases") {
  nlohmann::json task = code_task();
  task["signature"] = "convert";
  task.erase("n");
  task["same_as"] = {{"convert", {"e5m2", "e3m2"}}};
  task["wrong"] = nlohmann::json::array();
  const Lesson lesson = lesson_of({task});
  const auto& work = std::get<WriteCode>(lesson.tasks[0].work);
  const auto cases = code_cases(work);
  Reference toward_zero = work.same_as;
  toward_zero.rule.rounding = Rounding::zero;
  CHECK(expected_results(work, toward_zero, cases) != expected_results(work, work.same_as, cases));
}

TEST_CASE("cases of a conversion hold every tie, both zeros, subnormals, overflow and NaN") {
  nlohmann::json task = code_task();
  task["signature"] = "convert";
  task.erase("n");
  task["same_as"] = {{"convert", {"f32", "f16"}}};
  task["wrong"] = nlohmann::json::array();
  const Lesson lesson = lesson_of({task});
  const auto& work = std::get<WriteCode>(lesson.tasks[0].work);
  const auto cases = code_cases(work);
  const std::vector<Bits> right = expected_results(work, work.same_as, cases);
  // Every other rounding differs somewhere, and so does a conversion that flushes or saturates.
  for (const Rounding rounding : all_roundings) {
    if (rounding == Rounding::nearest_even) continue;
    Reference other = work.same_as;
    other.rule.rounding = rounding;
    CHECK(expected_results(work, other, cases) != right);
  }
  Reference flushing = work.same_as, saturating = work.same_as;
  flushing.rule.flush = Flush::out;
  saturating.rule.overflow = Overflow::saturate;
  CHECK(expected_results(work, flushing, cases) != right);
  CHECK(expected_results(work, saturating, cases) != right);
  for (const std::uint32_t word : {0x00000000u, 0x80000000u, 0x7F800000u, 0x477FF000u})
    CHECK(std::any_of(cases.begin(), cases.end(),
                      [&](const CodeCase& one) { return one.words[0] == word; }));
}

TEST_CASE(
    "an exact sum is told from one in f64, and a tree by what stands before its last rounding") {
  nlohmann::json task = topology_task();
  task["same_as"] = "fold(exact) > f32";
  task["wrong"] = {
      {{"says", "fold(f64) > f32"}, {"reply", both("Long, not exact.", "长，但不精确。")}}};
  CHECK(judge(lesson_of({task}), "fold(f64) > f32").recognized != nullptr);
  CHECK(judge(lesson_of({task}), "pairs(exact) > f32").outcome != Outcome::broken);

  task["leaves"] = {{"product", {"bf16", "bf16"}}};
  task["n"] = {1024};
  task["same_as"] = "slices(256, fold(sm90.wgmma.bf16), fold(f32)) > bf16";
  task["stub"] = "fold(sm90.wgmma.bf16) > bf16";
  task["wrong"] = nlohmann::json::array();
  const Lesson layer = lesson_of({task});
  CHECK(judge(layer, "parts(4, fold(sm90.wgmma.bf16), fold(f32)) > bf16").passed());
  CHECK(judge(layer, "slices(512, fold(sm90.wgmma.bf16), fold(f32)) > bf16").outcome ==
        Outcome::wrong);
  CHECK(judge(layer, "slices(256, fold(sm90.wgmma.bf16), reverse(fold(f32))) > bf16").outcome ==
        Outcome::wrong);
}
