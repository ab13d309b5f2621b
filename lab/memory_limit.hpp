// Sizes are refused before anything is allocated, with the bytes that they would need.
#pragma once

#include <cstdint>
#include <string>

#include "sim/saturating.hpp"  // whoever adds up what it needs

namespace whybits {

/// What one command may take, unless it says otherwise.
inline constexpr std::uint64_t memory_limit = std::uint64_t{8} << 30;

/// "12,884,901,888 bytes (12.0 GiB)"; "more than 2^64 bytes".
std::string bytes_text(std::uint64_t bytes);

/// Throws UsageError "WHAT would need … bytes of memory; … are allowed" with the remedy if `bytes`
/// is above `limit`.
void require_memory(const std::string& what, std::uint64_t bytes, const std::string& remedy,
                    std::uint64_t limit = memory_limit);

}  // namespace whybits
