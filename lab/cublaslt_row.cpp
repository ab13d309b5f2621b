#include "lab/cublaslt_row.hpp"

#include "lab/vector_source.hpp"

namespace whybits {
namespace {

/// Row 0 of a map, which can have many rows more.
std::string row_text(const cublaslt::Topology& topology, std::uint64_t n) {
  const auto* map = std::get_if<TopologyMap>(&topology);
  if (!map) return cublaslt::text_of(topology);
  TopologyMap first;
  for (const MapRegion& region : map->regions)
    if (region.begin < n) first.regions.push_back(region);
  return cublaslt::text_of(first);
}

}  // namespace

RowPredictions::RowPredictions(const GemmOperands& operands, const Format& out) {
  observed_.operands = operands;
  observed_.operands.shape.m = 1;
  observed_.chosen = ChosenOutputs::all(observed_.operands.shape);
  observed_.out = out;
}

const std::vector<std::uint8_t>& RowPredictions::words(const cublaslt::Prediction& prediction) {
  auto& known = known_[{row_text(prediction.topology, observed_.operands.shape.n),
                        prediction.operands.has_value()}];
  if (known.empty()) known = words_from_codes(observed_.out, codes(prediction));
  return known;
}

std::vector<Bits> RowPredictions::codes(const cublaslt::Prediction& prediction) const {
  if (const auto* one = std::get_if<SchemaPtr>(&prediction.topology)) return row(*one, prediction);
  const auto& map = std::get<TopologyMap>(prediction.topology);
  std::map<const Schema*, std::vector<Bits>> rows;
  std::vector<Bits> merged(observed_.chosen.columns.size());
  for (std::size_t j = 0; j < merged.size(); ++j) {
    const SchemaPtr& topology = map.find(j)->topology;
    auto& whole = rows[topology.get()];
    if (whole.empty()) whole = row(topology, prediction);
    merged[j] = whole[j];
  }
  return merged;
}

std::vector<Bits> RowPredictions::row(const SchemaPtr& topology,
                                      const cublaslt::Prediction& prediction) const {
  const Hypothesis hypothesis{"", topology, prediction.operands};
  const Hypothesis* const one[] = {&hypothesis};
  return predicted_outputs(observed_, observed_.chosen, one, {})[0];
}

}  // namespace whybits
