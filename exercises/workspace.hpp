// The learner's folder: progress.txt, and for every lesson that was opened a folder with
// answers.txt and the C++ files of its code tasks.
#pragma once

#include <filesystem>
#include <string>

#include "exercises/course.hpp"
#include "exercises/progress.hpp"
#include "exercises/toolchain.hpp"
#include "exercises/verdict.hpp"

namespace whybits::course {

class Workspace {
 public:
  /// Makes the folder if it is not there, and reads the progress. Throws UsageError.
  explicit Workspace(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  LearnerProgress& progress() { return progress_; }
  const LearnerProgress& progress() const { return progress_; }
  void save() const;

  /// Makes the files of a lesson that are not there yet; never touches one that is.
  void open(const Course& course, const Lesson& lesson, Language language) const;
  std::filesystem::path answers_file(const Lesson& lesson) const;
  std::filesystem::path code_file(const Lesson& lesson, const Task& task) const;
  /// The text of a lesson as far as it has been read, for a window beside the terminal.
  std::filesystem::path reading_file(const Lesson& lesson) const;
  /// The file that the learner edits for this task.
  std::filesystem::path file_of(const Lesson& lesson, const Task& task) const;

  void write_answer(const Course& course, const Lesson& lesson, const Task& task,
                    const std::string& answer, Language language) const;

  /// Judges what the files hold, and records what passes.
  Verdict check(const Course& course, const Lesson& lesson, const Task& task,
                const Toolchain& tools, Language language);

  /// Fresh files and no progress in this lesson. What was there is kept beside them; its folder, or
  /// an empty path if there was nothing.
  std::filesystem::path reset(const Course& course, const Lesson& lesson, Language language);

 private:
  std::filesystem::path progress_file() const { return folder_ / "progress.txt"; }

  std::filesystem::path folder_;
  LearnerProgress progress_;
};

/// WHYBITS_COURSE in the environment, else whybits-course in the home folder, else here.
std::filesystem::path default_workspace();

/// The first lesson with something left to do, or null.
const Lesson* next_lesson(const Course& course, const LearnerProgress& progress);

}  // namespace whybits::course
