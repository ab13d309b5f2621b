#include "exercises/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "exercises/lesson_text.hpp"
#include "exercises/trimmed.hpp"

namespace whybits::course {
namespace {

constexpr std::size_t comment_width = 98;

std::string comment(const std::string& text) {
  std::istringstream lines(fill(text, comment_width));
  std::string out;
  for (std::string line; std::getline(lines, line);) out += "# " + line + '\n';
  return out;
}

/// Name and answer of a line, if it has them.
std::optional<std::pair<std::string, std::string>> assignment(const std::string& line) {
  const std::string plain = trimmed(line);
  const std::size_t equals = plain.find('=');
  if (plain.empty() || plain[0] == '#' || equals == std::string::npos) return std::nullopt;
  return std::pair(trimmed(std::string_view(plain).substr(0, equals)),
                   trimmed(std::string_view(plain).substr(equals + 1)));
}

}  // namespace

std::string fresh_answers(const Lesson& lesson, Language language) {
  std::string out = comment(fmt::format(
      "{}. {}", lesson.title.in(language),
      say(language,
          "Write your answers behind the equals signs and save; `whybits learn watch` checks them.",
          "把答案写在等号后面并保存；`whybits learn watch` 会检查。")));
  bool any = false;
  for (const Task& task : lesson.tasks) {
    if (task.is_code()) continue;
    any = true;
    out += '\n' + comment(task.id + ": " + task.question.in(language));
    std::string stub = "?";
    if (const auto* topology = std::get_if<WriteTopology>(&task.work)) stub = topology->stub.text;
    if (const auto* predict = std::get_if<Predict>(&task.work))
      if (const auto* choice = std::get_if<ChoiceAnswer>(&predict->answer))
        for (const auto& option : choice->options)
          out += comment(fmt::format("  {}: {}", option.id, option.text.in(language)));
    out += fmt::format("{} = {}\n", task.id, stub);
  }
  return any ? out : "";
}

std::map<std::string, std::string> read_answers(std::string_view text) {
  std::map<std::string, std::string> answers;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    if (auto found = assignment(line)) answers[found->first] = found->second;
  return answers;
}

std::string with_answer(std::string_view text, const std::string& task, const std::string& answer) {
  std::string flat = answer;
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  const std::string ours = fmt::format("{} = {}\n", task, flat);
  std::string out;
  bool replaced = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto found = assignment(line);
    const bool here = found && found->first == task;
    out += here ? ours : line + '\n';
    replaced = replaced || here;
  }
  return replaced ? out : out + ours;
}

}  // namespace whybits::course
