// What a learner has done: a text file of lines that a person can read and mend.
//
//   whybits progress 1
//   language zh
//   done 01_bits tenth 2026-11-30
//   hints 01_bits word 2
//
// Lines that this version does not know are kept as they are: a newer or an older whybits loses
// nothing.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exercises/lesson.hpp"

namespace whybits::course {

class LearnerProgress {
 public:
  std::optional<Language> language;

  /// Also under a former name of the lesson.
  bool done(const Lesson& lesson, std::string_view task) const;
  std::size_t done_count(const Lesson& lesson) const;
  bool finished(const Lesson& lesson) const { return done_count(lesson) == lesson.tasks.size(); }
  void set_done(const Lesson& lesson, const std::string& task, const std::string& date);

  std::size_t hints(const Lesson& lesson, const std::string& task) const;
  void set_hints(const Lesson& lesson, const std::string& task, std::size_t count);

  /// Forgets what was done in a lesson, also under its former names.
  void forget(const Lesson& lesson);

  std::string text() const;
  /// Throws UsageError for what is not a file of progress at all.
  static LearnerProgress parse(std::string_view text, const std::string& where);

 private:
  using Key = std::pair<std::string, std::string>;  ///< lesson, task
  std::map<Key, std::string> done_;                 ///< with the date
  std::map<Key, std::size_t> hints_;
  std::vector<std::string> kept_;
};

/// "2026-11-30", by the local clock.
std::string today();

}  // namespace whybits::course
