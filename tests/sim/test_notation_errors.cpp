// What the reader says about mistakes, letter by letter: tests/sim/approved/notation_errors.txt
// has each wrong text with the message that a stranger should find helpful.
#include <fstream>
#include <sstream>

#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

std::string pointed(const std::string& text) {
  try {
    parse_notation(text);
  } catch (const NotationError& error) {
    return error.pointed();
  }
  return "no error";
}

std::size_t column(const std::string& text) {
  try {
    parse_notation(text);
  } catch (const NotationError& error) {
    return error.column();
  }
  return 0;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("Messages are as approved") {
  std::ifstream file(WHYBITS_SOURCE_DIR "/tests/sim/approved/notation_errors.txt");
  REQUIRE(file);
  int blocks = 0;
  std::string text, message;
  while (std::getline(file, text) && std::getline(file, message)) {
    CHECK(pointed(text) == text + "\n" + message);
    ++blocks;
    if (!std::getline(file, text)) break;
    REQUIRE(text.empty());
  }
  CHECK(blocks > 120);
}

TEST_CASE("Columns count characters, whatever their bytes") {
  CHECK(column("fold(f31)") == 6);
  CHECK(column("fold(f32) × 2") == 11);
  CHECK(column("fold(f32) > ×× ") == 13);
  CHECK(column("tree(f32, (0 ×))") == 14);
  CHECK(column("ééé(f32)") == 1);
  CHECK(column("") == 1);
  CHECK(column("\n\nfold(f32") == 11);
  CHECK(pointed("\tfold(f31)") ==
        " fold(f31)\n      ^ column 7: unknown unit 'f31': did you mean f32?");
}

TEST_CASE("Long texts are shown around the place") {
  const std::string front = repeated("reverse(", 30);
  const std::string text = pointed(front + "fold(f31)" + repeated(")", 90));
  CHECK_THAT(text, contains("column 246: unknown unit 'f31'"));
  std::istringstream lines(text);
  std::string shown, caret;
  std::getline(lines, shown);
  std::getline(lines, caret);
  CHECK(shown.substr(0, 3) == "…");
  CHECK(shown.substr(shown.size() - 3) == "…");
  const std::size_t at = caret.find('^');
  CHECK(shown.substr(at + 2, 3) == "f31");  // the ellipsis is one column and three bytes
  CHECK(shown.size() < 120);
}

TEST_CASE("Broken bytes and control characters do no harm in messages") {
  CHECK_THAT(pointed("fold(\xff\xfe)"), contains("fold(?\?)\n     ^ column 6: unknown unit '?\?'"));
  CHECK_THAT(pointed(std::string("fold(f32\0)", 10)), contains("fold(f32 )"));
  CHECK_THAT(pointed("fold(\x1b[31m)"), contains("found ' '"));
}

TEST_CASE("What is too large or too deep is refused at once") {
  CHECK_THAT(pointed(repeated("reverse(", 300) + "fold(f32)" + repeated(")", 300)),
             contains("more than 200 forms and postfixes inside each other"));
  CHECK_THAT(pointed("fold(f32)" + repeated(" > f32", 300)),
             contains("more than 200 forms and postfixes inside each other"));
  std::string both = "fold(f32)";  // neither alone is too deep
  for (int i = 0; i < 3; ++i) both = "reverse(" + both + repeated(" > f32", 99) + ")";
  CHECK_THAT(pointed(both), contains("more than 200 forms and postfixes inside each other"));
  CHECK_THAT(pointed("tree(f32, " + repeated("(", 20'000)),
             contains("more than 10000 lists inside each other"));
  CHECK_THAT(pointed(std::string((1U << 24U) + 1, ' ')),
             contains("this is 16777217 bytes; at most 2^24 are read"));
  CHECK_THAT(pointed("slices(1099511627777, fold(f32), chain)"),
             contains("from 1 to 2^40, not 1099511627777"));
}
