// Counted nouns in messages, in one place: "1 addend", "2 addends", "1 entry", "2 entries".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace whybits {

/// The noun for so many: "addend", "addends".
std::string plural(std::uint64_t count, std::string_view noun);
/// "1 addend", "2 addends"; digits are not grouped.
std::string counted_plainly(std::uint64_t count, std::string_view noun);
/// "there is 1 addend", "there are 2 addends".
std::string there_are(std::uint64_t count, std::string_view noun);

}  // namespace whybits
