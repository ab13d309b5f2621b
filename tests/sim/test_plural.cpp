// One is one: nouns and verbs of messages agree with their number.
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "sim/plural.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

TEST_CASE("nouns agree with their number") {
  CHECK(plural(1, "output") == "output");
  CHECK(plural(0, "output") == "outputs");
  CHECK(plural(2, "entry") == "entries");
  CHECK(plural(2, "day") == "days");
  CHECK(counted_plainly(1, "byte") == "1 byte");
  CHECK(counted_plainly(1000, "byte") == "1000 bytes");
  CHECK(there_are(1, "addend") == "there is 1 addend");
  CHECK(there_are(2, "addend") == "there are 2 addends");
}

TEST_CASE("messages about one addend speak of one") {
  const auto expanded = [](const char* text) { return expand(*parse_topology(text), 1); };
  CHECK_THROWS_WITH(expanded("take(0..2, fold(f32))"), contains("there is only 1 addend"));
  CHECK_THROWS_WITH(expanded("order(1 0, fold(f32))"), contains("but there is 1 addend"));
  CHECK_THROWS_WITH(expanded("cut(2, fold(f32), fold(f32))"), contains("beyond the 1 addend"));
  CHECK_THROWS_WITH(expanded("tree(f32, (0 1))"), contains("lists 2 addends, but there is 1;"));
}
