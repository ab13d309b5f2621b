// Hostile and unlucky programs: a plain message, nothing left running, nothing written elsewhere.
#include <csignal>
#include <iostream>
#include <thread>

#include "exercises/judge_code.hpp"
#include "exercises/sandbox.hpp"
#include "tests/exercises/lesson_maker.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using namespace whybits::test;
using End = SandboxResult::End;

namespace {

/// A shell script in the sandbox; it may start programs, as a compiler may.
SandboxResult run_script(const TemporaryFolder& folder, const std::string& script,
                         double seconds = 5) {
  SandboxRequest request;
  request.argv = {"/bin/sh", "-c", script};
  request.folder = folder.path();
  request.alone = false;
  request.limits.seconds = seconds;
  return run_in_sandbox(request);
}

/// Not ended, and not a zombie that nobody has collected yet.
bool alive(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string number, name, state;
  return (file >> number >> name >> state) && state != "Z";
}

}  // namespace

TEST_CASE("a program's exit code and both of its streams come back") {
  const TemporaryFolder folder;
  const SandboxResult result = run_script(folder, "echo out; echo err >&2; exit 7");
  CHECK(result.end == End::exited);
  CHECK(result.code == 7);
  CHECK(result.output == "out\nerr\n");
}

TEST_CASE("a loop without end is ended, with everything that it started") {
  const TemporaryFolder folder;
  const SandboxResult result =
      run_script(folder, "sleep 60 & echo $! > pid; while :; do :; done", 0.5);
  CHECK(result.end == End::out_of_time);
  CHECK(result.seconds < 3);
  std::string pid;
  std::ifstream(folder.path() / "pid") >> pid;
  for (int i = 0; i < 50 && alive(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(alive(pid));
}

TEST_CASE("what a program leaves running does not keep the checker waiting") {
  const TemporaryFolder folder;
  const SandboxResult result = run_script(folder, "sleep 60 & echo done");
  CHECK(result.end == End::exited);
  CHECK(result.seconds < 3);
}

TEST_CASE("a flood of output is cut off") {
  const TemporaryFolder folder;
  const SandboxResult result = run_script(folder, "while :; do echo flood flood flood flood; done");
  CHECK(result.end == End::out_of_room);
  CHECK(result.output.size() == SandboxLimits{}.output);
}

TEST_CASE("a file cannot outgrow its limit, nor memory its own") {
  const TemporaryFolder folder;
  const SandboxResult file = run_script(folder, "exec cat /dev/zero > big");
  CHECK(file.end == End::out_of_room);
  CHECK(std::filesystem::file_size(folder.path() / "big") <= SandboxLimits{}.file);
}

TEST_CASE("a program that is not there, and a crash, are told apart") {
  const TemporaryFolder folder;
  SandboxRequest request;
  request.argv = {"/nowhere/program"};
  request.folder = folder.path();
  const SandboxResult missing = run_in_sandbox(request);
  CHECK(missing.end == End::not_started);
  CHECK(missing.code == ENOENT);
  const SandboxResult crash = run_script(folder, "kill -SEGV $$");
  CHECK(crash.end == End::signalled);
  CHECK(crash.code == SIGSEGV);
}

TEST_CASE("with Landlock, files are written in the private folder only") {
  if (!sandbox_walls().landlock) {
    std::cout << "SKIPPED: this kernel has no Landlock\n";
    return;
  }
  const TemporaryFolder folder, elsewhere;
  const std::string victim = elsewhere.write("victim", "precious");
  const SandboxResult result = run_script(
      folder, "echo mine > here && echo ok; echo bad > " + victim + "; rm " + victim + "; mkdir " +
                  elsewhere.file("new") + "; ln -s x " + elsewhere.file("link"));
  CHECK_THAT(result.output, contains("ok"));
  CHECK(elsewhere.entries() == 1);
  std::string content;
  std::ifstream(victim) >> content;
  CHECK(content == "precious");
}

namespace {

/// The verdict on a file whose function has this body.
Verdict judge_body(const std::string& body, const std::string& before = "") {
  const TemporaryFolder folder;
  const Lesson lesson = lesson_of({code_task()});
  const std::string file = folder.write(
      "add.cpp", before + "namespace learner {\nfloat add_up(std::span<const float> x) {\n" + body +
                     "\n}\n}\n");
  return judge_code(lesson.tasks[0], file, find_toolchain(), Language::en);
}

constexpr const char* fold_body =
    "float s = 0; for (std::size_t i = 0; i < x.size(); ++i) s = i ? s + x[i] : x[0]; return s;";

}  // namespace

TEST_CASE("code that is right passes, whatever it prints", "[.full]") {
  CHECK(judge_body(fold_body).passed());
  CHECK(judge_body(std::string("std::puts(\"hello\"); ") + fold_body, "#include <cstdio>\n")
            .passed());
  CHECK(judge_body(std::string("(void)whybits::formats::f16; ") + fold_body,
                   "#include \"sim/arith.hpp\"\n")
            .passed());
}

TEST_CASE("code that is wrong is told the case, both words, and its ulp", "[.full]") {
  const Verdict verdict = judge_body("double s = 0; for (float v : x) s += v; return float(s);");
  CHECK(verdict.outcome == Outcome::wrong);
  for (const char* part : {"asked", "yours", "ulp apart", "exact", "x        {"})
    CHECK_THAT(verdict.text, contains(part));
  const Verdict known = judge_body(
      "float s = 0; for (std::size_t i = x.size(); i-- > 0;) s = i + 1 == x.size() ? x[i] : s + "
      "x[i]; return s;");
  REQUIRE(known.recognized != nullptr);
  CHECK(known.recognized->reply.en == "Backwards.");
}

TEST_CASE("code that does not compile is told what the compiler says, by the learner's own lines",
          "[.full]") {
  const Verdict verdict = judge_body("return x +;");
  CHECK(verdict.outcome == Outcome::broken);
  CHECK_THAT(verdict.text, contains("does not compile"));
  CHECK_THAT(verdict.text, contains("add.cpp:3:"));
  CHECK_THAT(verdict.text, !contains("The checker looks for"));  // the function is as it should be
  CHECK_THAT(judge_body("float unused = 1; return x.empty() ? 0 : -x[0];").text,
             contains("The compiler warned:"));
  const TemporaryFolder folder;
  const Lesson lesson = lesson_of({code_task()});
  const auto judge = [&](const std::string& source) {
    return judge_code(lesson.tasks[0], folder.write("add.cpp", source), find_toolchain(),
                      Language::en);
  };
  CHECK_THAT(judge("").text,
             contains("namespace learner { float add_up(std::span<const float> x); }"));
  CHECK_THAT(
      judge("namespace learner { double add_up(std::span<const float>) { return 0; } }").text,
      contains("does not compile"));
  CHECK_THAT(judge("#include \"/dev/zero\"\n").text, contains("compile"));
}

TEST_CASE("code that loops, crashes, floods, exits or wants all memory gets a plain message",
          "[.full]") {
  CHECK_THAT(judge_body("for (volatile int i = 0;; i = i + 1) {} return x[0];").text,
             contains("did not end within 10 seconds"));
  const Verdict crash = judge_body("return *static_cast<volatile float*>(nullptr) + x[0];");
  CHECK_THAT(crash.text, contains("It crashed: Segmentation fault"));
  CHECK_THAT(crash.text, contains("It was at this input"));
  CHECK_THAT(judge_body("for (;;) std::puts(\"flood\"); return x[0];", "#include <cstdio>\n").text,
             contains("wrote more than"));
  CHECK_THAT(judge_body("std::exit(0); return x[0];", "#include <cstdlib>\n").text,
             contains("ended early"));
  CHECK_THAT(judge_body("throw 1; return x[0];").text, contains("It crashed: Aborted"));
  CHECK_THAT(judge_body("std::vector<char> v(std::size_t{1} << 40); return v[0] + x[0];",
                        "#include <vector>\n")
                 .text,
             contains("It asked for more memory than there is: 1.0 GiB"));
  CHECK_THAT(judge_body("char b[65536]{}; for (;;) write(3, b, sizeof b); return x[0];",
                        "#include <unistd.h>\n")
                 .text,
             contains("It wrote more than 64.0 MiB"));
  CHECK_THAT(judge_body("std::fclose(stdin); close(3); return x.empty() ? 0 : x[0];",
                        "#include <cstdio>\n#include <unistd.h>\n")
                 .text,
             contains("ended early"));
}

TEST_CASE("threads that use up the processor's time ran out of time, they did not crash",
          "[.full]") {
  CHECK_THAT(judge_body("const auto loop = [] { for (volatile int i = 0;; i = i + 1) {} };\n"
                        "std::thread a(loop), b(loop), c(loop); loop(); return x[0];",
                        "#include <thread>\n")
                 .text,
             contains("did not end within 10 seconds"));
}

TEST_CASE("code that writes elsewhere, forks, kills or connects is ended, and told why",
          "[.full]") {
  if (!sandbox_walls().seccomp) {
    std::cout << "SKIPPED: this kernel has no seccomp filters\n";
    return;
  }
  const TemporaryFolder elsewhere;
  const std::string victim = elsewhere.write("victim", "precious");
  // Each body adds up as asked, and does so if the call is not ended.
  const std::string headers =
      "#include <cstdio>\n#include <cstdlib>\n#include <csignal>\n#include <fcntl.h>\n"
      "#include <sys/socket.h>\n#include <unistd.h>\n";
  for (const std::string& call :
       {"std::fopen(\"" + victim + "\", \"w\")", "std::remove(\"" + victim + "\")",
        std::string("open(\"new\", O_CREAT | O_WRONLY, 0600)"), std::string("fork()"),
        std::string("kill(getppid(), SIGTERM)"), std::string("kill(-1, 0)"),
        std::string("socket(AF_INET, SOCK_STREAM, 0)"), std::string("std::system(\"true\")"),
        std::string("execl(\"/bin/true\", \"true\", nullptr)")}) {
    CAPTURE(call);
    const Verdict verdict = judge_body("(void)(" + call + ");\n" + fold_body, headers);
    CHECK(verdict.outcome == Outcome::broken);
    CHECK_THAT(verdict.text, contains("It was ended: it tried"));
  }
  CHECK(elsewhere.entries() == 1);
  CHECK(std::filesystem::file_size(victim) == 8);
}

TEST_CASE("without a compiler the message says what to install") {
  const TemporaryFolder folder;
  const Lesson lesson = lesson_of({code_task()});
  const Verdict verdict =
      judge_code(lesson.tasks[0], folder.write("add.cpp", good_sum), Toolchain{}, Language::en);
  CHECK(verdict.outcome == Outcome::broken);
  CHECK_THAT(verdict.text, contains("install g++"));
}
