// How a row of a library's table is known.
#pragma once

#include <string_view>

namespace whybits {

inline constexpr std::string_view read_in_source = "read in source";
inline constexpr std::string_view recorded_on_h200 = "recorded on an H200";

}  // namespace whybits
