#include "sim/libraries/cublaslt/atlas.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "sim/ceil_div.hpp"
#include "sim/libraries/cublaslt/atlas_files.hpp"
#include "sim/libraries/cublaslt/atlas_scan.hpp"
#include "sim/notation.hpp"

namespace whybits::cublaslt {
namespace {

const Choice* covering(std::span<const Choice> list, std::uint64_t m) {
  const auto after = std::ranges::upper_bound(list, m, {}, &Choice::first_m);
  if (after == list.begin()) return nullptr;
  const Choice& choice = *std::prev(after);
  return m <= choice.last_m ? &choice : nullptr;
}

/// A map is told by its topologies: "tiles of A | B".
std::string run_text(const std::variant<Topology, NoRule>& topology) {
  if (const auto* none = std::get_if<NoRule>(&topology)) return "no rule: " + none->why;
  const auto* map = std::get_if<TopologyMap>(&std::get<Topology>(topology));
  if (!map) return text_of(std::get<Topology>(topology));
  std::vector<std::string> texts;
  for (const MapRegion& region : map->regions) {
    std::string text = print(*region.topology);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  std::ranges::sort(texts);
  std::string all = "tiles of ";
  for (std::size_t i = 0; i < texts.size(); ++i) all += (i == 0 ? "" : " | ") + texts[i];
  return all;
}

}  // namespace

const Layer* find_layer(std::string_view name) {
  const auto found = std::ranges::find(layers, name, &Layer::name);
  return found == std::end(layers) ? nullptr : found;
}

std::string text_of(const AtlasKey& key) {
  return "n " + std::to_string(key.n) + ", k " + std::to_string(key.k) + ", " +
         std::string(layout_names[static_cast<std::size_t>(key.storage_b)]) + ", " +
         std::string(name_of(key.types));
}

std::variant<Topology, NoRule> Choice::topology(const AtlasKey& key, std::uint64_t m) const {
  if (measured) return Topology(measured);
  const Outcome outcome =
      predict(problem_of(key.types, {m, key.n, key.k}, key.storage_b), algorithm.value());
  if (const auto* none = std::get_if<NoRule>(&outcome)) return *none;
  return std::get<Prediction>(outcome).topology;
}

const Atlas& Atlas::shipped(TypeKind types) {
  static std::array<std::once_flag, type_kinds> read;
  static std::array<Atlas, type_kinds> atlases;
  const auto index = static_cast<std::size_t>(types);
  std::call_once(read.at(index), [&] {
    for (const EmbeddedAtlas& file : embedded_atlases()) {
      const std::string_view of = head_value(file.text, "types");
      if (of.empty() || of == name_of(types)) atlases[index].add(file.name, file.text, types);
    }
  });
  return atlases[index];
}

std::vector<AtlasKey> Atlas::keys() const {
  std::vector<AtlasKey> keys;
  keys.reserve(entries_.size());
  for (const Entry& entry : entries_) keys.push_back(entry.key);
  return keys;
}

Atlas::Entry& Atlas::entry(const AtlasKey& key) {
  const auto place = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
  if (place != entries_.end() && place->key == key) return *place;
  return *entries_.insert(place, Entry{key, {}, {}});
}

const Atlas::Entry* Atlas::find_entry(const AtlasKey& key) const {
  const auto place = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
  return place == entries_.end() || place->key != key ? nullptr : &*place;
}

std::span<const Choice> Atlas::choices(const AtlasKey& key) const {
  const Entry* const entry = find_entry(key);
  if (!entry) return {};
  return entry->scan.empty() ? entry->points : entry->scan;
}

std::span<const Choice> Atlas::points(const AtlasKey& key) const {
  const Entry* const entry = find_entry(key);
  if (!entry) return {};
  return entry->points;
}

const Choice* Atlas::find(const AtlasKey& key, std::uint64_t m) const {
  return covering(choices(key), m);
}

const Choice* Atlas::point(const AtlasKey& key, std::uint64_t m) const {
  return covering(points(key), m);
}

std::vector<TopologyRun> Atlas::topology_runs(const AtlasKey& key) const {
  std::vector<TopologyRun> runs;
  for (const Choice& choice : choices(key)) {
    const std::uint64_t step =
        choice.algorithm ? batches_alike(problem_of(key.types, {1, key.n, key.k}, key.storage_b),
                                         *choice.algorithm)
                         : 0;
    for (std::uint64_t first = choice.first_m; first <= choice.last_m;) {
      // Up to the next multiple of the step.
      const std::uint64_t last =
          step == 0 ? choice.last_m : std::min(choice.last_m, ceil_div(first, step) * step);
      auto topology = choice.topology(key, first);
      std::string text = run_text(topology);
      if (!runs.empty() && runs.back().last_m + 1 == first && runs.back().text == text)
        runs.back().last_m = last;
      else
        runs.push_back({first, last, std::move(topology), std::move(text)});
      first = last + 1;
    }
  }
  return runs;
}

}  // namespace whybits::cublaslt
