// "Did you mean …": the candidate with the smallest edit distance, if it is close enough.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whybits {

std::optional<std::string> nearest_name(std::string_view text, std::span<const std::string> names);

}  // namespace whybits
