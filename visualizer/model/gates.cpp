#include "visualizer/model/gates.hpp"

#include <algorithm>

#include "sim/notation.hpp"
#include "visualizer/model/pair_story.hpp"

namespace whybits::viz {
namespace {

// What an H200 answered. Between batches that were asked nothing is known.
constexpr const char* slices_4 = "slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16";
constexpr const char* slices_2 = "slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16";
constexpr const char* chain = "fold(sm90.wgmma.bf16) > bf16";
constexpr const char* chain_f16 = "fold(sm90.wgmma.f16) > f16";
constexpr const char* slices_6_f16 = "slices(2432, fold(sm90.wgmma.f16), fold(f32)) > f16";
constexpr const char* slices_4_f16 = "slices(3584, fold(sm90.wgmma.f16), fold(f32)) > f16";
constexpr const char* slices_2_f16 = "slices(7168, fold(sm90.wgmma.f16), fold(f32)) > f16";

struct Point {
  std::uint64_t batch;
  const char* topology;
  Evidence evidence;
  const char* recording;
};

/// What lies between two batches that were asked.
GateSegment gap(std::uint64_t first, const Point& end, const GateSegment& before) {
  if (before.topology != end.topology)
    return {first, end.batch - 1, "", {"label.not_recorded", {}}, 0, Evidence::not_recorded, ""};
  GateSegment between = before;
  between.first = first;
  between.last = end.batch - 1;
  between.evidence = Evidence::between;
  between.recording.clear();
  return between;
}

/// Batches that were asked, from 1 upward, as a strip without gaps.
std::vector<GateSegment> strip(std::uint64_t k, const std::vector<Point>& points) {
  std::vector<GateSegment> out;
  std::vector<std::string> trees;
  std::uint64_t next = 1;
  for (const Point& point : points) {
    if (point.batch > next) out.push_back(gap(next, point, out.back()));
    const auto found = std::find(trees.begin(), trees.end(), point.topology);
    const auto tree = static_cast<std::size_t>(found - trees.begin());
    if (found == trees.end()) trees.emplace_back(point.topology);
    out.push_back({point.batch, point.batch, point.topology,
                   topology_name(*parse_topology(point.topology), k), tree, point.evidence,
                   point.recording});
    next = point.batch + 1;
  }
  return out;
}

std::vector<Layer> make_layers() {
  using enum Evidence;
  const std::string library = "cuBLAS 13.1.0, NVIDIA H200";
  std::vector<Layer> out;
  out.push_back({"llama-3-8b.down_proj", "Llama-3-8B down projection", library, 4096, 14336, "bf16",
                 strip(14336, {{1, slices_4, recorded, "cublas-bf16-m1-n4096-k14336.json"},
                               {8, slices_4, measured, ""},
                               {16, slices_4, measured, ""},
                               {64, slices_4, measured, ""},
                               {128, slices_2, recorded, "cublas-bf16-m128-n4096-k14336.json"},
                               {256, slices_2, measured, ""},
                               {1024, chain, recorded, "cublas-bf16-m1024-n4096-k14336.json"},
                               {4096, chain, measured, ""}})});
  out.push_back({"llama-3-8b.down_proj.f16", "Llama-3-8B down projection in f16", library, 4096,
                 14336, "f16",
                 strip(14336, {{1, slices_6_f16, measured, ""},
                               {8, slices_6_f16, measured, ""},
                               {16, slices_4_f16, measured, ""},
                               {64, slices_4_f16, measured, ""},
                               {128, slices_2_f16, measured, ""},
                               {256, slices_2_f16, measured, ""},
                               {1024, chain_f16, measured, ""},
                               {4096, chain_f16, measured, ""}})});
  out.push_back({"llama-3-8b.qkv_proj", "Llama-3-8B QKV projection", library, 6144, 4096, "bf16",
                 strip(4096, {{1, chain, measured, ""},
                              {8, chain, measured, ""},
                              {16, chain, measured, ""},
                              {64, chain, measured, ""},
                              {128, chain, measured, ""},
                              {256, chain, measured, ""},
                              {1024, chain, measured, ""},
                              {4096, chain, measured, ""}})});
  return out;
}

bool known(const GateSegment& segment) {
  return segment.evidence != Evidence::not_recorded;
}

}  // namespace

const GateSegment& Layer::at(std::uint64_t batch) const {
  for (const GateSegment& segment : segments)
    if (batch <= segment.last) return segment;
  return segments.back();
}

std::uint64_t Layer::nearest_known(std::uint64_t batch) const {
  std::uint64_t best = 0, best_distance = 0;
  for (const GateSegment& segment : segments) {
    if (!known(segment)) continue;
    const std::uint64_t here = std::clamp(batch, segment.first, segment.last);
    const std::uint64_t distance = here > batch ? here - batch : batch - here;
    if (best != 0 && distance >= best_distance) continue;
    best = here;
    best_distance = distance;
  }
  return best;
}

std::uint64_t Layer::next_change(std::uint64_t batch, int direction) const {
  const std::uint64_t start = nearest_known(batch);
  const std::string& topology = at(start).topology;
  const auto other = [&](const GateSegment& segment) {
    return known(segment) && segment.topology != topology;
  };
  if (direction > 0) {
    for (const GateSegment& segment : segments)
      if (segment.first > start && other(segment)) return segment.first;
  } else {
    for (std::size_t i = segments.size(); i-- > 0;)
      if (segments[i].last < start && other(segments[i])) return segments[i].last;
  }
  return start;
}

std::size_t Layer::trees() const {
  std::size_t most = 0;
  for (const GateSegment& segment : segments)
    if (known(segment)) most = std::max(most, segment.tree + 1);
  return most;
}

const std::vector<Layer>& layers() {
  static const std::vector<Layer> all = make_layers();
  return all;
}

const Layer* find_layer(std::string_view name) {
  const auto found = std::find_if(layers().begin(), layers().end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  return found == layers().end() ? nullptr : &*found;
}

}  // namespace whybits::viz
