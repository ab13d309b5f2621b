// Any text either is refused with UsageError or is progress that is written and read back the same;
// answers are read from any text, and what is written into it is found there.
#include <cstdlib>
#include <string_view>

#include "exercises/answers.hpp"
#include "exercises/progress.hpp"
#include "lab/usage_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whybits;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (course::read_answers(course::with_answer(text, "task", "2048")).at("task") != "2048")
    std::abort();
  try {
    const std::string written = course::LearnerProgress::parse(text, "fuzz").text();
    if (course::LearnerProgress::parse(written, "again").text() != written) std::abort();
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
