// Any text either is refused with UsageError or is a session that writes and reads back the same.
#include <cstdlib>
#include <string_view>

#include "lab/usage_error.hpp"
#include "visualizer/model/session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whybits;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const viz::Session session = viz::parse_session(text, "fuzz");
    const std::string written = viz::session_text(session);
    if (!(viz::parse_session(written, "again") == session)) std::abort();
    static_cast<void>(viz::command_line(session.state));
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
