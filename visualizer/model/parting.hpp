// Two names that begin alike, where only a part of each has room: what tells them apart stays.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace whybits::viz {

/// How many bytes both begin with in common; never within a character.
std::size_t common_start(std::string_view a, std::string_view b);

/// Both without what they begin with in common, but for the words around the place where they
/// part: "…pairs(f32)), …pairs(f32)) > f32". As they are where they have little in common.
std::pair<std::string, std::string> without_common_start(std::string_view a, std::string_view b);

}  // namespace whybits::viz
