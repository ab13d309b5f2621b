#include "visualizer/model/gates.hpp"

#include <algorithm>

#include "sim/libraries/cublaslt/atlas.hpp"
#include "sim/notation.hpp"
#include "visualizer/model/pair_story.hpp"

namespace whybits::viz {
namespace {

/// A strip: a layer of the choice atlas in one type, B stored as torch.mm has it.
struct StripRow {
  const char* name;
  const char* title;
  const char* layer;
  cublaslt::TypeKind types;
};
constexpr StripRow strip_rows[] = {
    {"llama-3-8b.down_proj", "Llama-3-8B down projection", "down", cublaslt::TypeKind::bf16},
    {"llama-3-8b.down_proj.f16", "Llama-3-8B down projection in f16", "down",
     cublaslt::TypeKind::f16},
    {"llama-3-8b.qkv_proj", "Llama-3-8B QKV projection", "qkv", cublaslt::TypeKind::bf16}};

/// Batches first … last that were asked.
struct Point {
  std::uint64_t first, last;
  std::string topology;
  std::string recording;  ///< empty: bits were compared, but are not kept
};

/// What the atlas has with one topology for every output; else the strip shows a gap. Neighbours
/// with equal topology are one.
std::vector<Point> choices_of(const cublaslt::AtlasKey& key) {
  std::vector<Point> out;
  for (const cublaslt::Choice& choice : cublaslt::Atlas::shipped(key.types).choices(key)) {
    const auto derived = choice.topology(key, choice.first_m);
    const auto* topology = std::get_if<cublaslt::Topology>(&derived);
    if (!topology || !std::holds_alternative<SchemaPtr>(*topology)) continue;
    std::string text = cublaslt::text_of(*topology);
    if (!out.empty() && out.back().last + 1 == choice.first_m && out.back().topology == text)
      out.back().last = choice.last_m;
    else
      out.push_back({choice.first_m, choice.last_m, std::move(text), ""});
  }
  return out;
}

/// Batches of which a recording shows the same topology stand alone.
std::vector<Point> points_of(const cublaslt::AtlasKey& key) {
  constexpr std::string_view recorded = "recorded: ";
  std::vector<Point> out;
  const auto points = cublaslt::Atlas::shipped(key.types).points(key);
  for (Point rest : choices_of(key)) {
    for (const cublaslt::Choice& point : points) {
      if (point.first_m < rest.first || point.last_m > rest.last) continue;
      if (!point.evidence.starts_with(recorded)) continue;
      const auto shown = point.topology(key, point.first_m);
      const auto* topology = std::get_if<cublaslt::Topology>(&shown);
      if (!topology || cublaslt::text_of(*topology) != rest.topology) continue;
      if (point.first_m > rest.first)
        out.push_back({rest.first, point.first_m - 1, rest.topology, ""});
      out.push_back(
          {point.first_m, point.last_m, rest.topology, point.evidence.substr(recorded.size())});
      rest.first = point.last_m + 1;
    }
    if (rest.first <= rest.last) out.push_back(std::move(rest));
  }
  return out;
}

/// What lies between two batches that were asked, or before the first.
GateSegment gap(std::uint64_t first, const Point& end, const std::vector<GateSegment>& before) {
  if (before.empty() || before.back().topology != end.topology)
    return {first, end.first - 1, "", {"label.not_recorded", {}}, 0, Evidence::not_recorded, ""};
  GateSegment between = before.back();
  between.first = first;
  between.last = end.first - 1;
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
    if (point.first > next) out.push_back(gap(next, point, out));
    const auto found = std::find(trees.begin(), trees.end(), point.topology);
    const auto tree = static_cast<std::size_t>(found - trees.begin());
    if (found == trees.end()) trees.emplace_back(point.topology);
    out.push_back(
        {point.first, point.last, point.topology, topology_name(*parse_topology(point.topology), k),
         tree, point.recording.empty() ? Evidence::measured : Evidence::recorded, point.recording});
    next = point.last + 1;
  }
  return out;
}

std::vector<Layer> make_layers() {
  std::vector<Layer> out;
  for (const StripRow& row : strip_rows) {
    const cublaslt::Layer& layer = *cublaslt::find_layer(row.layer);
    const cublaslt::AtlasKey key{layer.n, layer.k, cublaslt::StorageB::kn, row.types};
    const cublaslt::Atlas& atlas = cublaslt::Atlas::shipped(row.types);
    const cublaslt::AtlasFile& file = atlas.file(atlas.choices(key).front());
    out.push_back({row.name, row.title, "cuBLAS " + file.library + ", " + file.device, layer.n,
                   layer.k, std::string(cublaslt::name_of(row.types)),
                   strip(layer.k, points_of(key))});
  }
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
