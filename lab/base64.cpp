#include "lab/base64.hpp"

#include <array>

namespace whybits {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t not_a_digit = 64;

constexpr std::array<std::uint8_t, 256> make_digit_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(not_a_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}
constexpr auto digit_of = make_digit_table();

}  // namespace

std::string base64_encode(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < given ? bytes[i + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= given ? alphabet[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::uint64_t size = base64_decoded_size(text);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(size);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t wanted = std::min<std::uint64_t>(3, size - bytes.size());
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      // Only the last group has fewer than four digits; base64_decoded_size counted its '='.
      const std::uint8_t digit =
          j <= wanted ? digit_of[static_cast<std::uint8_t>(text[i + j])] : std::uint8_t{0};
      if (digit == not_a_digit) return std::nullopt;
      group = group << 6 | digit;
    }
    const std::uint32_t unused = group & ((1u << (24 - 8 * wanted)) - 1);
    if (unused != 0) return std::nullopt;
    for (std::size_t j = 0; j < wanted; ++j)
      bytes.push_back(static_cast<std::uint8_t>(group >> (16 - 8 * j)));
  }
  return bytes;
}

}  // namespace whybits
