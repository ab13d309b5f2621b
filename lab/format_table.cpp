#include "lab/format_table.hpp"

#include <fmt/format.h>

#include "lab/decimal.hpp"
#include "lab/number_view.hpp"

namespace whybits {

namespace {

/// "2^-14 ≈ 6.104e-05"; the approximation only where the power says little.
std::string power(int exponent) {
  if (exponent > -4 && exponent < 4) return short_decimal(power_of_two(exponent), 4);
  return fmt::format("2^{} ≈ {}", exponent, short_decimal(power_of_two(exponent), 4));
}

std::string largest(const Format& format) {
  if (format.fraction_bits == 0) return power(format.max_exponent());
  return display_decimal(format, format.max_finite());
}

std::string special_values(const Format& format) {
  if (!format.has_zero) return "NaN (all ones); no sign, no zero";
  switch (format.specials) {
    case Specials::ieee:
      return "infinities, NaN";
    case Specials::nan_only:
      return "NaN (all ones); no infinity";
    case Specials::none:
      return "none: every code is a number";
  }
  return "";
}

}  // namespace

std::string format_table_markdown() {
  std::string text =
      "| format | bits | exponent | fraction | bias | largest | smallest normal | smallest "
      "subnormal "
      "| last place at 1 | special values | stored in |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const std::vector<NamedFormat>* table : {&named_formats(), &scale_formats()})
    for (const auto& [name, format] : *table)
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} bits |\n", name,
                          format.code_bits(), format.exponent_bits, format.fraction_bits,
                          format.bias(), largest(format), power(format.min_exponent()),
                          format.has_zero ? power(format.quantum_exponent()) : "none",
                          power(-format.fraction_bits), special_values(format), format.word_bits());
  return text;
}

}  // namespace whybits
