#include "visualizer/views/pair_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/text_table.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {

std::optional<StepChoice> chosen_step(const PairFrame& frame) {
  const StoryModel* story = frame.story();
  if (!story) return std::nullopt;
  const auto exists = [&](const StepChoice& c) {
    return c.step < story->trace(c.side).nodes.size();
  };
  if (frame.view.step && exists(*frame.view.step)) return frame.view.step;
  if (story->first_part && exists(*story->first_part)) return story->first_part;
  if (!story->story.a.nodes.empty()) return StepChoice{Side::a, 0};
  return std::nullopt;
}

std::pair<double, double> step_leaves(const StoryModel& story, const StepChoice& step) {
  const AxisSide& side = story.axis.side(step.side);
  if (step.step >= side.place_of.size()) return {0, 0};
  const std::uint64_t place = side.place_of[step.step];
  return {side.from[place], side.to[place]};
}

std::optional<double> first_part(const PairFrame& frame) {
  const StoryModel* story = frame.story();
  if (!story || !story->first_part || story->story.divergence.same_result) return std::nullopt;
  if (!story->common.empty()) return static_cast<double>(story->common.back().last + 1);
  return step_leaves(*story, *story->first_part).first;
}

std::optional<std::uint64_t> step_adding(const AxisSide& side, double leaf) {
  const auto& ribbons = side.ribbons.ribbons;
  for (std::size_t i = 0; i < ribbons.size(); ++i) {
    const LeafSet& leaves = ribbons[i].leaves;
    if (!ribbons[i].takes_leaves || leaf < static_cast<double>(leaves.first) ||
        leaf >= static_cast<double>(leaves.last) + 1)
      continue;
    const std::int64_t step = step_at(side, static_cast<std::uint32_t>(i), leaf);
    if (step < 0) continue;
    const std::uint64_t p = side.place_of[static_cast<std::size_t>(step)];
    if (side.from[p] <= leaf && leaf < side.to[p]) return static_cast<std::uint64_t>(step);
  }
  return std::nullopt;
}

std::optional<StepChoice> counterpart(PairFrame& frame, const StepChoice& step) {
  const StoryModel* story = frame.story();
  if (!story) return std::nullopt;
  const auto [from, to] = step_leaves(*story, step);
  if (to <= from) return std::nullopt;  // a merge has no leaves of its own
  const Side other = step.side == Side::a ? Side::b : Side::a;
  const double leaf = (from + to) / 2;
  const auto key = std::make_pair(static_cast<int>(other), static_cast<std::int64_t>(leaf));
  auto found = frame.cache.adding.find(key);
  if (found == frame.cache.adding.end())
    found = frame.cache.adding.emplace(key, step_adding(story->axis.side(other), leaf)).first;
  if (!found->second) return std::nullopt;
  return StepChoice{other, *found->second};
}

std::optional<StepChoice> other_step(PairFrame& f, const StepChoice& chosen) {
  if (const auto found = counterpart(f, chosen)) return found;
  const StoryModel& story = *f.story();
  if (chosen != story.first_part || story.story.divergence.agreements.empty()) return std::nullopt;
  const Agreement& first = story.story.divergence.agreements[0];
  const Side side = chosen.side == Side::a ? Side::b : Side::a;
  const std::int64_t next = side == Side::a ? first.next_a : first.next_b;
  if (next < 0) return std::nullopt;
  return StepChoice{side, static_cast<std::uint64_t>(next)};
}

std::vector<StepChoice> shown_steps(PairFrame& f) {
  std::vector<StepChoice> both;
  const auto chosen = chosen_step(f);
  if (!chosen) return both;
  both.push_back(*chosen);
  if (f.result->summary.same_tree) return both;
  if (const auto other = other_step(f, *chosen)) both.push_back(*other);
  if (both[0].side == Side::b) std::reverse(both.begin(), both.end());
  return both;
}

const StepView* step_view(PairFrame& frame, const StepChoice& step) {
  const StoryModel* story = frame.story();
  if (!story) return nullptr;
  const auto key =
      std::make_pair(static_cast<int>(step.side), static_cast<std::int64_t>(step.step));
  auto found = frame.cache.steps.find(key);
  if (found == frame.cache.steps.end()) {
    PairView view = frame.view;
    view.step = step;
    found = frame.cache.steps.emplace(key, selected_step(*story, view)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::string output_name(const PairResult& result, std::uint64_t output) {
  if (result.columns <= 1) return text("output.row", output);
  return fmt::format("[{},{}]", output / result.columns, output % result.columns);
}

std::string number(std::uint64_t value) {
  return grouped(value);
}

void go_to_difference(const PairResult& result, const PairView& view, PairView& next,
                      int direction) {
  if (!result.study || result.study->pairs.empty()) return;
  const PairComparison& pair = result.study->pairs[0];
  const std::vector<std::size_t>& where =
      view.before_last_rounding ? pair.before.where : pair.after.where;
  if (where.empty()) return;
  const std::uint64_t now = view.output ? *view.output : result.story ? result.story->output : 0;
  std::size_t chosen = 0;
  if (direction > 0) {
    const auto above = std::upper_bound(where.begin(), where.end(), now);
    chosen = above == where.end() ? where.front() : *above;
  } else {
    const auto at = std::lower_bound(where.begin(), where.end(), now);
    chosen = at == where.begin() ? where.back() : *(at - 1);
  }
  next.output = chosen;
  next.step.reset();
}

}  // namespace whybits::viz
