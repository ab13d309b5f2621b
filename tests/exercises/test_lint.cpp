// The course tests itself; and the tests of the course can fail.
#include <set>

#include "exercises/lint.hpp"
#include "tests/exercises/lesson_maker.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using namespace whybits::test;

namespace {

const std::filesystem::path lessons = std::filesystem::path(WHYBITS_SOURCE_DIR) / "exercises";

std::string joined(const Problems& problems) {
  std::string text;
  for (const std::string& problem : problems) text += problem + '\n';
  return text;
}

template <class Lint>
void every_lesson_is_sound(Lint lint) {
  const Course course = load_course(lessons);
  for (const Lesson& lesson : course.lessons) {
    CAPTURE(lesson.id);
    CHECK(joined(lint(course, lesson)) == "");
  }
}

CommandRunner runner() {
  return shell_runner(WHYBITS_BINARY, WHYBITS_SOURCE_DIR);
}

}  // namespace

TEST_CASE("both languages of every lesson have the same structure, and ask every task") {
  every_lesson_is_sound([](const Course& c, const Lesson& l) { return lint_texts(c, l); });
}

TEST_CASE("every answer passes, every stub fails, every known wrong answer gets its reply") {
  every_lesson_is_sound([](const Course&, const Lesson& l) { return lint_tasks(l); });
}

TEST_CASE("every stub of code compiles, runs and fails, and every solution passes", "[.full]") {
  const Toolchain tools = find_toolchain();
  every_lesson_is_sound([&](const Course& c, const Lesson& l) { return lint_code(c, l, tools); });
}

TEST_CASE("every number of every lesson is made by something that is run", "[.full]") {
  every_lesson_is_sound(
      [](const Course& c, const Lesson& l) { return lint_numbers(c, l, runner()); });
}

TEST_CASE("every task of a lesson has something to say in both languages") {
  const Course course = load_course(lessons);
  for (const Lesson& lesson : course.lessons)
    for (const Task& task : lesson.tasks) {
      CAPTURE(lesson.id, task.id);
      CHECK(task.question.en != task.question.zh);
      CHECK(task.because.en != task.because.zh);
    }
}

TEST_CASE("the picture of every lesson is a preset of the visualizer") {
  std::set<std::string> presets;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(WHYBITS_SOURCE_DIR) / "visualizer" / "scenes"))
    if (entry.path().extension() == ".json") presets.insert(entry.path().stem().string());
  for (const Lesson& lesson : load_course(lessons).lessons) {
    CAPTURE(lesson.id, lesson.scene);
    CHECK((lesson.scene.empty() || presets.contains(lesson.scene)));
  }
}

// ---- controls: each check can fail -------------------------------------------------------------

TEST_CASE("a small sound lesson has no problems") {
  const TemporaryFolder folder;
  const Course course =
      write_course(folder, lesson_json({predict_task(), topology_task(), code_task()}));
  CHECK(joined(lint_texts(course, course.lessons[0])) == "");
  CHECK(joined(lint_tasks(course.lessons[0])) == "");
  CHECK(joined(lint_numbers(course, course.lessons[0], runner())) == "");
}

TEST_CASE("texts that differ in structure, or do not ask, are found") {
  const TemporaryFolder folder;
  const Course course = write_course(folder, lesson_json({predict_task()}));
  const auto problems = [&](const std::string& en, const std::string& zh) {
    folder.write("01_small/lesson.en.md", en);
    folder.write("01_small/lesson.zh.md", zh);
    return joined(lint_texts(course, course.lessons[0]));
  };
  const std::string en = "# 1 Small\n\n- a\n- b\n\n**Question `sum`**\n";
  const std::string zh = "# 1 小\n\n- 甲\n- 乙\n\n**问题 `sum`**\n";
  CHECK(problems(en, zh) == "");
  CHECK_THAT(problems(en, "# 1 小\n\n- 甲\n\n**问题 `sum`**\n"), contains("list of 2"));
  CHECK_THAT(problems(en, zh + "\n## 更多\n"), contains("goes on with"));
  CHECK_THAT(
      problems(en + "\n```console\n$ whybits a\n```\n", zh + "\n```console\n$ whybits b\n```\n"),
      contains("whybits b"));
  CHECK_THAT(problems("# 1 Small\n", "# 1 小\n"), contains("it asks ''"));
  CHECK_THAT(problems("# Small\n\n**Question `sum`**\n", zh), contains("the first line is not"));
  folder.write("01_small/notes.txt", "");
  CHECK_THAT(problems(en, zh), contains("notes.txt does not belong"));
}

TEST_CASE(
    "a lesson without surprise, a stub that passes and a reply that is not reached are found") {
  const TemporaryFolder folder;
  nlohmann::json calm = predict_task();
  calm["wrong"] = nlohmann::json::array();
  const Course course = write_course(folder, lesson_json({calm}));
  CHECK_THAT(joined(lint_texts(course, course.lessons[0])), contains("surprise"));

  nlohmann::json easy = topology_task();
  easy["stub"] = "pairs(f32)";
  CHECK_THAT(joined(lint_tasks(lesson_of({easy}))), contains("the stub is not judged wrong"));

  nlohmann::json shadowed = topology_task();
  shadowed["wrong"].push_back(
      {{"says", "slices(1, fold(f32), halves(f32))"}, {"reply", both("x", "y")}});
  CHECK_THAT(joined(lint_tasks(lesson_of({shadowed}))), contains("does not get its reply"));

  nlohmann::json right = predict_task();
  right["wrong"][0]["says"] = "0x6800";
  CHECK_THAT(joined(lint_tasks(lesson_of({right}))), contains("is not judged wrong"));

  nlohmann::json silent = predict_task();
  silent["answer"] = {
      {"choice", "no"},
      {"of",
       {{{"id", "yes"}, {"text", both("y", "是")}}, {{"id", "no"}, {"text", both("n", "否")}}}}};
  silent["wrong"] = nlohmann::json::array();
  CHECK_THAT(joined(lint_tasks(lesson_of({silent}))), contains("the option 'yes' has no reply"));
}

TEST_CASE("a number that nothing makes, and evidence that does not hold, are found") {
  const TemporaryFolder folder;
  nlohmann::json lesson = lesson_json({predict_task()});
  const auto problems = [&](const std::string& sentence) {
    const Course course = write_course(folder, lesson);
    const std::string en = "# 1 Small\n\n" + sentence + "\n\n**Question `sum`**\n";
    folder.write("01_small/lesson.en.md", en);
    folder.write("01_small/lesson.zh.md", "# 1 小\n\n" + sentence + "\n\n**问题 `sum`**\n");
    const std::string found = joined(lint_numbers(course, course.lessons[0], runner()));
    std::filesystem::remove_all(folder.path() / "01_small");
    return found;
  };
  CHECK(problems("Up to 16, f16, H200, `4711` and 2,048.0 need nothing more.") == "");
  CHECK_THAT(problems("It is 4711."), contains("nothing makes the number 4711"));
  CHECK_THAT(problems("It is 0.25, no less."), contains("0.25"));
  lesson["checks"] = {{{"command", "whybits bits 4711 --format f32"}, {"contains", {"4711"}}}};
  CHECK(problems("It is 4711.") == "");
  lesson["checks"][0]["contains"] = {"4712"};
  CHECK_THAT(problems("It is 4711."), contains("does not print '4712'"));
  lesson["checks"] = {{{"command", "whybits bits x"}, {"contains", nlohmann::json::array()}}};
  CHECK_THAT(problems(""), contains("exit code 2, not 0"));
  lesson.erase("checks");
  lesson["given"] = {{{"number", "4711"}, {"why", "a name"}}};
  CHECK(problems("It is 4711.") == "");
}

TEST_CASE("a stub that passes and a solution that does not are found", "[.full]") {
  const TemporaryFolder folder;
  const Course course = write_course(folder, lesson_json({predict_task(), code_task()}));
  const Toolchain tools = find_toolchain();
  CHECK(joined(lint_code(course, course.lessons[0], tools)) == "");
  folder.write("01_small/add.stub.cpp", std::string(good_sum) + "// TODO\n");
  folder.write("01_small/add.solution.cpp", stub_sum);
  const std::string problems = joined(lint_code(course, course.lessons[0], tools));
  CHECK_THAT(problems, contains("add.stub.cpp does not compile, run and fail"));
  CHECK_THAT(problems, contains("add.solution.cpp does not pass"));
}
