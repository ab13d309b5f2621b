#include "tests/support/property.hpp"
#include "visualizer/model/undo.hpp"

using whybits::test::for_all;
using whybits::test::Random;
using whybits::viz::History;

TEST_CASE("undo and redo walk through the states in order, whatever is done between") {
  for_all(200, [](Random& random) {
    History<int> history(0, 1000);
    std::vector<int> states{0};  // what was gone through and not undone
    std::size_t here = 0;
    for (int action = 0; action < 200; ++action) {
      const auto which = random.below(3);
      if (which == 0) {
        const int next = static_cast<int>(random.below(5));
        if (next != states[here]) {
          states.resize(here + 1);
          states.push_back(next);
          ++here;
        }
        history.go(next);
      } else if (which == 1) {
        CHECK(history.can_undo() == (here > 0));
        CHECK(history.undo() == (here > 0));
        here -= here > 0 ? 1U : 0U;
      } else {
        CHECK(history.can_redo() == (here + 1 < states.size()));
        CHECK(history.redo() == (here + 1 < states.size()));
        here += here + 1 < states.size() ? 1U : 0U;
      }
      REQUIRE(history.present() == states[here]);
    }
  });
}

TEST_CASE("a gesture is one entry, the next of the same name another") {
  History<int> history(0);
  for (int i = 1; i <= 10; ++i) history.go(i, "drag");
  history.settle();
  for (int i = 11; i <= 20; ++i) history.go(i, "drag");
  CHECK(history.present() == 20);
  CHECK(history.undo());
  CHECK(history.present() == 10);
  CHECK(history.undo());
  CHECK(history.present() == 0);
  CHECK_FALSE(history.can_undo());
}

TEST_CASE("a history keeps the newest states") {
  History<int> history(0, 3);
  for (int i = 1; i <= 10; ++i) history.go(i);
  int undone = 0;
  while (history.undo()) ++undone;
  CHECK(undone == 3);
  CHECK(history.present() == 7);
}
