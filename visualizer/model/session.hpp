// Sessions and presets: one JSON format, versioned, strictly checked. A preset is a session with a
// claim and a few sentences of guidance.
//
//   { "whybits_session": 1, "scene": "gemm", "state": {…},
//     "preset": {"rank": 1, "claim": "B8", "title": "…", "guidance": ["…", …],
//                "names": ["what A is", "what B is"],
//                "zh": {"title": "…", "guidance": ["…", …], "names": […]}} }
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/model/scene.hpp"

namespace whybits::viz {

inline constexpr std::uint64_t largest_session_bytes = std::uint64_t{1} << 20;

struct PresetWords {
  std::string title;                  ///< the claim in a line
  std::vector<std::string> guidance;  ///< up to three sentences
  /// What A and B are: "CUB", "torch.sum". Empty: their topologies name them.
  std::vector<std::string> names;
  bool operator==(const PresetWords&) const = default;
};
struct PresetText {
  std::string name;        ///< of the file, as --preset takes it; not written
  std::uint64_t rank = 1;  ///< place among the presets of its scene
  std::string claim;       ///< of the source article: "B8"; empty: none
  PresetWords english;
  std::optional<PresetWords> chinese;

  /// In the language of the screen, English where there are none.
  const PresetWords& words() const;
  bool operator==(const PresetText&) const = default;
};

struct Session {
  SceneState state;
  std::optional<PresetText> preset;
  bool operator==(const Session&) const = default;

  /// What the preset calls A or B; empty if it does not.
  std::string side_name(Side side) const;
  /// What is computed is no longer what the preset names.
  void drop_names();
};

std::string session_text(const Session& session);
/// `where` names the file in messages. Errors: UsageError.
Session parse_session(std::string_view text, const std::string& where);
/// Written whole or not at all. Errors: UsageError.
void write_session(const std::filesystem::path& path, const Session& session);
Session read_session(const std::filesystem::path& path);

/// All presets of visualizer/scenes/*/presets, built into the program: by scene, then by rank. The
/// first of GEMM is the story with which the program opens.
const std::vector<Session>& presets();
/// Errors: UsageError naming the nearest one.
const Session& find_preset(std::string_view name);

}  // namespace whybits::viz
