// What hardware gave for a side of the GEMM scene: a recording of the layer at a batch where the
// library takes the same tree, on the same inputs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "lab/recording.hpp"
#include "visualizer/model/gates.hpp"
#include "visualizer/model/pair_result.hpp"
#include "visualizer/scenes/gemm/gemm_state.hpp"

namespace whybits::viz {

class HardwareAnswers {
 public:
  explicit HardwareAnswers(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// nullopt if there is no such recording; files that cannot be read count as none.
  std::optional<HardwareAnswer> find(const GemmState& state, const Layer& layer, Side side,
                                     const Study& study);

 private:
  const Recording* read(const std::string& name);

  std::filesystem::path folder_;
  std::map<std::string, std::optional<Recording>> read_;
};

}  // namespace whybits::viz
