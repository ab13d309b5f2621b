// `whybits learn` as a new user and a script meet it.
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits::test;

namespace {

/// In a home folder of its own, in English.
class Learner {
 public:
  CommandResult run(const std::string& arguments, const std::string& typed = "") const {
    return run_line("printf '" + typed + "' | HOME='" + home_.path().string() +
                    "' WHYBITS_COURSE= LC_ALL=C whybits learn " + arguments + " 2>&1");
  }
  const TemporaryFolder& home() const { return home_; }

 private:
  TemporaryFolder home_;
};

}  // namespace

TEST_CASE(
    "the first `whybits learn` lists twelve lessons and says where answers go and what to type") {
  const Learner learner;
  const CommandResult first = learner.run("");
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, contains("> [ ]  1  "));
  CHECK_THAT(first.out, contains("[ ] 12  "));
  CHECK_THAT(first.out, contains(learner.home().file("whybits-course")));
  CHECK_THAT(first.out, contains("whybits learn 3"));
}

TEST_CASE("lesson 1 is done from its own text, and the next time is the next lesson's") {
  const Learner learner;
  const auto lesson =
      nlohmann::json::parse(std::ifstream(WHYBITS_SOURCE_DIR "/exercises/01_bits/lesson.json"));
  std::string typed;
  for (const auto& task : lesson.at("tasks")) {
    const auto& answer = task.at("answer");
    for (const char* kind : {"choice", "number", "value"})
      if (answer.contains(kind)) typed += answer.at(kind).get<std::string>() + "\\n";
  }
  const CommandResult done = learner.run("1", typed + "q\\n");
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, contains("Next: 2 "));
  const CommandResult again = learner.run("list");
  CHECK_THAT(again.out, contains("  [x]  1  "));
  CHECK_THAT(again.out, contains("> [ ]  2  "));
}

TEST_CASE("an answer from the command line is judged, told and kept") {
  const Learner learner;
  const CommandResult wrong = learner.run("answer 1 tenth smaller");
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.out, contains("not yet"));
  const CommandResult right = learner.run("answer bits tenth larger");
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, contains("✓ tenth: right"));
  const auto list = nlohmann::json::parse(learner.run("list --json").out);
  CHECK(list.at("lessons").at(0).at("done") == 1);
  CHECK(learner.run("check 1 tenth").exit_code == 0);
  CHECK(learner.run("check 1").exit_code == 1);
  CHECK(learner.run("reset 1").exit_code == 2);  // it asks, and nobody answers
  CHECK(learner.run("reset 1 --yes").exit_code == 0);
  CHECK(learner.run("check 1 tenth").exit_code == 1);
}

TEST_CASE("a language that was chosen is remembered") {
  const Learner learner;
  CHECK_THAT(learner.run("hint 1 --lang zh").out, contains("提示"));
  CHECK_THAT(learner.run("hint 1").out, contains("提示"));
  CHECK_THAT(learner.run("hint 1 --lang en").out, contains("Hint"));
}

TEST_CASE("what learn cannot do is told with the remedy, and exit code 2") {
  const Learner learner;
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = learner.run(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused("13", "there is no lesson '13'");
  refused("show rouding", "did you mean rounding?");
  refused("answer 1 nothing 5", "lesson 01_bits has no task 'nothing'");
  refused("--lang fr", "--lang: 'fr' is neither en nor zh");
  refused("--lessons /nowhere", "name it with --lessons");
  refused("reset", "a lesson, or --all");
  refused("check 1 --all", "a lesson, or --all");
  refused("--dir /dev/null/x", "cannot be made");
  refused("hint 1 --colour", "unknown option");
}

TEST_CASE("a spoilt file of progress is refused and left as it is") {
  const Learner learner;
  (void)learner.run("answer 1 tenth larger");
  const std::string file = learner.home().write("whybits-course/progress.txt", "spoilt\n");
  const CommandResult refused = learner.run("");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.out, contains("move the file away"));
  std::string content;
  std::ifstream(file) >> content;
  CHECK(content == "spoilt");
}

TEST_CASE("the picture of a lesson needs a visualizer and a display, and says which is missing") {
  const TemporaryFolder home;
  const CommandResult none =
      run_line("unset DISPLAY WAYLAND_DISPLAY; whybits learn picture 2 --dir " +
               home.path().string() + " 2>&1");
  CHECK(none.exit_code == 3);
  CHECK((none.out.find("no display") != std::string::npos ||
         none.out.find("scripts/setup viz") != std::string::npos));
}

TEST_CASE("`whybits claims` lists verdicts, shows the evidence of one, and speaks JSON") {
  const CommandResult all = run_whybits("claims");
  CHECK(all.exit_code == 0);
  CHECK_THAT(all.out, contains("B7"));
  CHECK_THAT(all.out, contains("confirmed"));
  const CommandResult one = run_whybits("claims A3");
  CHECK_THAT(one.out, contains("$ whybits "));
  CHECK_THAT(one.out, contains("ctest -R"));
  CHECK(run_whybits("claims A3 --run").exit_code == 0);
  const auto json = nlohmann::json::parse(run_whybits("claims --json").out);
  CHECK(json.at("claims").size() >= 35);
  const CommandResult replayed = run_whybits("claims B1 --run");  // recordings are evidence, too
  CHECK(replayed.exit_code == 0);
  CHECK_THAT(replayed.out, contains("B1   holds  whybits verify --no-controls tests/recordings/"));
  CHECK_THAT(run_whybits("claims --json --run", true).out, contains("at most one of them"));
  CHECK_THAT(run_whybits("claims B7 --markdown", true).out, contains("a whole page"));
  CHECK(run_whybits("claims --glossary --file x").exit_code == 2);
  const CommandResult none = run_whybits("claims Z9", true);
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.out, contains("there is no claim 'Z9'"));
}
