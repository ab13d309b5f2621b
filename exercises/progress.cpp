#include "exercises/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <sstream>

#include "lab/usage_error.hpp"

namespace whybits::course {
namespace {

constexpr std::string_view first_words = "whybits progress ";

std::vector<std::string> names_of(const Lesson& lesson) {
  std::vector<std::string> names{lesson.id};
  names.insert(names.end(), lesson.was.begin(), lesson.was.end());
  return names;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

bool LearnerProgress::done(const Lesson& lesson, std::string_view task) const {
  const std::vector<std::string> names = names_of(lesson);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return done_.contains({name, std::string(task)});
  });
}

std::size_t LearnerProgress::done_count(const Lesson& lesson) const {
  return static_cast<std::size_t>(
      std::count_if(lesson.tasks.begin(), lesson.tasks.end(),
                    [&](const Task& task) { return done(lesson, task.id); }));
}

void LearnerProgress::set_done(const Lesson& lesson, const std::string& task,
                               const std::string& date) {
  if (!done(lesson, task)) done_[{lesson.id, task}] = date;
}

std::size_t LearnerProgress::hints(const Lesson& lesson, const std::string& task) const {
  const auto found = hints_.find({lesson.id, task});
  return found == hints_.end() ? 0 : found->second;
}

void LearnerProgress::set_hints(const Lesson& lesson, const std::string& task, std::size_t count) {
  hints_[{lesson.id, task}] = count;
}

void LearnerProgress::forget(const Lesson& lesson) {
  const std::vector<std::string> names = names_of(lesson);
  const auto of_lesson = [&](const auto& entry) {
    return std::find(names.begin(), names.end(), entry.first.first) != names.end();
  };
  std::erase_if(done_, of_lesson);
  std::erase_if(hints_, of_lesson);
}

std::string LearnerProgress::text() const {
  std::string text = fmt::format("{}1\n", first_words);
  if (language) text += fmt::format("language {}\n", language_name(*language));
  for (const auto& [key, date] : done_)
    text += fmt::format("done {} {} {}\n", key.first, key.second, date);
  for (const auto& [key, count] : hints_)
    text += fmt::format("hints {} {} {}\n", key.first, key.second, count);
  for (const std::string& line : kept_) text += line + '\n';
  return text;
}

LearnerProgress LearnerProgress::parse(std::string_view text, const std::string& where) {
  if (!text.starts_with(first_words))
    throw UsageError(where + ": not a file of progress: its first line is not 'whybits progress 1'",
                     "mend that line, or move the file away to begin anew");
  LearnerProgress progress;
  std::istringstream stream{std::string(text)};
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    std::size_t count = 0;
    const auto reads_count = [&] {
      const std::string& word = words[3];
      const auto read = std::from_chars(word.data(), word.data() + word.size(), count);
      return read.ec == std::errc{} && read.ptr == word.data() + word.size();
    };
    if (words.size() == 2 && words[0] == "language" && parse_language(words[1]))
      progress.language = parse_language(words[1]);
    else if (words.size() == 4 && words[0] == "done")
      progress.done_[{words[1], words[2]}] = words[3];
    else if (words.size() == 4 && words[0] == "hints" && reads_count())
      progress.hints_[{words[1], words[2]}] = count;
    else
      progress.kept_.push_back(line);
  }
  return progress;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace whybits::course
