#include "lab/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation.hpp"

namespace whybits {

Format format_option(const std::string& option, const std::string& text) {
  if (const auto format = parse_format(text)) return *format;
  std::vector<std::string> names;
  for (const NamedFormat& f : named_formats()) names.emplace_back(f.name);
  const auto near = nearest_name(text, names);
  throw UsageError(
      fmt::format("{}: unknown format '{}'{}", option, text,
                  near ? "; did you mean " + *near + "?" : ""),
      fmt::format("formats: {}, or eXmY with 2 ≤ X ≤ 11 and 1 ≤ Y ≤ 52", fmt::join(names, " ")));
}

Rounding rounding_option(const std::string& option, const std::string& text) {
  if (const auto rounding = parse_rounding(text)) return *rounding;
  std::vector<std::string> names;
  for (const Rounding rounding : all_roundings) names.emplace_back(rounding_name(rounding));
  const auto near = nearest_name(text, names);
  throw UsageError(
      fmt::format("{}: unknown rounding '{}'{}", option, text,
                  near ? "; did you mean " + *near + "?" : ""),
      fmt::format("roundings: {} (short: rne rna rz ru rd ro)", fmt::join(names, " ")));
}

SchemaPtr topology_option(const std::string& option, const std::string& text) {
  try {
    auto parsed = parse_notation(text);
    if (const auto* schema = std::get_if<SchemaPtr>(&parsed)) return *schema;
  } catch (const NotationError& error) {
    throw UsageError(option + " cannot be read\n" + error.pointed(), "see docs/notation.md");
  }
  throw UsageError(
      option +
      ": a map gives regions of an output their topologies; this command takes one topology");
}

std::optional<Conversion> leaf_option(const std::string& option, const std::string& text) {
  constexpr std::string_view product = "product";
  constexpr std::string_view blanks = " \t";
  std::string_view rest = text;
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  if (rest.starts_with(product)) {
    rest.remove_prefix(product.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty()) return std::nullopt;
    if (rest[0] == '>') {
      try {
        return parse_conversion(rest.substr(1));
      } catch (const NotationError& error) {
        throw UsageError(fmt::format("{} '{}': {}", option, text, error.what()));
      }
    }
  }
  throw UsageError(option + ": '" + text + "' is not a leaf",
                   "write product, or 'product > f32' with a format");
}

std::uint64_t checked_product(const std::string& what, std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (__builtin_mul_overflow(a, b, &product) || product > most)
    throw UsageError(fmt::format("{}: {} × {} elements are more than 2^62", what, a, b));
  return product;
}

}  // namespace whybits
