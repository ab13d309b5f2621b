#include "visualizer/model/pair_engine.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "lab/story.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "visualizer/model/pair_story.hpp"
#include "visualizer/model/sentence.hpp"

namespace whybits::viz {
namespace {

constexpr std::size_t kept_topologies = 12;
constexpr std::size_t kept_stories = 6;

/// Thrown inside the engine only: which side's topology is wrong.
struct SideError : std::runtime_error {
  SideError(const std::exception& error, Side which)
      : std::runtime_error(error.what()), side(which) {
    result = error_result(error, which);
  }
  Side side;
  std::shared_ptr<const PairResult> result;
};

template <class List>
void keep(List& list, std::size_t most) {
  if (list.size() > most) list.pop_back();
}

/// Moves an element to the front and returns it; null if there is none.
template <class List, class Is>
auto* used(List& list, Is is) {
  const auto found = std::find_if(list.begin(), list.end(), is);
  if (found == list.end()) return static_cast<decltype(&list.front())>(nullptr);
  list.splice(list.begin(), list, found);
  return &list.front();
}

std::uint64_t chosen_output(const Study& study, const PairView& view) {
  if (view.output && *view.output < study.outputs()) return *view.output;
  return first_difference(study.pairs[0]).value_or(0);
}

}  // namespace

std::shared_ptr<const PairResult> error_result(const std::exception& error,
                                               std::optional<Side> side) {
  auto result = std::make_shared<PairResult>();
  result->error = error.what();
  result->error_side = side;
  if (const auto* usage = dynamic_cast<const UsageError*>(&error)) result->remedy = usage->remedy;
  if (const auto* notation = dynamic_cast<const NotationError*>(&error))
    result->error_column = notation->column();
  return result;
}

void PairEngine::start(PairInputs inputs) {
  inputs_ = std::move(inputs);
  topologies_.clear();
  stories_.clear();
  exact_.clear();
  study_of_ = {};
  study_ = nullptr;
}

const PairEngine::Topology* PairEngine::topology(const std::string& text, Side side,
                                                 const std::stop_token& stop,
                                                 const ReportProgress& progress) {
  if (const Topology* known = used(topologies_, [&](const Topology& t) { return t.text == text; }))
    return known;
  try {
    const SchemaPtr schema = parse_topology(text);
    SplitReduction split = split_last_rounding(schema, inputs_.addends, inputs_.types);
    const double all = static_cast<double>(std::max<std::uint64_t>(inputs_.outputs(), 1));
    GemmOptions options;
    options.stop = stop;
    if (progress)
      options.progress = [&](std::uint64_t done) { progress(static_cast<double>(done) / all); };
    std::vector<Bits> codes = inputs_.evaluate(split.before, options);
    if (stop.stop_requested()) return nullptr;
    const auto sums = exact(exact::operand_uses(split.before.tree), stop);
    if (!sums) return nullptr;
    auto outputs =
        std::make_shared<TopologyOutputs>(topology_outputs(std::move(split), std::move(codes)));
    measure_errors(*outputs, *sums);
    topologies_.push_front({text, schema, std::move(outputs), sums});
  } catch (const std::exception& error) {
    throw SideError(error, side);
  }
  keep(topologies_, kept_topologies);
  return &topologies_.front();
}

std::shared_ptr<const ExactSums> PairEngine::exact(const exact::OperandUses& uses,
                                                   const std::stop_token& stop) {
  auto& sums = exact_[uses];
  if (sums) return sums;
  auto computed = std::make_shared<const ExactSums>(inputs_.exact(uses, stop));
  if (stop.stop_requested()) return nullptr;
  return sums = std::move(computed);
}

std::shared_ptr<const Study> PairEngine::study(const Topology& a, const Topology& b) {
  if (study_ && study_of_ == std::pair(a.text, b.text)) return study_;
  auto made = std::make_shared<Study>();
  made->topologies = {*a.outputs, *b.outputs};
  made->pairs.push_back(compare_pair(made->topologies, 0, 1));
  study_of_ = {a.text, b.text};
  return study_ = std::move(made);
}

void PairEngine::add_story(PairResult& result, const Topology& a, const Topology& b,
                           const PairView& view) {
  const Study& study = *result.study;
  if (study.outputs() == 0) return;
  const StoryPlan plan = plan_story(study, "");
  if (!plan.affordable()) {
    result.story_omitted = why_omitted(plan);
    return;
  }
  const std::uint64_t output = chosen_output(study, view);
  const Story* known = used(stories_, [&](const Story& s) {
    return s.a == a.text && s.b == b.text && s.model->output == output;
  });
  if (!known) {
    stories_.push_front(
        {a.text, b.text,
         make_story({output, inputs_.name(output), inputs_.leaves(output), a.schema, b.schema})});
    keep(stories_, kept_stories);
    known = &stories_.front();
  }
  result.story = known->model;
}

std::shared_ptr<const PairResult> PairEngine::compute(const std::string& text_a,
                                                      const std::string& text_b,
                                                      const PairView& view,
                                                      const std::stop_token& stop,
                                                      const ReportProgress& progress) {
  const auto began = std::chrono::steady_clock::now();
  auto result = std::make_shared<PairResult>();
  try {
    const Topology* a = topology(text_a, Side::a, stop, progress);
    const Topology* b = a ? topology(text_b, Side::b, stop, progress) : nullptr;
    if (!b || stop.stop_requested()) return nullptr;
    const auto side = [&](const Topology& t) {
      return SideText{print(*t.schema), topology_name(*t.schema, inputs_.addends),
                      t.outputs->reduction.before.tree.statistics()};
    };
    result->a = side(*a);
    result->b = side(*b);
    result->rows = inputs_.rows;
    result->columns = inputs_.columns;
    result->study = study(*a, *b);
    result->exact = view.measure == MapMeasure::error_b ? b->exact : a->exact;
    result->summary = summarize(*result->study);
    if (!result->summary.same_tree)
      std::tie(result->a.name, result->b.name) =
          different_names(*a->schema, *b->schema, inputs_.addends);
    result->common = common_parts(a->outputs->reduction, b->outputs->reduction);
    result->map = std::make_shared<OutputMap>(
        make_map(*result->study, lay_out(inputs_.rows, inputs_.columns, map_aspect), view.measure,
                 view.before_last_rounding, *result->exact));
    result->overview = explain_comparison(*result->study);
    add_story(*result, *a, *b, view);
  } catch (const SideError& error) {
    return error.result;
  }
  if (stop.stop_requested()) return nullptr;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  result->seconds = took.count();
  return result;
}

}  // namespace whybits::viz
