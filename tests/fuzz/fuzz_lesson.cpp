// Any text either is refused with UsageError or is a lesson, whose own answers can be judged.
#include <cstdlib>
#include <string_view>

#include "exercises/lesson.hpp"
#include "lab/usage_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whybits;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const course::Lesson lesson = course::parse_lesson(text, "fuzz");
    if (lesson.tasks.empty()) std::abort();
    for (const course::Task& task : lesson.tasks)
      if (!task.is_code() && course::right_answer(task).empty()) std::abort();
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
