// What a person feels. Processor time, so that a busy machine does not decide; the limits leave a
// factor of five and more.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "tests/support/catch.hpp"
#include "visualizer/model/session.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"

using namespace whybits;
using namespace whybits::viz;

namespace {

template <class Work>
double milliseconds(Work work) {
  const std::clock_t begin = std::clock();
  work();
  return 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Of three runs the fastest: what others do to the caches is not ours.
template <class Work>
double fastest(Work work) {
  return std::min({milliseconds(work), milliseconds(work), milliseconds(work)});
}

}  // namespace

TEST_CASE("a slider move on the 4096 × 14336 layer takes less than 200 ms", "[.full]") {
  GemmModel model;
  GemmState state = std::get<GemmState>(find_preset("batch-64-128").state);
  const double first = milliseconds([&] { REQUIRE(model.compute(state)->valid()); });
  std::printf("first picture: %.0f ms\n", first);
  for (const std::uint64_t batch : {256U, 1024U, 64U, 128U}) {
    state.b.batch = batch;
    const double moved = milliseconds([&] { REQUIRE(model.compute(state)->story); });
    std::printf("B at batch %u: %.1f ms\n", static_cast<unsigned>(batch), moved);
    CHECK(moved < 200);
  }
}

TEST_CASE("the data of a frame of a million leaves takes less than 4 ms anywhere in the zoom",
          "[.full]") {
  SumModel model;
  SumState state = std::get<SumState>(find_preset("million").state);
  for (const char* b : {"slices(1000, fold(f32), fold(f32))", "pairs(f32)",
                        "lanes(256, fold(f32), slices(32, pairs(f32), fold(f32)))"}) {
    state.b = b;
    const auto result = model.compute(state);
    REQUIRE(result->story);
    const AxisModel& axis = result->story->axis;
    double slowest = 0;
    std::size_t most = 0;
    for (double width = 1e6; width >= 8; width /= 2.5)
      for (double first = 0; first + width <= 1e6; first += (1e6 - width) / 4 + 1) {
        AxisQuery query;
        query.first = first;
        query.last = first + width;
        query.columns = 1600;
        std::size_t items = 0;
        slowest = std::max(slowest, fastest([&] {
                             items = 0;
                             const AxisFrame frame = axis_frame(axis, query);
                             for (const Side side : {Side::a, Side::b})
                               for (const AxisItem& item : side == Side::a ? frame.a : frame.b) {
                                 ++items;
                                 if (item.kind == AxisItem::Kind::folded) continue;
                                 items += segments(axis.side(side), item.ribbon, query).size();
                                 items += error_walk(axis.side(side), item.ribbon, query).size();
                               }
                           }));
        most = std::max(most, items);
      }
    std::printf("%s: at most %.2f ms, %zu things to draw\n", b, slowest, most);
    CHECK(slowest < 4);
  }
}
