// Formats and roundings named by an option. Errors name the option, the value, what is allowed, and
// the nearest name.
#pragma once

#include <string>
#include <string_view>

#include "sim/rounding.hpp"

namespace whybits {

Format format_option(std::string_view option, std::string_view name);      ///< throws UsageError
Rounding rounding_option(std::string_view option, std::string_view name);  ///< throws UsageError

/// "'f17' is not a format" with the nearest of `names`, for any option that takes a name.
[[noreturn]] void refuse_name(std::string_view option, std::string_view value,
                              std::string_view kind, const std::vector<std::string>& names,
                              std::string_view also = "");

}  // namespace whybits
