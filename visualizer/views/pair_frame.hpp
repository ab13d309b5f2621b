// What the views of two computations share in one frame: the result, the view's state before and
// after input, and what is kept between frames.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "visualizer/app/scene_view.hpp"
#include "visualizer/model/pair_result.hpp"
#include "visualizer/model/power_text.hpp"

namespace whybits::viz {

/// Made from results, kept from frame to frame.
struct PairCache {
  std::shared_ptr<const PairResult> result;  ///< of which all below is
  Image map_image;
  const Theme* map_theme = nullptr;
  std::size_t map_level = 0;
  /// By side and step.
  std::map<std::pair<int, std::int64_t>, std::optional<StepView>> steps;
  std::map<std::pair<int, std::int64_t>, std::optional<std::uint64_t>>
      adding;        ///< by side and leaf
  float focus = -1;  ///< level shown, moving toward that of the state; −1: not yet
  std::optional<AxisFrame> axis;
  double axis_first = -1, axis_last = -1, axis_columns = 0;
  std::uint32_t axis_rows = 0, axis_most_depth = 0;
  std::vector<FoldChoice> axis_folds;
};

/// Which colours and marks the levels have drawn: the legend explains these.
struct DrawnMarks {
  bool same = false, none_a = false, none_b = false, other = false, differs = false, lost = false;
};

struct PairFrame {
  SceneFrame& scene;
  Ui& ui;
  std::shared_ptr<const PairResult> result;  ///< valid()
  const PairView& view;
  PairView next;        ///< what input makes of it
  std::string gesture;  ///< of the change
  PairCache& cache;
  DrawnMarks drawn = {};

  Canvas& canvas() { return ui.canvas; }
  const Theme& theme() const { return ui.theme; }
  const StoryModel* story() const { return result->story.get(); }
};

/// The step that the state selects, or the first that parts; nullopt without a story.
std::optional<StepChoice> chosen_step(const PairFrame& frame);
/// The step of the other side that adds the same leaves.
std::optional<StepChoice> counterpart(PairFrame& frame, const StepChoice& step);
/// The other side's step over the same leaves; where A and B part, what it does next.
std::optional<StepChoice> other_step(PairFrame& frame, const StepChoice& chosen);
/// The steps that are taken apart: the chosen one and the other side's, A's first; of one tree one.
std::vector<StepChoice> shown_steps(PairFrame& frame);
/// Taken apart, from the cache. Null for a step with values that are not finite.
const StepView* step_view(PairFrame& frame, const StepChoice& step);
/// The step of a side that adds this leaf itself. O(ribbons).
std::optional<std::uint64_t> step_adding(const AxisSide& side, double leaf);
/// Where on the K axis A and B part, if they differ.
std::optional<double> first_part(const PairFrame& frame);
/// Leaves that a step adds itself, [from, to).
std::pair<double, double> step_leaves(const StoryModel& story, const StepChoice& step);

/// "[0,55]", "row 3".
std::string output_name(const PairResult& result, std::uint64_t output);
/// "4,096"
std::string number(std::uint64_t value);

/// Fills `next` with the output before or after the selected one that differs.
void go_to_difference(const PairResult& result, const PairView& view, PairView& next,
                      int direction);

}  // namespace whybits::viz
