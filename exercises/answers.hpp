// answers.txt: what a learner answers to the predictions and topologies of a lesson.
//
//   # tenth: You write `float x = 0.1f;` …
//   tenth = larger
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "exercises/lesson.hpp"

namespace whybits::course {

/// A fresh file: every question as a comment, "?" or the stub behind the name. Empty for a lesson
/// of code alone.
std::string fresh_answers(const Lesson& lesson, Language language);

/// Name → what stands behind "=", without blanks around; the last one counts. Comments and lines
/// without "=" are passed over.
std::map<std::string, std::string> read_answers(std::string_view text);

/// The text with the answer of one task replaced, or added at the end.
std::string with_answer(std::string_view text, const std::string& task, const std::string& answer);

}  // namespace whybits::course
