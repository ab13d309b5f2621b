// What the checker says about an answer.
#pragma once

#include <cstdint>
#include <string>

#include "exercises/lesson.hpp"

namespace whybits::course {

enum class Outcome : std::uint8_t {
  passed,
  unanswered,  ///< still "?"
  unreadable,  ///< no number, no option, no notation: nothing was judged
  wrong,
  broken  ///< code that does not compile, does not end, crashes, …: nothing was judged
};

struct Verdict {
  Outcome outcome = Outcome::wrong;
  std::string text;                         ///< what was found, for people; may be empty
  const WrongAnswer* recognized = nullptr;  ///< borrowed from the task: its reply is to be shown

  bool passed() const { return outcome == Outcome::passed; }
};

/// Judges what a learner typed. Precondition: no code task.
Verdict judge_answer(const Task& task, std::string_view typed, Language language);

Verdict judge_prediction(const Predict& work, const std::vector<WrongAnswer>& wrong,
                         std::string_view typed, Language language);
Verdict judge_topology(const WriteTopology& work, const std::vector<WrongAnswer>& wrong,
                       std::string_view typed, Language language);

}  // namespace whybits::course
