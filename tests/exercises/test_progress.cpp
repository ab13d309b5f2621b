// Progress is a file that a person can read, and that no version of whybits spoils.
#include "exercises/answers.hpp"
#include "exercises/progress.hpp"
#include "exercises/workspace.hpp"
#include "lab/usage_error.hpp"
#include "tests/exercises/lesson_maker.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using namespace whybits::test;

TEST_CASE("progress that is written is read again") {
  const Lesson lesson = lesson_of({predict_task(), topology_task()});
  LearnerProgress progress;
  progress.language = Language::zh;
  progress.set_done(lesson, "sum", "2026-11-30");
  progress.set_hints(lesson, "warp", 2);
  const std::string text = progress.text();
  CHECK(text ==
        "whybits progress 1\nlanguage zh\ndone 01_small sum 2026-11-30\nhints 01_small warp 2\n");
  const LearnerProgress again = LearnerProgress::parse(text, "progress.txt");
  CHECK(again.text() == text);
  CHECK(again.done(lesson, "sum"));
  CHECK_FALSE(again.done(lesson, "warp"));
  CHECK(again.hints(lesson, "warp") == 2);
  CHECK_FALSE(again.finished(lesson));
}

TEST_CASE("lines of a newer version and of lessons that are gone survive") {
  const std::string text =
      "whybits progress 7\nstars 01_small sum 5\ndone 99_future task 2031-01-01\nlanguage fr\n"
      "done too few\nhints 01_small sum many\n";
  const std::string written = LearnerProgress::parse(text, "progress.txt").text();
  for (const char* line : {"stars 01_small sum 5\n", "done 99_future task 2031-01-01\n",
                           "language fr\n", "done too few\n", "hints 01_small sum many\n"})
    CHECK_THAT(written, contains(line));
}

TEST_CASE("a renamed lesson keeps its progress") {
  nlohmann::json json = lesson_json({predict_task()});
  json["was"] = {"01_old"};
  const Lesson lesson = parse_lesson(json.dump(), "lesson.json");
  LearnerProgress progress =
      LearnerProgress::parse("whybits progress 1\ndone 01_old sum 2026-01-01\n", "progress.txt");
  CHECK(progress.finished(lesson));
  progress.forget(lesson);
  CHECK(progress.done_count(lesson) == 0);
}

TEST_CASE("a file that is not progress is refused and left alone") {
  const TemporaryFolder folder;
  folder.write("progress.txt", "my shopping list\n");
  CHECK_THROWS_AS(Workspace(folder.path()), UsageError);
  CHECK(folder.entries() == 1);
  CHECK_THROWS_AS(LearnerProgress::parse("", "progress.txt"), UsageError);
}

TEST_CASE("answers.txt asks every question, and is read as it is edited") {
  const Lesson lesson = lesson_of({predict_task(), topology_task(), code_task()});
  const std::string fresh = fresh_answers(lesson, Language::en);
  CHECK_THAT(fresh, contains("\nsum = ?\n"));
  CHECK_THAT(fresh, contains("\nwarp = fold(f32)\n"));
  CHECK_THAT(fresh, contains("# sum: 2048 + 1 in f16?"));
  CHECK_FALSE(read_answers(fresh).contains("add"));
  const auto answers = read_answers(
      "# sum = 1\n  sum=2048  \r\n\nwarp = pairs(f32)\nwarp = fold(f32, from=0)\nodd\n");
  CHECK(answers.at("sum") == "2048");
  CHECK(answers.at("warp") == "fold(f32, from=0)");
  CHECK(answers.size() == 2);
}

TEST_CASE("an answer from the command line changes its own line only") {
  const std::string text = "# note\nsum = ?\nwarp = fold(f32)\n";
  CHECK(with_answer(text, "sum", "2048") == "# note\nsum = 2048\nwarp = fold(f32)\n");
  CHECK(with_answer(text, "new", "1") == text + "new = 1\n");
  CHECK(with_answer("", "sum", "two\nlines") == "sum = two lines\n");
}

TEST_CASE("opening a lesson again touches no file, and a reset keeps what was written") {
  const TemporaryFolder lessons, home;
  const Course course = write_course(lessons, lesson_json({predict_task(), code_task()}));
  const Lesson& lesson = course.lessons[0];
  Workspace workspace(home.path());
  workspace.write_answer(course, lesson, lesson.tasks[0], "2048", Language::en);
  home.write("01_small/add.cpp", "mine");
  workspace.open(course, lesson, Language::zh);
  const auto read = [&](const std::string& name) {
    std::ifstream file(home.path() / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(read("01_small/add.cpp") == "mine");
  CHECK(workspace.check(course, lesson, lesson.tasks[0], {}, Language::en).passed());
  CHECK(Workspace(home.path()).progress().done(lesson, "sum"));

  // Code that cannot be judged costs nothing of what was done.
  CHECK(workspace.check(course, lesson, lesson.tasks[1], {}, Language::en).outcome ==
        Outcome::broken);
  CHECK(Workspace(home.path()).progress().done(lesson, "sum"));

  const auto kept = workspace.reset(course, lesson, Language::en);
  CHECK(kept.filename() == "01_small.before-reset-1");
  CHECK(read("01_small.before-reset-1/add.cpp") == "mine");
  CHECK(read("01_small/add.cpp") == stub_sum);
  CHECK_FALSE(Workspace(home.path()).progress().done(lesson, "sum"));
  CHECK(workspace.reset(course, lesson, Language::en).filename() == "01_small.before-reset-2");
}
