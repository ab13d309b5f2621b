#include <array>

#include "tests/support/catch.hpp"
#include "visualizer/draw/label_place.hpp"

using namespace whybits::viz;

TEST_CASE("a label stands in the middle unless a line comes too close") {
  CHECK(clear_center(0, 200, 40, {}) == 100);
  CHECK(clear_center(0, 200, 40, std::array{20.F, 180.F}) == 100);
  CHECK(clear_center(0, 200, 40, std::array{130.F}) == 100);  // the margin just holds
  CHECK(clear_center(0, 200, 40, std::array{125.F}) == 95);   // to the nearer side
  CHECK(clear_center(0, 200, 40, std::array{75.F}) == 105);
  CHECK(clear_center(0, 200, 40, std::array{90.F, 105.F}) == 135);  // beside both
}

TEST_CASE("a label without a clear place stays in the middle") {
  CHECK(clear_center(0, 60, 40, std::array{30.F}) == 30);
}
