// What the course prints: lists, questions, verdicts. Plain functions from data to text.
#pragma once

#include <string>

#include "exercises/course.hpp"
#include "exercises/progress.hpp"
#include "exercises/verdict.hpp"

namespace whybits::course {

struct Style {
  Language language = Language::en;
  bool colour = false;
  std::size_t width = 80;
};

/// "[##--] 2 of 4", one line a lesson with its title and progress, and the sum.
std::string list_text(const Course& course, const LearnerProgress& progress, const Style& style);
/// The question and, of a choice, its options.
std::string question_text(const Task& task, const Style& style);
/// Right or not, what was found, the reply, why it is so, what to try.
std::string verdict_text(const Task& task, const Verdict& verdict, const Style& style);
/// Hint `index` of how many.
std::string hint_text(const Task& task, std::size_t index, const Style& style);
/// Our own answer: notation or option, or the file of the solution.
std::string solution_text(const Course& course, const Lesson& lesson, const Task& task,
                          const Style& style);

}  // namespace whybits::course
