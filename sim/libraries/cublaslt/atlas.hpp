// The choice atlas: what cuBLASLt chose for a layer at each batch size, recorded on a device and
// shipped as data (atlas/*.tsv). Where nothing was recorded it answers so; it never interpolates.
//
// Two kinds of files. *Scans* have, for one type of operands, what the library chose at every batch
// size of some layers: its reported fields, from which the rules derive the topology. *Points* are
// single batch sizes with a topology that the bits were compared with, or with fields of which a
// recording is in tests/recordings. docs/cublaslt.md says how to record more.
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

/// Equal choice for first_m ≤ m ≤ last_m.
struct Choice {
  std::uint64_t first_m = 0, last_m = 0;
  std::optional<Algorithm> algorithm;  ///< what the library reported
  SchemaPtr measured;                  ///< what the bits were compared with; null: by the rules
  std::string evidence;                ///< of a point; empty in scans
  std::size_t file = 0;                ///< index in Atlas::files

  /// Of a problem that this row covers; by the rules, or as measured.
  std::variant<Topology, NoRule> topology(const AtlasKey& key, std::uint64_t m) const;
};

/// Where and with what the rows of one file were recorded.
struct AtlasFile {
  std::string name, device, capability, library, driver, date, settings;
};

/// What a scan found for one layer: ranges of batch sizes from 1 upward, without gaps; no algorithm
/// where the library has none.
struct ScannedLayer {
  struct Range {
    std::uint64_t last_m = 0;
    std::optional<Algorithm> algorithm;
  };
  AtlasKey key;
  std::vector<Range> ranges;
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
  /// What comes with the program for these types; read when it is first asked for.
  static const Atlas& shipped(TypeKind types);
  /// A scan or points; of the latter only those of `types` if that is given. Errors: AtlasError
  /// "NAME: line N: …"; then nothing was added.
  void add(std::string_view name, std::string_view text,
           std::optional<TypeKind> types = std::nullopt);

  std::vector<AtlasKey> keys() const;
  /// Of one key, ascending: the scan where there is one, else the points; empty if the atlas does
  /// not have it.
  std::span<const Choice> choices(const AtlasKey& key) const;
  /// What covers m in choices(), or null: not in the atlas. O(log rows).
  const Choice* find(const AtlasKey& key, std::uint64_t m) const;
  /// The point at m, also where there is a scan; or null.
  const Choice* point(const AtlasKey& key, std::uint64_t m) const;
  std::span<const Choice> points(const AtlasKey& key) const;
  /// Equal topologies joined, rows that do not touch kept apart. Kernels that cut some tiles have
  /// maps, which differ with m; they are joined if the same topologies are in them.
  std::vector<TopologyRun> topology_runs(const AtlasKey& key) const;
  const AtlasFile& file(const Choice& choice) const { return files_[choice.file]; }

 private:
  struct Entry {
    AtlasKey key;
    std::vector<Choice> scan, points;
  };
  Entry& entry(const AtlasKey& key);
  const Entry* find_entry(const AtlasKey& key) const;

  std::vector<AtlasFile> files_;
  std::vector<Entry> entries_;  ///< by key, ascending
};

/// A scan's file: the inverse of reading it. Layers are written by key. Precondition: all have the
/// same types.
std::string scan_text(const AtlasFile& head, std::vector<ScannedLayer> scanned);

}  // namespace whybits::cublaslt
