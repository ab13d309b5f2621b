// When does the tree change? Batch sizes along an axis, coloured by topology, with the evidence
// for each stretch, from the choice atlas of cuBLASLt. Where nobody asked, that is said: `between`
// two equal answers, `not_recorded` between different ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/model/phrase.hpp"

namespace whybits::viz {

enum class Evidence : std::uint8_t {
  recorded,     ///< an H200's answer, every bit predicted (tests/recordings)
  measured,     ///< the library was asked; no recording in the tree
  between,      ///< not asked, but the next batches asked on both sides have this tree
  not_recorded  ///< nobody asked
};

/// Batches first … last (both included) with one topology.
struct GateSegment {
  std::uint64_t first = 1, last = 1;
  std::string topology;  ///< notation; empty where not recorded
  Phrase name;           ///< "4 slices", "one chain", "not recorded"
  std::size_t tree = 0;  ///< number of the distinct topology along the strip, for its colour
  Evidence evidence = Evidence::not_recorded;
  std::string recording;  ///< file name, if one shows it
};

/// A layer whose choices of the library are known.
struct Layer {
  std::string name;     ///< "llama-3-8b.down_proj"
  std::string title;    ///< "Llama-3-8B down projection"
  std::string library;  ///< "cuBLAS 13.1.0 on H200"
  std::uint64_t n = 0, k = 0;
  std::string type;                   ///< "bf16"
  std::vector<GateSegment> segments;  ///< ascending, without gaps, from batch 1

  const GateSegment& at(std::uint64_t batch) const;
  std::uint64_t last_batch() const { return segments.back().last; }
  /// The known batch nearest to one (at equal distance the smaller): where a slider may rest.
  std::uint64_t nearest_known(std::uint64_t batch) const;
  /// The next batch above (direction +1) or below (−1) with another known topology; the same batch
  /// if there is none.
  std::uint64_t next_change(std::uint64_t batch, int direction) const;
  std::size_t trees() const;  ///< how many distinct topologies
};

const std::vector<Layer>& layers();
const Layer* find_layer(std::string_view name);

}  // namespace whybits::viz
