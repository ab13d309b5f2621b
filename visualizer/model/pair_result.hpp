// What is computed for a state of a scene with two computations: everything that its views draw.
// Immutable; made by the background worker, read by the window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/leaf_runs.hpp"
#include "lab/step_view.hpp"
#include "lab/study.hpp"
#include "visualizer/model/bits_view.hpp"
#include "visualizer/model/k_axis.hpp"
#include "visualizer/model/matrix_view.hpp"
#include "visualizer/model/phrase.hpp"
#include "visualizer/model/waterfall.hpp"

namespace whybits::viz {

/// The leaves of one output, kept for its steps.
struct KeptLeaves {
  OperandVector a;
  std::optional<OperandVector> b;
  std::optional<Conversion> product;

  Leaves get() const;
};

/// One output under both topologies, before the last rounding; that one stands beside.
struct StoryModel {
  std::uint64_t output = 0;  ///< number among those computed
  std::string name;          ///< "[0,55]", "row 3"
  KeptLeaves leaves;
  /// Its traces and divergence end before the last rounding (end_before_last_rounding).
  OutputStory story;
  AxisModel axis;
  std::optional<Waterfall> waterfall_a, waterfall_b;  ///< none where a step is not finite
  OutputBits bits;
  std::vector<Phrase> why;
  /// The step that the eye should go to: the first after what agrees.
  std::optional<StepChoice> first_part;
  /// The leaves of the last sum that both have with the same bits, where A and B part after one:
  /// ascending runs, one from the first to the last where there are too many to tell.
  std::vector<LeafRun> common;
  /// Sums differed before what agrees, and came together again: `first_part` is the last parting.
  bool parted_before = false;

  const Trace& trace(Side side) const { return side == Side::a ? story.a : story.b; }
  const std::optional<Waterfall>& waterfall(Side side) const {
    return side == Side::a ? waterfall_a : waterfall_b;
  }
};

/// One of A and B, described.
struct SideText {
  std::string topology;  ///< notation
  Phrase name;           ///< "4 slices", "one chain", or the notation cut short
  TreeStatistics tree;
};

/// Outputs of a side held against what hardware gave for the same topology and inputs.
struct HardwareAnswer {
  Side side = Side::a;
  std::string recording;    ///< file name
  std::string device;       ///< "NVIDIA H200"
  std::uint64_t batch = 0;  ///< at which it was recorded; maybe not the side's, but the same tree
  std::uint64_t compared = 0, wrong = 0;
};

/// What A and B have in common, so that no difference comes from there.
struct CommonParts {
  bool matrix_units = false;                ///< both have some, and the same
  std::optional<Conversion> last_rounding;  ///< both end with this one
};

struct PairResult {
  std::string error, remedy;  ///< not empty: the state cannot be computed, the rest is empty
  std::optional<std::size_t> error_column;  ///< in the notation of `error_side`, from 1
  std::optional<Side> error_side;

  SideText a, b;
  CommonParts common;
  std::uint64_t rows = 0, columns = 0;  ///< of the outputs
  std::shared_ptr<const Study> study;
  /// Exact sums, an output each; null while they are not known.
  std::shared_ptr<const std::vector<std::optional<Dyadic>>> exact;
  MapSummary summary;
  std::shared_ptr<const OutputMap> map;
  std::vector<Phrase> overview;
  std::shared_ptr<const StoryModel> story;  ///< null if there is no output, or it is too large
  std::string story_omitted;                ///< why it is null
  /// The result is A's or B's as hardware gave it: recordings of just this, by side.
  std::vector<std::pair<Side, std::string>> recordings;
  std::vector<HardwareAnswer> hardware;  ///< where a folder of recordings is known, A's first
  double seconds = 0;                    ///< it took

  bool valid() const { return error.empty(); }
};

/// The step that the state selects, or the first part; nullopt if there is none or a value in it is
/// not finite.
std::optional<StepView> selected_step(const StoryModel& story, const PairView& view);

}  // namespace whybits::viz
