#include "exercises/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "exercises/answers.hpp"
#include "exercises/judge_code.hpp"
#include "lab/files.hpp"
#include "lab/usage_error.hpp"

namespace whybits::course {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_file = std::uint64_t{1} << 20;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw UsageError(folder.string() + ": the folder cannot be made: " + error.message(),
                     "name another with --dir, or set WHYBITS_COURSE");
}

}  // namespace

Workspace::Workspace(fs::path folder) : folder_(std::move(folder)) {
  make_folder(folder_);
  if (fs::exists(progress_file()))
    progress_ = LearnerProgress::parse(read_text_file(progress_file(), largest_file),
                                       progress_file().string());
}

void Workspace::save() const {
  write_file_atomically(progress_file(), progress_.text());
}

fs::path Workspace::answers_file(const Lesson& lesson) const {
  return folder_ / lesson.id / "answers.txt";
}
fs::path Workspace::code_file(const Lesson& lesson, const Task& task) const {
  return folder_ / lesson.id / (task.id + ".cpp");
}
fs::path Workspace::reading_file(const Lesson& lesson) const {
  return folder_ / lesson.id / "reading.txt";
}
fs::path Workspace::file_of(const Lesson& lesson, const Task& task) const {
  return task.is_code() ? code_file(lesson, task) : answers_file(lesson);
}

void Workspace::open(const Course& course, const Lesson& lesson, Language language) const {
  make_folder(folder_ / lesson.id);
  const std::string answers = fresh_answers(lesson, language);
  if (!answers.empty() && !fs::exists(answers_file(lesson)))
    write_file_atomically(answers_file(lesson), answers);
  for (const Task& task : lesson.tasks)
    if (task.is_code() && !fs::exists(code_file(lesson, task)))
      write_file_atomically(
          code_file(lesson, task),
          read_text_file(course.file(lesson, task.id + ".stub.cpp"), largest_file));
}

void Workspace::write_answer(const Course& course, const Lesson& lesson, const Task& task,
                             const std::string& answer, Language language) const {
  open(course, lesson, language);
  const fs::path file = answers_file(lesson);
  write_file_atomically(file, with_answer(read_text_file(file, largest_file), task.id, answer));
}

Verdict Workspace::check(const Course& course, const Lesson& lesson, const Task& task,
                         const Toolchain& tools, Language language) {
  open(course, lesson, language);
  const auto judge = [&] {
    if (task.is_code()) return judge_code(task, code_file(lesson, task), tools, language);
    const auto answers = read_answers(read_text_file(answers_file(lesson), largest_file));
    const auto found = answers.find(task.id);
    return judge_answer(task, found == answers.end() ? "" : found->second, language);
  };
  Verdict verdict = judge();
  if (verdict.passed() && !progress_.done(lesson, task.id)) {
    progress_.set_done(lesson, task.id, today());
    save();
  }
  return verdict;
}

fs::path Workspace::reset(const Course& course, const Lesson& lesson, Language language) {
  const fs::path folder = folder_ / lesson.id;
  fs::path kept;
  if (fs::exists(folder)) {
    int count = 1;
    do {
      kept = folder_ / fmt::format("{}.before-reset-{}", lesson.id, count++);
    } while (fs::exists(kept));
    std::error_code error;
    fs::rename(folder, kept, error);
    if (error) throw UsageError(folder.string() + ": cannot be moved: " + error.message());
  }
  progress_.forget(lesson);
  save();
  open(course, lesson, language);
  return kept;
}

fs::path default_workspace() {
  for (const auto& [name, below] :
       {std::pair("WHYBITS_COURSE", ""), std::pair("HOME", "whybits-course")}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0')
      return *below == '\0' ? fs::path(value) : fs::path(value) / below;
  }
  return "whybits-course";
}

const Lesson* next_lesson(const Course& course, const LearnerProgress& progress) {
  const auto found = std::find_if(course.lessons.begin(), course.lessons.end(),
                                  [&](const Lesson& lesson) { return !progress.finished(lesson); });
  return found == course.lessons.end() ? nullptr : &*found;
}

}  // namespace whybits::course
