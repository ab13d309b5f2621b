// Computes two topologies on the same inputs and keeps what the next state can use again: outputs
// of a topology, exact sums, stories. What scenes with two computations share.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "exact/operand_uses.hpp"
#include "sim/gemm.hpp"
#include "visualizer/model/pair_result.hpp"
#include "visualizer/model/worker.hpp"

namespace whybits::viz {

using ExactSums = std::vector<std::optional<Dyadic>>;

/// What a scene gives to the engine. Functions stay valid as long as the engine works with them.
struct PairInputs {
  LeafTypes types;
  std::uint64_t addends = 0;
  std::uint64_t rows = 1, columns = 1;  ///< of the outputs
  std::function<std::vector<Bits>(const Reduction&, const GemmOptions&)> evaluate;
  std::function<ExactSums(const exact::OperandUses&, const std::stop_token&)> exact;
  std::function<KeptLeaves(std::uint64_t output)> leaves;
  std::function<std::string(std::uint64_t output)> name;

  std::uint64_t outputs() const { return rows * columns; }
};

/// Shape of the map's area; wide by far.
inline constexpr double map_aspect = 4;

class PairEngine {
 public:
  /// New inputs: forgets everything.
  void start(PairInputs inputs);
  const PairInputs& inputs() const { return inputs_; }

  /// Null if stopped. Bad topologies give a result with an error.
  std::shared_ptr<const PairResult> compute(const std::string& a, const std::string& b,
                                            const PairView& view, const std::stop_token& stop,
                                            const ReportProgress& progress);

 private:
  struct Topology {
    std::string text;
    SchemaPtr schema;
    std::shared_ptr<const TopologyOutputs> outputs;
    std::shared_ptr<const ExactSums> exact;
  };
  struct Story {
    std::string a, b;
    std::shared_ptr<const StoryModel> model;
  };

  /// Null if stopped.
  const Topology* topology(const std::string& text, Side side, const std::stop_token& stop,
                           const ReportProgress& progress);
  std::shared_ptr<const ExactSums> exact(const exact::OperandUses& uses,
                                         const std::stop_token& stop);
  std::shared_ptr<const Study> study(const Topology& a, const Topology& b);
  void add_story(PairResult& result, const Topology& a, const Topology& b, const PairView& view);

  PairInputs inputs_;
  std::list<Topology> topologies_;  ///< most recently used first
  std::list<Story> stories_;
  std::map<exact::OperandUses, std::shared_ptr<const ExactSums>> exact_;
  std::pair<std::string, std::string> study_of_;
  std::shared_ptr<const Study> study_;
};

/// An error of any kind as a result: UsageError, NotationError (with its column), TopologyError.
std::shared_ptr<const PairResult> error_result(const std::exception& error,
                                               std::optional<Side> side = {});

}  // namespace whybits::viz
