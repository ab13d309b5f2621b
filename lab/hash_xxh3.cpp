#include "lab/hash_xxh3.hpp"

#include <xxhash.h>  // header-only: XXH_INLINE_ALL comes from the build

namespace whybits {

std::string xxh3_128_hex(std::span<const std::uint8_t> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace whybits
