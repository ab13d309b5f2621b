#include "lab/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lab/usage_error.hpp"

namespace whybits {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to(const char* what, const fs::path& path) {
  throw UsageError(fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(errno)),
                   "check the path and its permissions");
}

/// Removes the temporary file unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void release() { path_.clear(); }

 private:
  fs::path path_;
};

}  // namespace

std::ifstream open_for_reading(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UsageError(fmt::format("{}: no such file", path.string()), "check the path");
  if (!fs::is_regular_file(path, error))
    throw UsageError(fmt::format("{}: not a regular file", path.string()), "name a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_to("read", path);
  return file;
}

std::uint64_t stream_size(std::istream& stream) {
  stream.seekg(0, std::ios::end);
  const auto end = stream.tellg();
  stream.seekg(0, std::ios::beg);
  return end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

std::string read_text_file(const fs::path& path, std::uint64_t limit) {
  std::ifstream file = open_for_reading(path);
  const std::uint64_t size = stream_size(file);
  if (size > limit)
    throw UsageError(fmt::format("{}: {} is more than the limit of {}", path.string(),
                                 human_bytes(size), human_bytes(limit)));
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) fail_to("read", path);
  return text;
}

std::vector<std::uint8_t> read_sized_file(const fs::path& path, std::uint64_t expected) {
  std::ifstream file = open_for_reading(path);
  const std::uint64_t size = stream_size(file);
  if (size != expected)
    throw UsageError(
        fmt::format("{}: the file has {} bytes, {} are needed", path.string(), size, expected),
        "check the shape and the format: raw words, little endian, nothing else");
  std::vector<std::uint8_t> bytes(size);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    fail_to("read", path);
  return bytes;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  // The process id keeps two writers of one file apart; the last rename wins, whole.
  TemporaryFile temporary(path.string() + fmt::format(".{}.tmp", ::getpid()));
  {
    std::ofstream file(temporary.path(), std::ios::binary | std::ios::trunc);
    if (!file) fail_to("write", path);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.flush();
    if (!file) fail_to("write", path);
  }
  std::error_code error;
  fs::rename(temporary.path(), path, error);
  if (error)
    throw UsageError(fmt::format("{}: cannot write: {}", path.string(), error.message()),
                     "check the path and its permissions");
  temporary.release();
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace whybits
