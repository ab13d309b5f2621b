// Files, whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace whybits {

/// Opens a regular file for binary reading. Throws UsageError if it is missing or a folder.
std::ifstream open_for_reading(const std::filesystem::path& path);

/// Bytes from the start of a seekable stream to its end; the position returns to the start.
std::uint64_t stream_size(std::istream& stream);

/// A whole file. Throws UsageError before reading if it is larger than `limit` bytes.
std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit);

/// Exactly `expected` bytes. Throws UsageError, before reading, if the file has another size.
std::vector<std::uint8_t> read_sized_file(const std::filesystem::path& path,
                                          std::uint64_t expected);

/// Writes to a temporary name beside `path` and renames it: a reader sees the old file or the new
/// one. Throws UsageError, and leaves no temporary file, if the disk refuses.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// "1.5 GiB", "12 bytes".
std::string human_bytes(std::uint64_t bytes);

}  // namespace whybits
