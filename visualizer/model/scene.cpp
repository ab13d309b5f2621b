#include "visualizer/model/scene.hpp"

#include <algorithm>

#include "lab/usage_error.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"

namespace whybits::viz {
namespace {

/// All that is known of a scene without its views.
struct Scene {
  std::string_view name;
  SceneState initial;
  SceneState (*read)(const JsonField&);
};

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all{
      {"bits", BitsState{}, [](const JsonField& f) -> SceneState { return read_bits_state(f); }},
      {"sum", SumState{}, [](const JsonField& f) -> SceneState { return read_sum_state(f); }},
      {"gemm", GemmState{}, [](const JsonField& f) -> SceneState { return read_gemm_state(f); }}};
  return all;
}

const Scene& find(std::string_view name) {
  const auto found = std::find_if(scenes().begin(), scenes().end(),
                                  [&](const Scene& scene) { return scene.name == name; });
  if (found == scenes().end()) throw UsageError("there is no scene '" + std::string(name) + "'");
  return *found;
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

}  // namespace

const std::vector<std::string_view>& scene_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> out;
    for (const Scene& scene : scenes()) out.push_back(scene.name);
    return out;
  }();
  return names;
}

std::string_view scene_name(const SceneState& state) {
  return scene_names()[state.index()];
}

SceneState initial_state(std::string_view scene) {
  return find(scene).initial;
}

SceneState settled(SceneState state) {
  const auto settle = [](PairView& view, std::uint64_t rows, std::uint64_t columns) {
    if (!view.output || *view.output / columns < rows) return;
    view.output.reset();
    view.step.reset();
  };
  if (auto* gemm = std::get_if<GemmState>(&state)) settle(gemm->view, gemm->m, gemm->n);
  if (auto* sum = std::get_if<SumState>(&state)) settle(sum->view, sum->rows, 1);
  return state;
}

nlohmann::ordered_json state_json(const SceneState& state) {
  return std::visit([](const auto& s) { return viz::state_json(s); }, state);
}

SceneState read_state(std::string_view scene, const JsonField& field) {
  return find(scene).read(field);
}

std::string command_line(const SceneState& state, std::optional<std::uint64_t> output) {
  return std::visit(Overloaded{[](const BitsState& s) { return viz::command_line(s); },
                               [&](const auto& s) { return viz::command_line(s, output); }},
                    state);
}

}  // namespace whybits::viz
