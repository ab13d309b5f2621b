#include "exercises/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exercises/lesson_text.hpp"
#include "exercises/workspace.hpp"
#include "lab/text_table.hpp"

namespace whybits::course {
namespace {

std::string paint(std::string_view text, std::string_view colour, const Style& style) {
  return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", colour, text) : std::string(text);
}

constexpr std::size_t bar_width = 24;

std::string bar(std::size_t done, std::size_t all) {
  const std::size_t full = all == 0 ? 0 : done * bar_width / all;
  return '[' + std::string(full, '#') + std::string(bar_width - full, '-') + ']';
}

}  // namespace

std::string list_text(const Course& course, const LearnerProgress& progress, const Style& style) {
  const Language language = style.language;
  std::size_t done = 0, all = 0;
  std::string text;
  const Lesson* next = next_lesson(course, progress);
  for (const Lesson& lesson : course.lessons) {
    const std::size_t here = progress.done_count(lesson);
    done += here;
    all += lesson.tasks.size();
    const std::string mark = here == lesson.tasks.size() ? "x" : here > 0 ? "-" : " ";
    const std::string line = fmt::format("{} [{}] {:>2}  {}", &lesson == next ? ">" : " ", mark,
                                         lesson_number(lesson), lesson.title.in(language));
    const std::size_t columns = display_width(line);
    text += line + std::string(columns < 58 ? 58 - columns : 1, ' ') +
            fmt::format("{}/{}  {} {}\n", here, lesson.tasks.size(), lesson.minutes,
                        say(language, "min", "分钟"));
  }
  return fmt::format("{} {} {} {}\n\n{}", bar(done, all), done, say(language, "of", "/"), all,
                     text);
}

std::string question_text(const Task& task, const Style& style) {
  const Language language = style.language;
  std::string text =
      paint(fmt::format("{} `{}`", say(language, "Question", "问题"), task.id), "1", style) + "\n" +
      render_markdown(task.question.in(language), style.width, style.colour);
  const auto* predict = std::get_if<Predict>(&task.work);
  if (predict == nullptr) return text;
  if (const auto* choice = std::get_if<ChoiceAnswer>(&predict->answer)) {
    std::size_t longest = 0;
    for (const auto& option : choice->options) longest = std::max(longest, option.id.size());
    std::size_t place = 0;
    for (const auto& option : choice->options)
      text +=
          fmt::format("  {}  {:<{}}  {}\n", ++place, option.id, longest, option.text.in(language));
  }
  return text;
}

std::string verdict_text(const Task& task, const Verdict& verdict, const Style& style) {
  const Language language = style.language;
  std::string text;
  const auto headline = [&](std::string_view mark, std::string_view words,
                            std::string_view colour) {
    text += paint(fmt::format("{} {}: {}", mark, task.id, words), colour, style) + '\n';
  };
  switch (verdict.outcome) {
    case Outcome::passed:
      headline("✓", say(language, "right", "正确"), "32");
      break;
    case Outcome::unanswered:
      headline("·", say(language, "no answer yet", "尚未回答"), "2");
      return text;
    case Outcome::unreadable:
      headline("?", say(language, "not understood", "看不懂"), "33");
      break;
    case Outcome::wrong:
      headline("✗", say(language, "not yet", "还不对"), "31");
      break;
    case Outcome::broken:
      headline("!", say(language, "could not be judged", "无法判定"), "33");
      break;
  }
  const std::string told =
      verdict.text.empty() || verdict.text.ends_with('\n') ? verdict.text : verdict.text + '\n';
  if (verdict.recognized == nullptr) {
    text += told;
  } else {
    const std::string reply =
        render_markdown(verdict.recognized->reply.in(language), style.width, style.colour);
    // What is made for this answer comes before a long story of its bits.
    constexpr auto few_lines = 4;
    const bool story = std::count(told.begin(), told.end(), '\n') > few_lines;
    text += story ? reply + '\n' + told : told + '\n' + reply;
  }
  if (verdict.passed()) {
    text += render_markdown(task.because.in(language), style.width, style.colour);
    for (const Evidence& see : task.see)
      text += fmt::format("  {} {}\n", say(language, "see", "试试"), see.command);
  }
  return text;
}

std::string hint_text(const Task& task, std::size_t index, const Style& style) {
  const Language language = style.language;
  const std::size_t shown = std::min(index, task.hints.size() - 1);
  return fmt::format("{} {}/{}\n", say(language, "Hint", "提示"), shown + 1, task.hints.size()) +
         render_markdown(task.hints[shown].in(language), style.width, style.colour) +
         (index < task.hints.size()
              ? ""
              : std::string(say(language, "There are no more hints; a shows the answer.\n",
                                "没有更多提示了；a 显示答案。\n")));
}

std::string solution_text(const Course& course, const Lesson& lesson, const Task& task,
                          const Style& style) {
  const std::string_view ours = say(style.language, "Ours", "我们的答案");
  if (task.is_code())
    return fmt::format("{}: {}\n", ours, course.file(lesson, task.id + ".solution.cpp").string());
  return fmt::format("{}: {}\n", ours, right_answer(task)) +
         render_markdown(task.because.in(style.language), style.width, style.colour);
}

}  // namespace whybits::course
