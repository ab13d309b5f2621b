#include "lab/step_view.hpp"
#include "tests/visualizer/random_pair.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// The number that a row's digits say, read column by column.
Dyadic read_digits(const BitRow& row, int top, int bottom) {
  Dyadic value;
  for (int weight = top; weight >= bottom; --weight)
    if (row.digit(weight) == '1') value += Dyadic(1, weight);
  return row.negative ? -value : value;
}

}  // namespace

TEST_CASE("rows of bits say what a step adds, loses and gives, exactly") {
  int aligned = 0;
  for_all(300, [&](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || pair->a.nodes.empty()) return;
    const auto step = static_cast<std::int64_t>(random.below(pair->a.nodes.size()));
    const TraceNode& node = pair->a.nodes[static_cast<std::size_t>(step)];
    if (!node.finite) return;
    const StepView view = view_step(pair->a, step, pair->leaves->get());
    CAPTURE(view.title);
    Dyadic rows, kept;
    for (const BitRow& row : view.rows) {
      CHECK(read_digits(row, view.top, view.bottom) == row.value);
      rows += row.value;
      kept += row.value + row.cut;
      // What is cut off lies right of the cut.
      if (view.aligned) CHECK(row.cut.abs() < Dyadic(1, view.cut));
    }
    CHECK(read_digits(view.sum, view.top, view.bottom) == kept);
    CHECK(read_digits(view.result, view.top, view.bottom) ==
          Dyadic::from_code(node.format, node.code));
    // Only f32 words in a tf32 unit lose bits before they are products.
    const bool cut_words = view.unit.find("tf32") != std::string::npos;
    if (!cut_words) CHECK(view.entry_discarded.is_zero());
    CHECK(view.result.value - rows == node.discarded - view.entry_discarded);
    CHECK(view.entry_discarded + view.cut_discarded + view.conversion.discarded == view.discarded);
    CHECK(view.discarded == node.discarded);
    aligned += view.aligned ? 1 : 0;
  });
  CHECK(aligned > 40);
}
