// The choice atlas: what cuBLASLt chose for a layer at each batch size, recorded on a device and
// shipped as data (atlas/*.tsv). Where nothing was recorded it answers so; it never interpolates.
//
// A row covers the batch sizes first_m … last_m of one (n, k, layout, types). It has either the
// fields that the library reported, from which the rules derive the topology, or a topology that
// the bits were compared with. docs/cublaslt.md says how to record more of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/libraries/cublaslt/rules.hpp"

namespace whybits::cublaslt {

/// A layer of Llama-3-8B: y[m][n] = x[m][k] · w[k][n], m the number of tokens.
struct Layer {
  std::string_view name;
  std::uint64_t n, k;
};
inline constexpr Layer layers[] = {
    {"qkv", 6144, 4096}, {"o", 4096, 4096}, {"gate-up", 28672, 4096}, {"down", 4096, 14336}};
const Layer* find_layer(std::string_view name);

struct AtlasKey {
  std::uint64_t n = 0, k = 0;
  StorageB storage_b = StorageB::kn;
  TypeKind types = TypeKind::bf16;
  auto operator<=>(const AtlasKey&) const = default;
};
/// "n 4096, k 14336, NN, bf16".
std::string text_of(const AtlasKey& key);

/// One row: equal choice for first_m ≤ m ≤ last_m.
struct Choice {
  std::uint64_t first_m = 0, last_m = 0;
  std::optional<Algorithm> algorithm;  ///< what the library reported
  SchemaPtr measured;                  ///< what the bits were compared with; null: by the rules
  std::string evidence;
  std::size_t file = 0;  ///< index in Atlas::files

  /// Of a problem that this row covers; by the rules, or as measured.
  std::variant<Topology, NoRule> topology(const AtlasKey& key, std::uint64_t m) const;
};

/// Where and with what the rows of one file were recorded.
struct AtlasFile {
  std::string name, device, capability, library, settings;
};

/// Consecutive batch sizes with equal topology; gaps that nobody recorded lie between runs.
struct TopologyRun {
  std::uint64_t first_m = 0, last_m = 0;
  std::variant<Topology, NoRule> topology;
  std::string text;  ///< the topology, or "no rule: …"
};

class AtlasError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Atlas {
 public:
  /// The data that comes with the program.
  static const Atlas& shipped();
  /// Errors: AtlasError "NAME: line N: …".
  void add(std::string_view name, std::string_view text);

  std::vector<AtlasKey> keys() const;
  /// Of one key, ascending; empty if the atlas does not have it.
  std::span<const Choice> choices(const AtlasKey& key) const;
  /// The row that covers m, or null: not in the atlas. O(log rows).
  const Choice* find(const AtlasKey& key, std::uint64_t m) const;
  /// Equal topologies joined, rows that do not touch kept apart. Topologies that depend on m
  /// (kernels that cut some tiles) are taken at first_m.
  std::vector<TopologyRun> topology_runs(const AtlasKey& key) const;
  const AtlasFile& file(const Choice& choice) const { return files_[choice.file]; }

 private:
  struct Entry {
    AtlasKey key;
    std::vector<Choice> choices;
  };
  Entry& entry(const AtlasKey& key);

  std::vector<AtlasFile> files_;
  std::vector<Entry> entries_;  ///< by key, ascending
};

}  // namespace whybits::cublaslt
