#include "lab/memory_limit.hpp"

#include <fmt/format.h>

#include "lab/files.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == most) return "more than 2^64 bytes";
  constexpr std::uint64_t kibibyte = 1024;
  return bytes < kibibyte ? human_bytes(bytes)
                          : fmt::format("{} bytes ({})", grouped(bytes), human_bytes(bytes));
}

void require_memory(const std::string& what, std::uint64_t bytes, const std::string& remedy,
                    std::uint64_t limit) {
  if (bytes <= limit) return;
  throw UsageError(fmt::format("{} would need {} of memory; {} are allowed", what,
                               bytes_text(bytes), human_bytes(limit)),
                   remedy);
}

}  // namespace whybits
