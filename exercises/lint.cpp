#include "exercises/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exercises/code_task.hpp"
#include "exercises/judge_code.hpp"
#include "exercises/lesson_text.hpp"
#include "lab/files.hpp"
#include "lab/usage_error.hpp"

namespace whybits::course {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_stub = 50;
constexpr unsigned long small_number = 16;  // needs no proof

void append_text_problems(Problems& problems, const Lesson& lesson, const std::string& text,
                          Language language) {
  const std::string name = fmt::format("lesson.{}.md", language_name(language));
  const std::string title =
      fmt::format("# {} {}\n", lesson_number(lesson), lesson.title.in(language));
  if (!text.starts_with(title))
    problems.push_back(
        fmt::format("{}: the first line is not '{}'", name, title.substr(0, title.size() - 1)));
  std::vector<std::string> asked;
  for (const TextPart& part : split_at_questions(text))
    if (!part.task.empty()) asked.push_back(part.task);
  std::vector<std::string> tasks;
  for (const Task& task : lesson.tasks) tasks.push_back(task.id);
  if (asked != tasks)
    problems.push_back(fmt::format("{}: it asks '{}', the tasks are '{}'", name,
                                   fmt::join(asked, " "), fmt::join(tasks, " ")));
}

void append_structure_problems(Problems& problems, const std::string& en, const std::string& zh) {
  const auto a = text_structure(en);
  const auto b = text_structure(zh);
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i)
    if (a[i] != b[i]) {
      problems.push_back(fmt::format("part {}: English has '{}', Chinese '{}'", i, a[i], b[i]));
      return;
    }
  if (a.size() != b.size())
    problems.push_back(fmt::format("after the same beginning one language goes on with '{}'",
                                   a.size() > b.size() ? a[common] : b[common]));
}

void append_file_problems(Problems& problems, const Course& course, const Lesson& lesson) {
  std::set<std::string> expected{"lesson.json", "lesson.en.md", "lesson.zh.md"};
  for (const Task& task : lesson.tasks)
    if (task.is_code()) {
      expected.insert(task.id + ".stub.cpp");
      expected.insert(task.id + ".solution.cpp");
    }
  std::set<std::string> present;
  for (const auto& entry : fs::directory_iterator(course.folder / lesson.id))
    present.insert(entry.path().filename().string());
  for (const std::string& name : expected)
    if (!present.contains(name)) problems.push_back(name + " is missing");
  for (const std::string& name : present)
    if (!expected.contains(name)) problems.push_back(name + " does not belong to a lesson");
}

Problems lint_wrong(const Task& task) {
  Problems problems;
  const auto must_be_told = [&](const WrongAnswer& wrong, const Verdict& verdict) {
    if (verdict.outcome != Outcome::wrong)
      problems.push_back(fmt::format("{}: '{}' is not judged wrong", task.id, wrong.says));
    else if (verdict.recognized != &wrong)
      problems.push_back(fmt::format("{}: '{}' does not get its reply", task.id, wrong.says));
  };
  const auto* code = std::get_if<WriteCode>(&task.work);
  const auto cases = code != nullptr ? code_cases(*code) : std::vector<CodeCase>{};
  for (const WrongAnswer& wrong : task.wrong)
    must_be_told(
        wrong, code == nullptr
                   ? judge_answer(task, wrong.says, Language::en)
                   : judge_results(*code, task.wrong,
                                   expected_results(*code, wrong.reference, cases), Language::en));
  return problems;
}

Problems lint_task(const Task& task) {
  Problems problems = lint_wrong(task);
  if (task.is_code()) return problems;
  const Verdict right = judge_answer(task, right_answer(task), Language::en);
  if (!right.passed())
    problems.push_back(fmt::format("{}: its own answer does not pass: {}", task.id, right.text));
  if (const auto* topology = std::get_if<WriteTopology>(&task.work)) {
    const Verdict stub = judge_answer(task, topology->stub.text, Language::en);
    if (stub.outcome != Outcome::wrong && topology->stub.text != "?")
      problems.push_back(task.id + ": the stub is not judged wrong: " + stub.text);
  }
  const auto* predict = std::get_if<Predict>(&task.work);
  if (predict == nullptr) return problems;
  if (const auto* choice = std::get_if<ChoiceAnswer>(&predict->answer))
    for (const auto& option : choice->options)
      if (option.id != choice->right &&
          std::none_of(task.wrong.begin(), task.wrong.end(),
                       [&](const WrongAnswer& wrong) { return wrong.says == option.id; }))
        problems.push_back(fmt::format("{}: the option '{}' has no reply", task.id, option.id));
  return problems;
}

/// The proof for numbers: everything that is run, asked, or given.
class Proved {
 public:
  void add(std::string_view text) {
    for (const std::string& number : all_numbers(text)) numbers_.insert(canonical(number));
  }
  bool has(const std::string& number) const {
    if (number.size() <= 2 && std::stoul(number) <= small_number) return true;
    return numbers_.contains(canonical(number));
  }

 private:
  /// "0.50" and "0.5" are one number.
  static std::string canonical(std::string number) {
    if (number.find('.') == std::string::npos) return number;
    while (number.back() == '0') number.pop_back();
    if (number.back() == '.') number.pop_back();
    return number;
  }
  std::set<std::string> numbers_;
};

/// Runs one piece of evidence: what it prints proves numbers, if it is what it must be.
void run_proof(const Evidence& evidence, const CommandRunner& run, Proved& proved,
               Problems& problems) {
  const ShellOutput output = run(evidence.command);
  const std::string problem = evidence_problem(evidence, output);
  if (!problem.empty()) problems.push_back(problem);
  proved.add(evidence.command);
  proved.add(output.out);
}

std::vector<std::string> prose_of(const Lesson& lesson, Language language) {
  std::vector<std::string> texts;
  for (const Task& task : lesson.tasks) {
    texts.push_back(task.because.in(language));
    for (const Bilingual& hint : task.hints) texts.push_back(hint.in(language));
    for (const WrongAnswer& wrong : task.wrong) texts.push_back(wrong.reply.in(language));
  }
  return texts;
}

}  // namespace

Problems lint_texts(const Course& course, const Lesson& lesson) {
  Problems problems;
  append_file_problems(problems, course, lesson);
  if (!problems.empty()) return problems;
  const std::string en = course.text(lesson, Language::en);
  const std::string zh = course.text(lesson, Language::zh);
  append_text_problems(problems, lesson, en, Language::en);
  append_text_problems(problems, lesson, zh, Language::zh);
  append_structure_problems(problems, en, zh);
  bool surprise = false;
  for (const Task& task : lesson.tasks)
    for (const WrongAnswer& wrong : task.wrong) surprise = surprise || wrong.surprise;
  if (!surprise) problems.push_back("no wrong answer is marked as the surprise");
  return problems;
}

Problems lint_tasks(const Lesson& lesson) {
  Problems problems;
  for (const Task& task : lesson.tasks)
    for (std::string& problem : lint_task(task)) problems.push_back(std::move(problem));
  return problems;
}

Problems lint_code(const Course& course, const Lesson& lesson, const Toolchain& tools) {
  Problems problems;
  for (const Task& task : lesson.tasks) {
    if (!task.is_code()) continue;
    const fs::path stub = course.file(lesson, task.id + ".stub.cpp");
    const std::string text = read_text_file(stub, largest_text);
    if (text.find("TODO") == std::string::npos)
      problems.push_back(task.id + ".stub.cpp has no TODO");
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) > longest_stub)
      problems.push_back(fmt::format("{}.stub.cpp has more than {} lines", task.id, longest_stub));
    const Verdict stubbed = judge_code(task, stub, tools, Language::en);
    if (stubbed.outcome != Outcome::wrong)
      problems.push_back(task.id + ".stub.cpp does not compile, run and fail: " + stubbed.text);
    const Verdict solved =
        judge_code(task, course.file(lesson, task.id + ".solution.cpp"), tools, Language::en);
    if (!solved.passed())
      problems.push_back(task.id + ".solution.cpp does not pass: " + solved.text);
  }
  return problems;
}

Problems lint_numbers(const Course& course, const Lesson& lesson, const CommandRunner& run) {
  Problems problems;
  Proved proved;
  const auto check = [&](const Evidence& evidence) { run_proof(evidence, run, proved, problems); };
  for (const Evidence& evidence : lesson.checks) check(evidence);
  for (const Lesson::Given& given : lesson.given) proved.add(given.number);
  for (const Task& task : lesson.tasks) {
    for (const Evidence& evidence : task.see) check(evidence);
    proved.add(task.question.en);
    if (!task.is_code()) proved.add(right_answer(task));
    for (const WrongAnswer& wrong : task.wrong) proved.add(wrong.says);
  }
  for (const Language language : {Language::en, Language::zh}) {
    const std::string text = course.text(lesson, language);
    proved.add(console_text(text));
    std::vector<std::string> prose = prose_of(lesson, language);
    prose.push_back(text);
    for (const std::string& passage : prose)
      for (const std::string& number : prose_numbers(passage))
        if (!proved.has(number))
          problems.push_back(fmt::format("lesson.{}: nothing makes the number {}: “{}…”",
                                         language_name(language), number,
                                         passage.substr(0, passage.find('\n'))));
  }
  return problems;
}

Problems lint_claim(const Claim& claim, const fs::path& root, const CommandRunner& run) {
  Problems problems;
  Proved proved;
  for (const Evidence& evidence : runnable_evidence(claim))
    run_proof(evidence, run, proved, problems);
  for (const std::string& summary : claim.summaries)
    proved.add(read_text_file(root / summary, largest_text));
  proved.add(claim.claim.en);
  for (const Language language : {Language::en, Language::zh})
    for (const std::string& number : prose_numbers(claim.says.in(language)))
      if (!proved.has(number))
        problems.push_back(fmt::format("{}, {}: nothing makes the number {}", claim.id,
                                       language_name(language), number));
  return problems;
}

}  // namespace whybits::course
