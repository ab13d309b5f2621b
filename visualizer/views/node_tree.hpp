// Small trees as nodes and links, with values; what has no room for its nodes is drawn as a bar.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/pair_result.hpp"

namespace whybits::viz {

/// Above this many leaves the K axis alone shows the trees.
inline constexpr std::uint64_t largest_drawn_tree = 4096;

/// How a tree is called, and how large it is with its last rounding.
struct TreeCaption {
  std::string name;
  TreeStatistics size;
};

/// A and B side by side. Returns the step that was pressed.
std::optional<StepChoice> draw_trees(Ui& ui, const StoryModel& story,
                                     const std::array<TreeCaption, 2>& captions,
                                     const std::optional<StepChoice>& selected, const Rect& area);

}  // namespace whybits::viz
