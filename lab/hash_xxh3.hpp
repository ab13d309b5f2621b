// The fingerprint of recorded words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace whybits {

/// XXH3's 128-bit hash, seed 0, as 32 lower-case digits in canonical (big-endian) order: what
/// `xxhsum -H128` prints and Python's xxhash.xxh3_128_hexdigest returns.
std::string xxh3_128_hex(std::span<const std::uint8_t> bytes);

}  // namespace whybits
