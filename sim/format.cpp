#include "sim/format.hpp"

#include <charconv>

namespace whybits {

const std::vector<NamedFormat>& named_formats() {
  static const std::vector<NamedFormat> table = {
      {"f64", formats::f64},   {"f32", formats::f32},   {"tf32", formats::tf32},
      {"f16", formats::f16},   {"bf16", formats::bf16}, {"e5m2", formats::e5m2},
      {"e4m3", formats::e4m3}, {"e3m2", formats::e3m2}, {"e2m3", formats::e2m3},
      {"e2m1", formats::e2m1},
  };
  return table;
}

const std::vector<NamedFormat>& scale_formats() {
  static const std::vector<NamedFormat> table = {{"e8m0", formats::e8m0}};
  return table;
}

std::string format_name(const Format& format) {
  for (const std::vector<NamedFormat>* table : {&named_formats(), &scale_formats()})
    for (const NamedFormat& named : *table)
      if (named.format == format) return std::string(named.name);
  return "e" + std::to_string(format.exponent_bits) + "m" + std::to_string(format.fraction_bits);
}

namespace {

/// A decimal number without sign or leading zero at the front of `text`, which it consumes.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || text.front() < '1' || text.front() > '9') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return value;
}

bool take_letter(std::string_view& text, char letter) {
  if (text.empty() || text.front() != letter) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  for (const std::vector<NamedFormat>* table : {&named_formats(), &scale_formats()})
    for (const NamedFormat& named : *table)
      if (named.name == name) return named.format;

  if (!take_letter(name, 'e')) return std::nullopt;
  const std::optional<int> exponent_bits = take_number(name);
  if (!exponent_bits || !take_letter(name, 'm')) return std::nullopt;
  const std::optional<int> fraction_bits = take_number(name);
  if (!fraction_bits || !name.empty()) return std::nullopt;
  if (*exponent_bits < 2 || *exponent_bits > 11 || *fraction_bits > 52) return std::nullopt;
  return Format{*exponent_bits, *fraction_bits, Specials::ieee};
}

bool widens_exactly(const Format& from, const Format& to) {
  if (from.has_infinity() && !to.has_infinity()) return false;
  if (from.has_nan() && !to.has_nan()) return false;
  if (from.is_signed && !to.is_signed) return false;
  if (from.has_zero && !to.has_zero) return false;
  if (from.fraction_bits > to.fraction_bits) return false;
  if (from.quantum_exponent() < to.quantum_exponent()) return false;
  if (from.max_exponent() != to.max_exponent()) return from.max_exponent() < to.max_exponent();
  // Equal top binades: `nan_only` lacks the last value of its binade, which `from` may have.
  return to.specials != Specials::nan_only || from.specials == Specials::nan_only ||
         from.fraction_bits < to.fraction_bits;
}

}  // namespace whybits
