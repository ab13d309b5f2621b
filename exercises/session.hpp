// A lesson at the terminal: its text, its questions where they stand, and files watched while they
// are edited. Nothing moves on by itself.
#pragma once

#include <ostream>

#include "exercises/console.hpp"
#include "exercises/report.hpp"
#include "exercises/workspace.hpp"

namespace whybits::course {

class Session {
 public:
  Session(const Course& course, Workspace& workspace, const Toolchain& tools, const Style& style,
          Console& console, std::ostream& out);

  enum class End { finished, quit };
  /// From its text through its questions; those that are answered are only named.
  End take(const Lesson& lesson);
  /// Lesson after lesson while the learner wants to.
  void take_from(const Lesson& first);
  /// Checks the files of a lesson now and whenever they are saved, until all of it is done.
  End watch(const Lesson& lesson);

 private:
  enum class Step { answered, skipped, quit };
  Step ask(const Lesson& lesson, const Task& task);
  Step ask_for_code(const Lesson& lesson, const Task& task);
  /// Hint, solution, keys: what every question understands. True if it was one of them.
  bool common_key(const std::string& key, const Lesson& lesson, const Task& task);
  void show_hint(const Lesson& lesson, const Task& task);
  void show_check(const Lesson& lesson, const Task& task);
  /// The visualizer beside this lesson; from then on its text follows the questions.
  void open_picture(const Lesson& lesson, const Task& task);
  std::string_view words(std::string_view en, std::string_view zh) const {
    return say(style_.language, en, zh);
  }

  const Course& course_;
  Workspace& workspace_;
  const Toolchain& tools_;
  Style style_;
  Console& console_;
  std::ostream& out_;
  bool picture_open_ = false;
};

/// Shows the next hint of a task and remembers it; after the last one, the last.
std::string next_hint(Workspace& workspace, const Lesson& lesson, const Task& task,
                      const Style& style);

}  // namespace whybits::course
