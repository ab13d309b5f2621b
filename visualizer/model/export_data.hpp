// What a panel shows, as a file: the same columns as the command line where it has them.
#pragma once

#include <string>

#include "visualizer/model/pair_result.hpp"

namespace whybits::viz {

std::string outputs_csv(const PairResult& result);
/// A line a step of both sides: side, ribbon, step, leaves, value, mark, discarded, error so far.
std::string steps_csv(const StoryModel& story);
std::string ribbons_csv(const StoryModel& story);
std::string step_csv(const StepView& step);
/// The whole comparison, as `whybits … --json` prints it.
std::string comparison_json(const PairResult& result);

}  // namespace whybits::viz
