#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

// Approved outputs: what a person has read and found good lies in tests/cli/approved. A change
// shows as a difference; WHYBITS_APPROVE=1 writes the new text, to be read in the diff before it is
// committed.

namespace whybits::test {

/// The approved text of this name, or, with WHYBITS_APPROVE set, the given one after writing it.
inline std::string approved(const std::string& name, const std::string& text) {
  const std::string path = WHYBITS_SOURCE_DIR "/tests/cli/approved/" + name;
  if (std::getenv("WHYBITS_APPROVE") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return text;
  }
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace whybits::test
