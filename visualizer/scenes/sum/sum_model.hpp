// The Sum scene: computes its states, keeping what a next state can use again.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/json_field.hpp"
#include "visualizer/model/pair_result.hpp"
#include "visualizer/model/worker.hpp"
#include "visualizer/scenes/sum/sum_state.hpp"

namespace whybits::viz {

class SumModel {
 public:
  SumModel();
  ~SumModel();
  /// Null if stopped. Not for several threads at once.
  std::shared_ptr<const PairResult> compute(const SumState& state, const std::stop_token& stop = {},
                                            const ReportProgress& progress = {});

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

nlohmann::ordered_json state_json(const SumState& state);
SumState read_sum_state(const JsonField& field);
/// `output`: of which the screen tells, where the state leaves it open.
std::string command_line(const SumState& state, std::optional<std::uint64_t> output = {});

}  // namespace whybits::viz
