#include "lab/named_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {

void refuse_name(std::string_view option, std::string_view value, std::string_view kind,
                 const std::vector<std::string>& names, std::string_view also) {
  const std::optional<std::string> nearest = nearest_name(value, names);
  throw UsageError(fmt::format("{} {}: there is no such {}{}", option, value, kind,
                               nearest ? fmt::format(". Did you mean {}?", *nearest) : "."),
                   fmt::format("Allowed: {}{}.", fmt::join(names, ", "), also));
}

Format format_option(std::string_view option, std::string_view name) {
  if (const std::optional<Format> format = parse_format(name)) return *format;
  std::vector<std::string> names;
  for (const NamedFormat& named : named_formats()) names.emplace_back(named.name);
  refuse_name(option, name, "format", names,
              ", or eXmY with 2 to 11 exponent and 1 to 52 fraction bits");
}

Rounding rounding_option(std::string_view option, std::string_view name) {
  if (const std::optional<Rounding> rounding = parse_rounding(name)) return *rounding;
  std::vector<std::string> names;
  for (const Rounding rounding : all_roundings) names.emplace_back(rounding_name(rounding));
  refuse_name(option, name, "rounding", names, " (short: rne, rna, rz, ru, rd, ro)");
}

}  // namespace whybits
