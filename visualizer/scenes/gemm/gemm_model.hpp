// The GEMM scene: computes its states. A slider move evaluates one topology; operands, exact sums
// and outputs of topologies seen before are kept.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/json_field.hpp"
#include "visualizer/model/gates.hpp"
#include "visualizer/model/pair_result.hpp"
#include "visualizer/model/worker.hpp"
#include "visualizer/scenes/gemm/gemm_state.hpp"

namespace whybits::viz {

class GemmModel {
 public:
  /// `recordings`: a folder to look for hardware's answers in; empty or missing: none.
  explicit GemmModel(std::filesystem::path recordings = {});
  ~GemmModel();
  /// Null if stopped. Not for several threads at once.
  std::shared_ptr<const PairResult> compute(const GemmState& state,
                                            const std::stop_token& stop = {},
                                            const ReportProgress& progress = {});

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

/// The notation that a side stands for. Empty where the library's choice was not recorded.
std::string topology_of(const GemmState& state, Side side);
/// Shape, types and inputs of a layer; choices and view as they were.
GemmState with_layer(GemmState state, const Layer& layer);

nlohmann::ordered_json state_json(const GemmState& state);
GemmState read_gemm_state(const JsonField& field);
/// `output`: of which the screen tells, where the state leaves it open.
std::string command_line(const GemmState& state, std::optional<std::uint64_t> output = {});

}  // namespace whybits::viz
