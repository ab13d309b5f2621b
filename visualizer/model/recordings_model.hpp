// The recordings browser: what hardware gave, against the prediction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/verify.hpp"

namespace whybits::viz {

enum class RecordingState : std::uint8_t {
  unread,      ///< listed
  refused,     ///< not a recording: `message`
  unchecked,   ///< read
  every_bit,   ///< green
  differs,     ///< red
  not_checked  ///< no model for it
};

struct RecordingRow {
  std::filesystem::path path;
  std::string name;
  RecordingState state = RecordingState::unread;
  std::string message;
  std::string device, library, kernel, computation, shape, types, topology;
  std::optional<Verification> verification;
};

/// The recordings of a folder by name; unread. An unreadable folder gives none.
std::vector<RecordingRow> list_recordings(const std::filesystem::path& folder);
/// Reads the head of one: everything but the check.
RecordingRow read_recording_row(const std::filesystem::path& path);
/// Replays it and compares every bit.
RecordingRow check_recording(const std::filesystem::path& path, std::stop_token stop = {});

struct RecordingCounts {
  std::size_t all = 0, every_bit = 0, differs = 0, refused = 0, not_checked = 0;
  std::uint64_t outputs = 0;
};
RecordingCounts count(const std::vector<RecordingRow>& rows);

}  // namespace whybits::viz
