#include "sim/plural.hpp"

namespace whybits {

std::string plural(std::uint64_t count, std::string_view noun) {
  std::string text(noun);
  if (count == 1 || noun.empty()) return text;
  const bool consonant_y =
      noun.size() > 1 && noun.back() == 'y' &&
      std::string_view("aeiou").find(noun[noun.size() - 2]) == std::string_view::npos;
  if (!consonant_y) return text + "s";
  text.pop_back();
  return text + "ies";
}

std::string counted_plainly(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + plural(count, noun);
}

std::string there_are(std::uint64_t count, std::string_view noun) {
  return (count == 1 ? "there is " : "there are ") + counted_plainly(count, noun);
}

}  // namespace whybits
