// Base64 of RFC 4648 §4, with padding, without line breaks: how a recording carries words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whybits {

std::string base64_encode(std::span<const std::uint8_t> bytes);

/// Bytes that a text of this length can decode to at most; nothing is allocated to know it.
constexpr std::uint64_t base64_decoded_size(std::string_view text) {
  if (text.size() < 4) return 0;
  const std::uint64_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return text.size() / 4 * 3 - padding;
}

/// nullopt for a character outside the alphabet, a length that is not a multiple of four, padding
/// in the middle, or padding bits that are not zero: each byte string has exactly one text.
std::optional<std::vector<std::uint8_t>> base64_decode(std::string_view text);

}  // namespace whybits
