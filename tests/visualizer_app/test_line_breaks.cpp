#include "tests/support/catch.hpp"
#include "visualizer/draw/canvas.hpp"

using whybits::viz::may_break;

TEST_CASE("a line ends after a space or an ideograph, not within a Latin word") {
  CHECK(may_break(" ", "w"));
  CHECK(may_break("舍", "入"));
  CHECK(may_break("。", "精"));
  CHECK_FALSE(may_break("w", "o"));
  CHECK_FALSE(may_break("8", "。"));
}

TEST_CASE("no line begins with a mark that closes, or ends with one that opens") {
  for (const char* closing : {"，", "。", "；", "：", "）", "》", "”", "…"}) {
    CAPTURE(closing);
    CHECK_FALSE(may_break("入", closing));
  }
  for (const char* opening : {"（", "《", "“"}) {
    CAPTURE(opening);
    CHECK_FALSE(may_break(opening, "位"));
    CHECK(may_break("位", opening));
  }
}
