#include "sim/libraries/cublaslt/atlas.hpp"

#include <algorithm>

#include "sim/libraries/cublaslt/atlas_files.hpp"
#include "sim/notation.hpp"

namespace whybits::cublaslt {

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

const Atlas& Atlas::shipped() {
  static const Atlas atlas = [] {
    Atlas made;
    for (const EmbeddedAtlas& file : embedded_atlases()) made.add(file.name, file.text);
    return made;
  }();
  return atlas;
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
  return *entries_.insert(place, Entry{key, {}});
}

std::span<const Choice> Atlas::choices(const AtlasKey& key) const {
  const auto place = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
  if (place == entries_.end() || place->key != key) return {};
  return place->choices;
}

const Choice* Atlas::find(const AtlasKey& key, std::uint64_t m) const {
  const std::span<const Choice> list = choices(key);
  const auto after = std::ranges::upper_bound(list, m, {}, &Choice::first_m);
  if (after == list.begin()) return nullptr;
  const Choice& choice = *std::prev(after);
  return m <= choice.last_m ? &choice : nullptr;
}

std::vector<TopologyRun> Atlas::topology_runs(const AtlasKey& key) const {
  std::vector<TopologyRun> runs;
  for (const Choice& choice : choices(key)) {
    auto topology = choice.topology(key, choice.first_m);
    const auto* none = std::get_if<NoRule>(&topology);
    std::string text =
        none ? "no rule: " + none->why : cublaslt::text_of(std::get<Topology>(topology));
    if (!runs.empty() && runs.back().last_m + 1 == choice.first_m && runs.back().text == text)
      runs.back().last_m = choice.last_m;
    else
      runs.push_back({choice.first_m, choice.last_m, std::move(topology), std::move(text)});
  }
  return runs;
}

}  // namespace whybits::cublaslt
