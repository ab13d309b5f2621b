#include "exercises/picture.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "exercises/lesson_text.hpp"
#include "exercises/report.hpp"
#include "lab/files.hpp"
#include "lab/shell.hpp"

namespace whybits::course {
namespace {

constexpr std::size_t unlimited = 1'000'000;  // columns: the window breaks lines itself

/// The question with its first line as a heading.
std::string question_block(const Task& task, Language language) {
  std::string text = question_text(task, {language, false, unlimited});
  text.insert(text.find('\n') + 1, "---\n");
  return text;
}

}  // namespace

std::string reading_text(const Course& course, const Lesson& lesson, const Task* last,
                         Language language) {
  std::string text;
  for (const TextPart& part : split_at_questions(course.text(lesson, language))) {
    text += render_markdown(part.text, unlimited, false);
    const Task* task = lesson.find(part.task);
    if (task == nullptr) continue;
    text += question_block(*task, language) + '\n';
    if (task == last) break;
  }
  return text;
}

void write_reading(const Course& course, const Workspace& workspace, const Lesson& lesson,
                   const Task* last, Language language) {
  workspace.open(course, lesson, language);
  write_file_atomically(workspace.reading_file(lesson),
                        reading_text(course, lesson, last, language));
}

std::string picture_command(const Workspace& workspace, const Lesson& lesson, Language language) {
  const std::string program = find_visualizer();
  if (program.empty() || lesson.scene.empty()) return "";
  return fmt::format("{} --preset {} --language {} --lesson {}", shell_quoted(program),
                     lesson.scene, language_name(language),
                     shell_quoted(workspace.reading_file(lesson).string()));
}

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

}  // namespace whybits::course
