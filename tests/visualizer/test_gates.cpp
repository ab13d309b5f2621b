#include <set>

#include "lab/recording.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"
#include "visualizer/model/gates.hpp"

using namespace whybits;
using namespace whybits::viz;

TEST_CASE("gate strips have no gaps, and what was not asked has no topology") {
  for (const Layer& layer : layers()) {
    CAPTURE(layer.name);
    std::uint64_t next = 1;
    for (const GateSegment& segment : layer.segments) {
      CHECK(segment.first == next);
      CHECK(segment.last >= segment.first);
      CHECK((segment.evidence == Evidence::not_recorded) == segment.topology.empty());
      if (!segment.topology.empty()) CHECK_NOTHROW(parse_topology(segment.topology));
      next = segment.last + 1;
    }
    CHECK(find_layer(layer.name) == &layer);
  }
}

TEST_CASE("what a strip calls recorded is what the recording states") {
  int compared = 0;
  for (const Layer& layer : layers())
    for (const GateSegment& segment : layer.segments) {
      CHECK((segment.evidence == Evidence::recorded) == !segment.recording.empty());
      if (segment.recording.empty()) continue;
      const Recording recording = read_recording(std::string(WHYBITS_SOURCE_DIR) +
                                                 "/tests/recordings/" + segment.recording);
      CHECK(recording.shape.m == segment.first);
      CHECK(recording.shape.n == layer.n);
      CHECK(recording.shape.k == layer.k);
      CHECK(recording.topology == segment.topology);
      ++compared;
    }
  CHECK(compared == 3);
}

TEST_CASE("the slider rests on known batches and steps to the next change") {
  const Layer& layer = *find_layer("llama-3-8b.down_proj");
  CHECK(layer.trees() == 4);
  CHECK(layer.at(64).name.key == "label.slices");
  CHECK(layer.at(64).tree == layer.at(1).tree);
  CHECK(layer.at(128).tree != layer.at(64).tree);
  CHECK(layer.at(1024).name.key != "label.slices");
  CHECK(layer.last_batch() == 4096);
  CHECK(layer.nearest_known(100) == 100);
  CHECK(layer.nearest_known(5000) == 4096);
  CHECK(layer.next_change(64, 1) == 105);
  CHECK(layer.next_change(64, -1) == 63);
  CHECK(layer.next_change(1024, 1) == 1024);
}

TEST_CASE("neighbouring segments differ in topology or in what shows it") {
  for (const Layer& layer : layers())
    for (std::size_t i = 1; i < layer.segments.size(); ++i) {
      CAPTURE(layer.name, layer.segments[i].first);
      CHECK((layer.segments[i].topology != layer.segments[i - 1].topology ||
             layer.segments[i].recording != layer.segments[i - 1].recording));
    }
}
