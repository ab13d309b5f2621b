// lesson.json: what is refused, and that the refusal names the place.
#include "exercises/lesson.hpp"
#include "lab/usage_error.hpp"
#include "tests/exercises/lesson_maker.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using namespace whybits::test;

namespace {

std::string refusal(const nlohmann::json& lesson) {
  try {
    (void)parse_lesson(lesson.dump(), "lesson.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

nlohmann::json with_task(nlohmann::json task) {
  return lesson_json({std::move(task)});
}

}  // namespace

TEST_CASE("a lesson keeps what its file says") {
  const Lesson lesson = lesson_of({predict_task(), topology_task(), code_task()});
  REQUIRE(lesson.tasks.size() == 3);
  CHECK(lesson.tasks[0].kind() == "predict");
  CHECK(lesson.tasks[1].kind() == "topology");
  CHECK(lesson.tasks[2].kind() == "code");
  CHECK(lesson.title.zh == "小");
  CHECK(lesson.tasks[0].wrong[0].surprise);
  CHECK(right_answer(lesson.tasks[0]) == "2048");
  CHECK(right_answer(lesson.tasks[1]) == "pairs(f32)");
  CHECK(lesson.find("warp") == &lesson.tasks[1]);
  CHECK(lesson.find("nothing") == nullptr);
}

TEST_CASE("what is wrong in a lesson is named with its place") {
  const auto task = [](const char* pointer, nlohmann::json value) {
    nlohmann::json changed = topology_task();
    changed[nlohmann::json::json_pointer(pointer)] = std::move(value);
    return refusal(with_task(changed));
  };
  CHECK(refusal(with_task(topology_task())) == "");
  CHECK_THAT(task("/kind", "guess"), contains("tasks[0].kind: 'guess' is none of"));
  CHECK_THAT(task("/same_as", "pair(f32)"),
             contains("tasks[0].same_as: the topology cannot be read"));
  CHECK_THAT(task("/same_as", "cut(50, fold(f32), fold(f32))"), contains("tasks[0]"));
  CHECK_THAT(task("/leaves/sum", "f33"), contains("tasks[0].leaves.sum: 'f33' is not a format"));
  CHECK_THAT(task("/question/zh", ""), contains("tasks[0].question: empty"));
  CHECK_THAT(task("/n", nlohmann::json::array()), contains("tasks[0].n: at least one"));
  CHECK_THAT(task("/hints", nlohmann::json::array()), contains("at least one hint"));
  CHECK_THAT(task("/hint", "x"), contains("'hint' is not a known key"));
  CHECK_THAT(task("/id", "Warp!"), contains("tasks[0].id: 'Warp!' is not a word"));
  CHECK_THAT(task("/wrong/0/surprise", 1), contains("neither true nor false"));
  CHECK_THAT(refusal(lesson_json({predict_task(), predict_task()})),
             contains("a second task 'sum'"));
}

TEST_CASE("answers must be answers") {
  const auto answer = [](nlohmann::json value) {
    nlohmann::json task = predict_task();
    task["answer"] = std::move(value);
    task["wrong"] = nlohmann::json::array();
    return refusal(with_task(task));
  };
  CHECK(answer({{"number", "5"}, {"from", "4"}, {"to", "2^3"}}) == "");
  CHECK_THAT(answer({{"number", "5"}, {"from", "6"}}), contains("not from"));
  CHECK_THAT(answer({{"number", "many"}}), contains("answer.number"));
  CHECK_THAT(answer({{"value", "2049"}, {"format", "f16"}}), contains("not a value of the format"));
  CHECK_THAT(answer({{"bits", "0"}}), contains("none of choice, number, value"));
  const nlohmann::json yes{{"id", "yes"}, {"text", both("y", "是")}},
      no{{"id", "no"}, {"text", both("n", "否")}};
  CHECK(answer({{"choice", "no"}, {"of", {yes, no}}}) == "");
  CHECK_THAT(answer({{"choice", "maybe"}, {"of", {yes, no}}}),
             contains("must be one of the options"));
  CHECK_THAT(answer({{"choice", "no"}, {"of", {no, no}}}), contains("once"));
}

TEST_CASE("numbers are read as people type them") {
  CHECK((parse_plain_number("8,388,608") == 8388608));
  CHECK((parse_plain_number("2^23") == 8388608));
  CHECK((parse_plain_number("2^-2") == mpq_class(1, 4)));
  CHECK((parse_plain_number(" 1 / 3 ") == mpq_class(1, 3)));
  CHECK((parse_plain_number("0x800000") == 8388608));
  CHECK((parse_plain_number("-1.5e3") == -1500));
  CHECK((parse_plain_number("−1") == -1));
  for (const char* text : {"", "x", "1/0", "2^x", "3^2", "2^99999", "inf", "nan", "1//2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_plain_number(text), UsageError);
  }
}
