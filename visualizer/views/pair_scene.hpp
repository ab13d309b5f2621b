// The frame of a scene with two computations: controls left, the stage in the middle, the reasons
// right. Scenes fill in their controls.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {

struct PairLayout {
  Rect left, center, right;
};

class PairScene {
 public:
  /// Widths of the columns, moved by dragging their borders.
  PairLayout lay_out(SceneFrame& frame);

  /// Stage and reasons for a state's view; `trees`: both are drawn beside it, whole. Returns the
  /// view after input and its gesture, or nullopt while there is no result to draw; then it says
  /// why.
  struct Outcome {
    PairView view;
    std::string gesture;
  };
  std::optional<Outcome> draw(SceneFrame& frame, const PairView& view, const Rect& stage,
                              const Rect& right, bool trees = false);

  /// The claim of a preset, unless it stands above the stage, and up to three sentences, until
  /// they are dismissed. Takes its room off the column.
  static void guidance(SceneFrame& frame, Rect& column, bool claimed_above);
  /// What one does next with two computations.
  static void go_on(SceneFrame& frame, Rect& column);
  /// Over the stage: the claim of a preset with its guidance, and a line with what A and B are and
  /// what came of it. The names are cut where there is no room, the verdict is not.
  void headline(SceneFrame& frame, Rect& column, std::array<std::string, 2> names) const;

  const PairResult* result() const { return cache_.result.get(); }

 private:
  void border(SceneFrame& frame, std::string_view name, float x, float& width, float direction,
              float least, float most);

  PairCache cache_;
  float left_width_ = 0, right_width_ = 0;  ///< 0: by the width of the screen
};

/// Rows of a control column: label left, value right.
void column_row(Ui& ui, Rect& column, std::string_view label, std::string_view value,
                std::string_view tip, bool mono = true);
/// How far the sums of A and B are from exact: "no split" can be the least accurate.
void error_table(Ui& ui, Rect& column, const PairResult* result,
                 const std::array<std::string, 2>& names);
void column_title(Ui& ui, Rect& column, std::string_view title, std::string_view tip = {});
/// Commands to press, with their keys: as many as the column has room for, or none.
void go_on(SceneFrame& frame, Rect& column, std::span<const char* const> commands);

}  // namespace whybits::viz
