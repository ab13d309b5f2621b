// Gates: at which batch size does a layer's topology change, how many outputs change with it, and
// how far is each topology from exact? Topologies come from the choice atlas, bits from the
// emulator.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/study.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace whybits {

/// Batch sizes with one topology. Between two runs that do not touch nothing was recorded.
struct GateRun {
  std::uint64_t first_m = 0, last_m = 0;
  std::string text;  ///< the topology, or why there is none
  /// Index among GateReport::topologies; none for maps and what has no rule.
  std::optional<std::size_t> topology;
};

/// One row of outputs under one topology.
struct GateTopology {
  SchemaPtr topology;
  exact::ErrorStatistics error_before, error_after;  ///< before and after the last rounding
};

/// What changes from one run to the next.
struct GateChange {
  std::size_t from = 0, to = 0;              ///< runs
  std::uint64_t before = 0, after = 0;       ///< outputs that differ, before and after rounding
  std::optional<std::uint64_t> largest_ulp;  ///< of those after rounding
  bool same_tree = false;                    ///< must not differ
};

struct GateReport {
  cublaslt::AtlasKey key;
  std::string input_a, input_b;
  std::uint64_t outputs = 0;  ///< of row 0
  std::vector<GateRun> runs;
  std::vector<GateTopology> topologies;
  std::vector<GateChange> changes;
  std::uint64_t recorded = 0;  ///< batch sizes in the atlas
};

struct GateRequest {
  cublaslt::AtlasKey key;
  std::string a = "uniform:1", b = "uniform:2";
  std::uint64_t columns = 0;  ///< the first so many; 0: all n
};

/// Row 0 of the layer under every topology that the atlas has for it: its bits depend on the batch
/// by the topology alone. Errors: UsageError for bad inputs or a layer that is not in the atlas.
GateReport find_gates(const GateRequest& request);

std::string gates_text(const GateReport& report);
nlohmann::ordered_json gates_json(const GateReport& report);
/// Batch sizes on a logarithmic axis, a colour and a letter a topology, letters and numbers where
/// there is room; grey where nothing is recorded.
std::string gates_svg(const GateReport& report);

}  // namespace whybits
