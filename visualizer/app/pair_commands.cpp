#include "visualizer/app/pair_commands.hpp"

#include <algorithm>

#include "lab/usage_error.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/model/export_data.hpp"
#include "visualizer/model/gates.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {
namespace {

PairView* view_of(SceneState& state) {
  if (auto* gemm = std::get_if<GemmState>(&state)) return &gemm->view;
  if (auto* sum = std::get_if<SumState>(&state)) return &sum->view;
  return nullptr;
}

/// Changes the view of the current scene, if it has one.
void change_view(Application& app, const std::function<void(PairView&, const PairResult*)>& change,
                 const std::string& gesture = {}) {
  SceneState state = app.document().state();
  PairView* view = view_of(state);
  if (!view) return;
  const auto result = app.document().pair();
  change(*view, result && result->valid() ? result.get() : nullptr);
  app.document().change(std::move(state), gesture);
}

auto level(Level to) {
  return [to](Application& app) {
    change_view(app, [to](PairView& v, const PairResult*) { v.level = to; });
  };
}

auto deeper(int by) {
  return [by](Application& app) {
    change_view(app, [by](PairView& v, const PairResult*) {
      v.level = static_cast<Level>(std::clamp(static_cast<int>(v.level) + by, 0, 3));
    });
  };
}

auto difference(int direction) {
  return [direction](Application& app) {
    change_view(app, [direction](PairView& v, const PairResult* result) {
      if (result) go_to_difference(*result, PairView(v), v, direction);
    });
  };
}

/// The K axis narrower or wider around the selected step.
auto zoom(double factor) {
  return [factor](Application& app) {
    change_view(
        app,
        [factor](PairView& v, const PairResult* result) {
          if (!result || !result->story) return;
          const StoryModel& story = *result->story;
          const auto n = static_cast<double>(story.axis.leaves);
          double first = v.first;
          double last = v.last;
          if (last <= first) {
            first = 0;
            last = n;
          }
          double middle = (first + last) / 2;
          const std::optional<StepChoice> step = v.step ? v.step : story.first_part;
          if (step && factor < 1) {
            const auto [from, to] = step_leaves(story, *step);
            if (to > from) middle = (from + to) / 2;
          }
          const double span = std::clamp((last - first) * factor, std::min(16.0, n), n);
          if (span >= n) {
            v.first = v.last = 0;
            return;
          }
          v.first = std::clamp(middle - span / 2, 0.0, n - span);
          v.last = v.first + span;
        },
        "axis");
  };
}

/// The next place along K where A and B part.
void next_part(Application& app) {
  change_view(app, [](PairView& v, const PairResult* result) {
    if (!result || !result->story) return;
    const StoryModel& story = *result->story;
    const Side side = v.step ? v.step->side : Side::a;
    const auto& marks =
        side == Side::a ? story.story.divergence.marks_a : story.story.divergence.marks_b;
    const auto places = first_differences(story.axis.side(side), story.trace(side), marks);
    if (places.empty()) return;
    // In the order of the axis, which need not be that of evaluation.
    const std::vector<std::uint64_t>& place = story.axis.side(side).place_of;
    const auto above = std::find_if(places.begin(), places.end(), [&](std::int64_t step) {
      return !v.step || v.step->step >= place.size() ||
             place[static_cast<std::size_t>(step)] > place[v.step->step];
    });
    v.step = StepChoice{
        side, static_cast<std::uint64_t>(above == places.end() ? places.front() : *above)};
  });
}

void other_side(Application& app) {
  change_view(app, [](PairView& v, const PairResult* result) {
    if (!result || !result->story) return;
    const StoryModel& story = *result->story;
    const std::optional<StepChoice> step = v.step ? v.step : story.first_part;
    if (!step) return;
    const Side other = step->side == Side::a ? Side::b : Side::a;
    const auto [from, to] = step_leaves(story, *step);
    if (to <= from) return;
    if (const auto found = step_adding(story.axis.side(other), (from + to) / 2))
      v.step = StepChoice{other, *found};
  });
}

/// The library's other choices of batch for B (or A with Shift).
auto gate(Side side, int direction) {
  return [side, direction](Application& app) {
    SceneState state = app.document().state();
    auto* gemm = std::get_if<GemmState>(&state);
    if (!gemm) return;
    const Layer* layer = find_layer(gemm->layer);
    if (!layer) return;
    GemmChoice& choice = side == Side::a ? gemm->a : gemm->b;
    choice.by_batch = true;
    choice.batch = layer->next_change(choice.batch, direction);
    app.document().change(std::move(state));
  };
}

void export_data(Application& app, const std::string& stem, const std::string& extension,
                 const std::function<std::string(const PairResult&)>& make) {
  const auto result = app.document().pair();
  if (!result || !result->valid()) {
    app.notify(text("note.no_data"), true);
    return;
  }
  save_export(app, stem, extension, [&] { return make(*result); });
}

std::string selected_step_csv(const PairResult& result, const PairView& view) {
  if (!result.story) throw UsageError(text("step.none"));
  const auto step = selected_step(*result.story, view);
  if (!step) throw UsageError(text("step.none"));
  return step_csv(*step);
}

}  // namespace

void add_pair_commands(std::vector<Command>& list) {
  const std::vector<Command> commands{
      {"level.matrix", {Key::m, false, false}, level(Level::matrix), {}},
      {"level.axis", {Key::k, false, false}, level(Level::axis), {}},
      {"level.step", {Key::s, false, false}, level(Level::step), {}},
      {"level.bits", {Key::b, false, false}, level(Level::bits), {}},
      {"deeper", {Key::page_down, false, false}, deeper(1), {}},
      {"higher", {Key::page_up, false, false}, deeper(-1), {}},
      {"difference.next", {Key::n, false, false}, difference(1), {}},
      {"difference.previous", {Key::n, false, true}, difference(-1), {}},
      {"part.next", {Key::d, false, false}, next_part, {}},
      {"zoom.in", {Key::plus, false, false}, zoom(0.5), {}},
      {"zoom.out", {Key::minus, false, false}, zoom(2), {}},
      {"zoom.all", {Key::n0, false, false}, zoom(1e18), {}},
      {"side.other", {Key::x, false, false}, other_side, {}},
      {"rounding",
       {Key::r, false, false},
       [](Application& app) {
         change_view(app, [](PairView& v, const PairResult*) { v.before_last_rounding ^= true; });
       },
       {}},
      {"measure.next",
       {Key::c, false, false},
       [](Application& app) {
         change_view(app, [](PairView& v, const PairResult*) {
           v.measure = static_cast<MapMeasure>((static_cast<int>(v.measure) + 1) % 4);
         });
       },
       {}},
      {"gate.b.up", {Key::right, false, true}, gate(Side::b, 1), {}},
      {"gate.b.down", {Key::left, false, true}, gate(Side::b, -1), {}},
      {"gate.a.up", {Key::up, false, true}, gate(Side::a, 1), {}},
      {"gate.a.down", {Key::down, false, true}, gate(Side::a, -1), {}},
      {"notation.a",
       {Key::e, false, false},
       [](Application& a) { a.show(make_notation_editor(Side::a)); },
       {}},
      {"notation.b",
       {Key::e, false, true},
       [](Application& a) { a.show(make_notation_editor(Side::b)); },
       {}},
      {"csv.outputs",
       {},
       [](Application& a) { export_data(a, "outputs", "csv", outputs_csv); },
       {}},
      {"csv.steps",
       {},
       [](Application& a) {
         export_data(a, "steps", "csv", [](const PairResult& r) {
           if (!r.story) throw UsageError(text("step.none"));
           return steps_csv(*r.story);
         });
       },
       {}},
      {"csv.ribbons",
       {},
       [](Application& a) {
         export_data(a, "ribbons", "csv", [](const PairResult& r) {
           if (!r.story) throw UsageError(text("step.none"));
           return ribbons_csv(*r.story);
         });
       },
       {}},
      {"csv.step",
       {},
       [](Application& a) {
         SceneState state = a.document().state();
         const PairView* view = view_of(state);
         if (!view) return;
         export_data(a, "step", "csv",
                     [view](const PairResult& r) { return selected_step_csv(r, *view); });
       },
       {}},
      {"json",
       {},
       [](Application& a) { export_data(a, "comparison", "json", comparison_json); },
       {}},
  };
  list.insert(list.end(), commands.begin(), commands.end());
}

}  // namespace whybits::viz
