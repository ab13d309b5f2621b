// A lesson at the terminal, played from a script.
#include <deque>
#include <functional>
#include <sstream>

#include "exercises/picture.hpp"
#include "exercises/session.hpp"
#include "lab/files.hpp"
#include "lab/shell.hpp"
#include "tests/exercises/lesson_maker.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using namespace whybits::test;

namespace {

/// Types one line after the other; a line that begins with '!' is something done meanwhile.
class Script : public Console {
 public:
  explicit Script(std::deque<std::string> lines, std::function<void()> act = {})
      : lines_(std::move(lines)), act_(std::move(act)) {}
  std::optional<std::string> line() override {
    if (lines_.empty()) return std::nullopt;
    std::string line = lines_.front();
    lines_.pop_front();
    return line;
  }
  bool wait(std::chrono::milliseconds) override {
    if (!lines_.empty() && lines_.front() == "!") {
      lines_.pop_front();
      act_();
      return false;
    }
    return true;
  }

 private:
  std::deque<std::string> lines_;
  std::function<void()> act_;
};

struct Play {
  TemporaryFolder lessons, home;
  Course course;
  Workspace workspace{home.path()};
  Toolchain tools;
  std::ostringstream out;

  explicit Play(std::initializer_list<nlohmann::json> tasks)
      : course(write_course(lessons, lesson_json(tasks))) {}

  std::string take(std::deque<std::string> lines, Language language = Language::en) {
    out.str("");
    Script script(std::move(lines));
    Session session(course, workspace, tools, {.language = language}, script, out);
    session.take_from(course.lessons[0]);
    return out.str();
  }
};

}  // namespace

TEST_CASE("the surprise gets its reply, hints come in steps, and the right answer is kept") {
  Play play({predict_task(), topology_task()});
  const std::string shown = play.take({"2049", "h", "", "?", "2048", "halves(f32)", "pairs(f32)"});
  for (const char* text :
       {"2048 + 1 in f16?", "No f16.", "Hint 1/1", "A tie.", "✓ sum: right", "Ties go to even",
        "Far first.", "✓ warp: right", "all of the course is done"})
    CHECK_THAT(shown, contains(text));
  const Workspace again(play.home.path());
  CHECK(again.progress().finished(play.course.lessons[0]));
  CHECK(next_lesson(play.course, again.progress()) == nullptr);
}

TEST_CASE("leaving, and the end of input, lose nothing, the next time goes on there") {
  Play play({predict_task(), topology_task()});
  CHECK_THAT(play.take({"2048", "q"}), contains("the same command comes back here"));
  CHECK(Workspace(play.home.path()).progress().done(play.course.lessons[0], "sum"));
  const std::string again = play.take({});
  CHECK_THAT(again, contains("✓ answered"));
  CHECK_THAT(again, contains("warp> "));
}

TEST_CASE("the text beside the picture goes as far as the question, and tells no answer") {
  Play play({predict_task(), topology_task()});
  const Lesson& lesson = play.course.lessons[0];
  const std::string first = reading_text(play.course, lesson, &lesson.tasks[0], Language::en);
  CHECK_THAT(first, contains("1 Small\n=======\n"));
  CHECK_THAT(first, contains("Question `sum`\n---\n2048 + 1 in f16?\n"));
  CHECK_THAT(first, !contains("warp"));
  CHECK_THAT(first, !contains("Ties go to even"));
  CHECK_THAT(reading_text(play.course, lesson, nullptr, Language::zh),
             contains("问题 `warp`\n---\n"));
  // Asking for the picture writes it; without a visualizer the learner is told what to install.
  const std::string shown = play.take({"v"});
  if (find_visualizer().empty()) {
    CHECK_THAT(shown, contains("scripts/setup viz"));
  } else {
    play.course.lessons[0].scene = "tie-2049";
    CHECK(picture_command(play.workspace, lesson, Language::zh)
              .ends_with("--preset tie-2049 --language zh --lesson " +
                         shell_quoted(play.workspace.reading_file(lesson).string())));
    CHECK_THAT(play.take({"v"}), has_display() ? contains("Opened") : contains("no display here"));
    CHECK(read_text_file(play.workspace.reading_file(lesson), 1 << 20) == first);
  }
}

TEST_CASE("skipping is allowed, the answer is shown on request, and neither counts") {
  Play play({predict_task(), topology_task()});
  const std::string shown = play.take({"a", "s", "s"});
  CHECK_THAT(shown, contains("Ours: 2048"));
  CHECK_THAT(shown, contains("what was skipped"));
  CHECK(play.workspace.progress().done_count(play.course.lessons[0]) == 0);
}

TEST_CASE("the whole session speaks Chinese when asked to") {
  Play play({predict_task()});
  const std::string shown = play.take({"2049", "h", "2048"}, Language::zh);
  for (const char* text : {"# ", "Question", "right"}) CHECK(shown.find(text) == std::string::npos);
  for (const char* text : {"问题", "不是 f16。", "提示", "正确", "整个课程已全部完成"})
    CHECK_THAT(shown, contains(text));
}

TEST_CASE("answers that are saved in the file are checked while watching") {
  Play play({predict_task(), topology_task()});
  const Lesson& lesson = play.course.lessons[0];
  int saves = 0;
  Script script({"h", "!", "!", "q"}, [&] {
    ++saves;
    play.home.write("01_small/answers.txt",
                    saves == 1 ? "sum = 2049\n" : "sum = 2048\nwarp = pairs(f32)\n");
  });
  Session session(play.course, play.workspace, play.tools, {}, script, play.out);
  CHECK(session.watch(lesson) == Session::End::finished);
  const std::string shown = play.out.str();
  for (const char* text : {"no answer yet", "Hint 1/1", "No f16.", "✓ sum", "✓ warp"})
    CHECK_THAT(shown, contains(text));
}

TEST_CASE("code is checked when its file is saved", "[.full]") {
  Play play({code_task()});
  play.tools = find_toolchain();
  Script script({"c", "!"}, [&] { play.home.write("01_small/add.cpp", good_sum); });
  Session session(play.course, play.workspace, play.tools, {}, script, play.out);
  CHECK(session.take(play.course.lessons[0]) == Session::End::finished);
  CHECK_THAT(play.out.str(), contains("✗ add: not yet"));
  CHECK_THAT(play.out.str(), contains("✓ add: right"));
}
