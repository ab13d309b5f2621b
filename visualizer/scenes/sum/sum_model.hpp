// The Sum scene: computes its states, keeping what a next state can use again.
#pragma once

#include <memory>
#include <string>

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

std::string command_line(const SumState& state);

}  // namespace whybits::viz
