#include <algorithm>
#include <set>

#include "lab/ribbons.hpp"
#include "tests/visualizer/random_pair.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

void check_structure(const Trace& trace, const Ribbons& ribbons) {
  std::vector<int> seen(trace.nodes.size());
  for (std::size_t r = 0; r < ribbons.size(); ++r) {
    const Ribbon& ribbon = ribbons.ribbons[r];
    REQUIRE(ribbon.begin < ribbon.end);
    REQUIRE(ribbon.first_below <= r);
    const auto steps = ribbons.steps(r);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ++seen[static_cast<std::size_t>(steps[i])];
      CHECK(ribbons.ribbon_of[static_cast<std::size_t>(steps[i])] == r);
      // Steps of a ribbon follow one another.
      if (i > 0) CHECK(trace.nodes[static_cast<std::size_t>(steps[i - 1])].parent == steps[i]);
    }
    const TraceNode& last = trace.nodes[static_cast<std::size_t>(steps.back())];
    CHECK(ribbon.joins == last.parent);
    CHECK(ribbon.leaves.same_leaves(last.leaves));
    if (ribbon.parent >= 0) {
      const Ribbon& parent = ribbons.ribbons[static_cast<std::size_t>(ribbon.parent)];
      CHECK(static_cast<std::size_t>(ribbon.parent) > r);
      CHECK(parent.first_below <= ribbon.first_below);
      CHECK(ribbon.depth == parent.depth + 1);
      const auto inputs = ribbons.inputs(static_cast<std::size_t>(ribbon.parent));
      CHECK(std::count(inputs.begin(), inputs.end(), r) == 1);
    }
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

}  // namespace

TEST_CASE("every step is in exactly one ribbon, and ribbons are chains that nest") {
  for_all(300, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair) return;
    check_structure(pair->a, cut_into_ribbons(pair->a));
    check_structure(pair->b, cut_into_ribbons(pair->b));
  });
}

TEST_CASE("ledger entries of ribbons add up to the trace's ledger, shares to A minus B") {
  int compared = 0;
  for_all(300, [&](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || !pair->divergence.ledger_valid) return;
    const RibbonPair ribbons = cut_into_ribbons(pair->a, pair->b, pair->divergence);
    const auto all = [](const Ribbons& r, auto total) {
      return r.size() == 0 ? Dyadic{} : (r.*total)(0, r.size() - 1);
    };
    CHECK(all(ribbons.a, &Ribbons::discarded) == pair->a.ledger());
    CHECK(all(ribbons.b, &Ribbons::discarded) == pair->b.ledger());
    if (!pair->divergence.same_addends) return;
    const auto value = [](const Trace& t) { return Dyadic::from_code(t.format, t.result); };
    CHECK(all(ribbons.a, &Ribbons::share) + all(ribbons.b, &Ribbons::share) ==
          value(pair->a) - value(pair->b));
    ++compared;
  });
  CHECK(compared > 50);
}

TEST_CASE("totals of consecutive ribbons are sums over their steps") {
  for_all(100, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || pair->a.nodes.empty()) return;
    const Ribbons ribbons = cut_into_ribbons(pair->a, pair->b, pair->divergence).a;
    const std::size_t first = random.below(ribbons.size());
    const std::size_t last = first + random.below(ribbons.size() - first);
    MarkCounts marks;
    Dyadic discarded;
    for (std::size_t i = 0; i < pair->a.nodes.size(); ++i) {
      if (ribbons.ribbon_of[i] < first || ribbons.ribbon_of[i] > last) continue;
      marks.add(pair->divergence.marks_a[i]);
      discarded += pair->a.nodes[i].discarded;
    }
    CHECK(ribbons.marks(first, last) == marks);
    CHECK(ribbons.step_count(first, last) == marks.total());
    CHECK(ribbons.discarded(first, last) == discarded);
  });
}

TEST_CASE("the error so far at the last step is the whole ledger") {
  for_all(200, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || !pair->a.finite || pair->a.nodes.empty()) return;
    CHECK(errors_so_far(pair->a).back() == pair->a.ledger());
  });
}
