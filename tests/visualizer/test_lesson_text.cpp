// The text of a lesson, taken apart for the panel beside a picture.
#include "tests/support/catch.hpp"
#include "visualizer/model/lesson_text.hpp"

using namespace whybits::viz;
using Kind = LessonBlock::Kind;

TEST_CASE("a lesson's text is headings, paragraphs and code") {
  CHECK(lesson_blocks("1 Bits\n======\n\nA float has 32 bits.\n\n- one\n- two\n\n"
                      "    $ whybits bits 1\n      code\n\nQuestion `whole`\n---\nWhich?\n") ==
        std::vector<LessonBlock>{{Kind::heading, "1 Bits"},
                                 {Kind::paragraph, "A float has 32 bits."},
                                 {Kind::paragraph, "- one"},
                                 {Kind::paragraph, "- two"},
                                 {Kind::code, "$ whybits bits 1\n  code"},
                                 {Kind::heading, "Question `whole`"},
                                 {Kind::paragraph, "Which?"}});
}

TEST_CASE("an empty line inside code belongs to it, behind code it does not") {
  CHECK(lesson_blocks("    a\n\n\n    b\n\nText.\n\n    c\n") ==
        std::vector<LessonBlock>{
            {Kind::code, "a\n\n\nb"}, {Kind::paragraph, "Text."}, {Kind::code, "c"}});
  CHECK(lesson_blocks("").empty());
  CHECK(lesson_blocks("\n\n").empty());
}

TEST_CASE("a line of code that is too long goes on below, and loses nothing") {
  CHECK(broken_lines("0123456789\nab", 10) == "0123456789\nab");
  CHECK(broken_lines("0123456789a\nab", 10) == "0123456789\n  a\nab");
  CHECK(broken_lines("0123456789abcdefghi", 10) == "0123456789\n  abcdefgh\n  i");
  CHECK(broken_lines("└─└─└─└─", 8) == "└─└─└─└─");
  CHECK(broken_lines("└─└─└─└─x", 8) == "└─└─└─└─\n  x");
  CHECK(broken_lines("0123456789", 0) == "01234567\n  89");
}
