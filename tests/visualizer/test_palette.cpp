#include "tests/support/property.hpp"
#include "visualizer/model/palette.hpp"

using namespace whybits::viz;
using whybits::test::for_all;
using whybits::test::Random;

namespace {

const std::vector<std::string> commands{"Go to next difference", "Toggle dark theme",
                                        "Export outputs as CSV", "Export panel as PNG",
                                        "Copy command line",     "Open preset: batch-64-128"};

}  // namespace

TEST_CASE("letters at the beginnings of words find a command first") {
  CHECK(match_commands("ccl", commands).at(0).command == 4);
  CHECK(match_commands("csv", commands).at(0).command == 2);
  CHECK(match_commands("DARK", commands).at(0).command == 1);
  CHECK(match_commands("next diff", commands).at(0).command == 0);
  CHECK(match_commands("128", commands).at(0).command == 5);
  CHECK(match_commands("xyzzy", commands).empty());
}

TEST_CASE("an empty query gives all commands in their order") {
  const auto all = match_commands("", commands);
  REQUIRE(all.size() == commands.size());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].command == i);
}

TEST_CASE("matched places are the query's letters in order") {
  for_all(300, [](Random& random) {
    std::string text, query;
    for (std::uint64_t i = random.below(12); i > 0; --i) text += random.pick(std::string("abAB -"));
    for (std::uint64_t i = random.below(5); i > 0; --i) query += random.pick(std::string("abAB"));
    const auto found = match_commands(query, std::vector<std::string>{text});
    const auto lower = [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); };
    std::size_t placed = 0;  // greedily: is it a subsequence?
    for (const char c : text)
      if (placed < query.size() && lower(c) == lower(query[placed])) ++placed;
    REQUIRE(found.empty() == (placed < query.size()));
    if (found.empty()) return;
    REQUIRE(found[0].places.size() == query.size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      CHECK(lower(text[found[0].places[i]]) == lower(query[i]));
      if (i > 0) CHECK(found[0].places[i] > found[0].places[i - 1]);
    }
  });
}
