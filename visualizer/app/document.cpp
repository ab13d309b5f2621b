#include "visualizer/app/document.hpp"

#include <algorithm>
#include <vector>

#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"

namespace whybits::viz {
namespace {

/// The state without what only moves the view: equal values need no new computation.
SceneState computed_part(SceneState state) {
  const auto still = [](PairView& view) {
    view.level = Level::axis;
    view.first = view.last = 0;
    view.step.reset();
    view.bit.reset();
    view.folds.clear();
  };
  if (auto* gemm = std::get_if<GemmState>(&state)) still(gemm->view);
  if (auto* sum = std::get_if<SumState>(&state)) still(sum->view);
  return state;
}

/// Where recordings of this source tree lie: below the current folder, or beside the build.
std::filesystem::path recordings_folder() {
  std::error_code ignored;
  std::vector<std::filesystem::path> places{std::filesystem::current_path(ignored)};
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (auto at = program.parent_path(); at.has_relative_path(); at = at.parent_path())
    places.push_back(at);
  for (const auto& place : places)
    if (std::filesystem::is_directory(place / "tests/recordings", ignored))
      return place / "tests/recordings";
  return {};
}

template <class State, class Model>
Worker<State, PairResult> worker(const std::function<void()>& wake,
                                 const std::shared_ptr<Model>& model) {
  return Worker<State, PairResult>(
      [model](const State& state, const std::stop_token& stop, const ReportProgress& progress) {
        return model->compute(state, stop, progress);
      },
      wake);
}

/// With which the program opens: the first of GEMM.
const Session& story() {
  const std::vector<Session>& all = presets();
  return *std::find_if(all.begin(), all.end(), [](const Session& preset) {
    return std::holds_alternative<GemmState>(preset.state);
  });
}

}  // namespace

Document::Document(const std::function<void()>& wake)
    : history_(story()),
      gemm_(worker<GemmState>(wake, std::make_shared<GemmModel>(recordings_folder()))),
      sum_(worker<SumState>(wake, std::make_shared<SumModel>())) {
  asked_ = BitsState{};
  ask();
}

void Document::ask() {
  SceneState part = computed_part(state());
  if (part == asked_) return;
  if (const auto* gemm = std::get_if<GemmState>(&part)) gemm_.ask(*gemm);
  if (const auto* sum = std::get_if<SumState>(&part)) sum_.ask(*sum);
  if (const auto* bits = std::get_if<BitsState>(&part)) bits_ = compute(*bits);
  asked_ = std::move(part);
}

void Document::change(SceneState next, const std::string& gesture) {
  Session session = history_.present();
  next = settled(std::move(next));
  if (!(computed_part(session.state) == computed_part(next))) session.drop_names();
  session.state = std::move(next);
  history_.go(std::move(session), gesture);
  ask();
}

void Document::open(Session session) {
  left_.insert_or_assign(std::string(scene()), history_.present());
  history_.settle();
  history_.go(std::move(session));
  ask();
}

void Document::switch_scene(std::string_view name) {
  if (name == scene()) return;
  const auto left = left_.find(name);
  if (left != left_.end()) return open(left->second);
  for (const Session& preset : presets())
    if (scene_name(preset.state) == name) return open(preset);
  open({initial_state(name), std::nullopt});
}

bool Document::undo() {
  const bool done = history_.undo();
  ask();
  return done;
}

bool Document::redo() {
  const bool done = history_.redo();
  ask();
  return done;
}

std::shared_ptr<const PairResult> Document::pair() const {
  if (std::holds_alternative<GemmState>(state())) return gemm_.latest();
  if (std::holds_alternative<SumState>(state())) return sum_.latest();
  return nullptr;
}

WorkProgress Document::progress() const {
  if (std::holds_alternative<GemmState>(state())) return gemm_.progress();
  if (std::holds_alternative<SumState>(state())) return sum_.progress();
  return {};
}

bool Document::current() const {
  if (std::holds_alternative<GemmState>(state())) return gemm_.current();
  if (std::holds_alternative<SumState>(state())) return sum_.current();
  return true;
}

void Document::wait() const {
  if (std::holds_alternative<GemmState>(state())) gemm_.wait();
  if (std::holds_alternative<SumState>(state())) sum_.wait();
}

}  // namespace whybits::viz
