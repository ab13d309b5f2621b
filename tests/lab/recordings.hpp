// The recordings in tests/recordings, and what verify counts on them as approved texts have it.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "lab/files.hpp"
#include "lab/operation_recording.hpp"
#include "lab/verify.hpp"

namespace whybits::test {

/// Those whose names begin so, sorted; in a folder below if it is named ("/operations").
inline std::set<std::filesystem::path> recordings(const std::string& prefix,
                                                  const std::string& below = "") {
  std::set<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(WHYBITS_SOURCE_DIR "/tests/recordings" + below))
    if (entry.path().filename().string().starts_with(prefix)) files.insert(entry.path());
  return files;
}

inline OperationRecording read_operations(const std::filesystem::path& file) {
  return parse_operation_recording(read_text_file(file, largest_recording_bytes),
                                   file.filename().string());
}

/// "nccl-…: 1000 outputs, 0 wrong" and a line for each control.
inline std::string counts_text(const std::string& name, const Verification& v) {
  std::string text = name + ": " + std::to_string(v.compared) + " outputs, " +
                     std::to_string(v.wrong) + " wrong\n";
  for (const ControlCount& control : v.controls)
    text += "  " + control.name + ": " + std::to_string(control.wrong) + "\n";
  return text;
}

}  // namespace whybits::test
