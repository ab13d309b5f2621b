// How the program looks, kept between runs.
//   {"whybits_viz_settings": 1, "theme": "light", "language": "zh", "scale_percent": 125}
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "visualizer/app/settings.hpp"

namespace whybits::viz {

/// What a file or the command line chooses; nothing: as at the first start.
struct ChosenSettings {
  std::optional<ThemeName> theme;
  std::optional<Language> language;
  std::optional<float> scale;
  bool operator==(const ChosenSettings&) const = default;
};

/// Names on the command line and in the file. Errors: UsageError naming those that there are.
ThemeName theme_named(std::string_view name);
Language language_named(std::string_view name);

/// $XDG_CONFIG_HOME/whybits/viz.json, else ~/.config/whybits/viz.json.
std::filesystem::path settings_path();

/// `where` names the file in messages. Errors: UsageError, also for an unknown key or version.
ChosenSettings parse_settings(std::string_view text, const std::string& where);
std::string settings_text(const Settings& settings);

/// Nothing chosen where there is no file. Errors: UsageError.
ChosenSettings read_settings(const std::filesystem::path& path);
/// Makes the folder. Errors: UsageError.
void write_settings(const std::filesystem::path& path, const Settings& settings);

/// The command line's choice, else the file's, else the first start's.
Settings merged(const ChosenSettings& command_line, const ChosenSettings& kept);

}  // namespace whybits::viz
