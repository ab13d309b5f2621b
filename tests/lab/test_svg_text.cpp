#include "lab/svg_text.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("text in SVG cannot end its element or attribute") {
  CHECK(whybits::svg_text("a < b & \"c\" > d") == "a &lt; b &amp; &quot;c&quot; &gt; d");
}
