// What a scene is: a name, a state that is one value, presets. Each scene is a folder under
// visualizer/scenes; this file and scene.cpp are the only ones that list them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/json_field.hpp"
#include "visualizer/scenes/bits/bits_state.hpp"
#include "visualizer/scenes/gemm/gemm_state.hpp"
#include "visualizer/scenes/sum/sum_state.hpp"

namespace whybits::viz {

using SceneState = std::variant<BitsState, SumState, GemmState>;

/// "bits", "sum", "gemm", in the order of the tabs: the order of the variant.
const std::vector<std::string_view>& scene_names();
std::string_view scene_name(const SceneState& state);
/// The state in which a scene opens first. Precondition: a known name.
SceneState initial_state(std::string_view scene);

/// The state without a chosen output that it does not have: a picture may still be that of an older
/// state, with more outputs, when one is clicked.
SceneState settled(SceneState state);

nlohmann::ordered_json state_json(const SceneState& state);
/// Strict: unknown keys, wrong types, ranges, unknown formats, topologies that cannot be parsed or
/// read are refused with UsageError naming file and place.
SceneState read_state(std::string_view scene, const JsonField& field);

/// The `whybits …` line that prints what the scene shows; empty if there is none. `output`: of
/// which the screen tells where the state leaves it open (PairResult::story).
std::string command_line(const SceneState& state, std::optional<std::uint64_t> output = {});

}  // namespace whybits::viz
