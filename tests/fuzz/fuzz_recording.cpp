// Any text either is refused with UsageError or is a recording that writes and reads back the same.
#include <cstdlib>
#include <string_view>

#include "lab/recording.hpp"
#include "lab/usage_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whybits;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = recording_text(parse_recording(text, "fuzz"));
    if (recording_text(parse_recording(written, "again")) != written) std::abort();
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
