// The visualizer beside a lesson: its preset, and left of it the text as far as it has been read.
#pragma once

#include <string>

#include "exercises/workspace.hpp"

namespace whybits::course {

/// Text and questions up to and including `last`, or all of it: a line for each paragraph, code
/// indented by four blanks, as `whybits-viz --lesson` takes it.
std::string reading_text(const Course& course, const Lesson& lesson, const Task* last,
                         Language language);

/// Writes that text where the picture reads it.
void write_reading(const Course& course, const Workspace& workspace, const Lesson& lesson,
                   const Task* last, Language language);

/// Opens lesson and picture side by side; "" if no visualizer is built here, or the lesson has no
/// picture. A line for the shell.
std::string picture_command(const Workspace& workspace, const Lesson& lesson, Language language);

/// A display, by what the environment says.
bool has_display();

}  // namespace whybits::course
