#include "visualizer/app/settings_store.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "lab/files.hpp"
#include "lab/json_field.hpp"
#include "lab/output_text.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t version = 1;
constexpr std::uint64_t largest_bytes = 1U << 16U;
constexpr std::string_view version_key = "whybits_viz_settings";

template <class Value>
using Names = std::array<std::pair<std::string_view, Value>, 2>;
constexpr Names<ThemeName> themes{{{"dark", ThemeName::dark}, {"light", ThemeName::light}}};
constexpr Names<Language> languages{{{"en", Language::english}, {"zh", Language::chinese}}};

template <class Value>
Value named(const Names<Value>& names, std::string_view name, std::string_view what) {
  for (const auto& [known, value] : names)
    if (known == name) return value;
  throw UsageError("'" + std::string(name.substr(0, 40)) + "' is no " + std::string(what),
                   std::string(names[0].first) + " or " + std::string(names[1].first));
}

template <class Value>
std::string name_of(const Names<Value>& names, Value value) {
  return std::string(names[0].second == value ? names[0].first : names[1].first);
}

/// The value at a key, by a function that takes its text; complaints name the place.
template <class Function>
auto read(const JsonField& root, std::string_view key, const Function& function)
    -> std::optional<decltype(function(std::string_view()))> {
  const auto field = root.find(key);
  if (!field) return std::nullopt;
  try {
    return function(field->text());
  } catch (const UsageError& error) {
    field->fail(error.what(), error.remedy);
  }
}

std::uint64_t percent(float scale) {
  return static_cast<std::uint64_t>(std::lround(scale * 100));
}

}  // namespace

ThemeName theme_named(std::string_view name) {
  return named(themes, name, "theme");
}

Language language_named(std::string_view name) {
  return named(languages, name, "language");
}

std::filesystem::path settings_path() {
  const std::filesystem::path file = std::filesystem::path("whybits") / "viz.json";
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) return config / file;
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".config" / file;
  return std::filesystem::current_path() / file;
}

ChosenSettings parse_settings(std::string_view text, const std::string& where) {
  const nlohmann::json document = parse_strict_json(text, where);
  const JsonField root(document, where);
  const std::uint64_t given = root.at(version_key).number();
  if (given != version)
    root.at(version_key)
        .fail("version " + std::to_string(given) + " is not known",
              "this program reads version 1; delete the file to start anew");
  root.allow_only({version_key, "theme", "language", "scale_percent"});
  ChosenSettings out;
  out.theme = read(root, "theme", theme_named);
  out.language = read(root, "language", language_named);
  if (const auto scale = root.find("scale_percent"))
    out.scale =
        static_cast<float>(scale->number(percent(smallest_scale), percent(largest_scale))) / 100;
  return out;
}

std::string settings_text(const Settings& settings) {
  return json_text(nlohmann::ordered_json{{version_key, version},
                                          {"theme", name_of(themes, settings.theme)},
                                          {"language", name_of(languages, settings.language)},
                                          {"scale_percent", percent(settings.scale)}});
}

ChosenSettings read_settings(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  return parse_settings(read_text_file(path, largest_bytes), path.string());
}

void write_settings(const std::filesystem::path& path, const Settings& settings) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  write_file_atomically(path, settings_text(settings));
}

Settings merged(const ChosenSettings& command_line, const ChosenSettings& kept) {
  Settings out;
  out.theme = command_line.theme.value_or(kept.theme.value_or(out.theme));
  out.language = command_line.language.value_or(kept.language.value_or(out.language));
  out.scale = command_line.scale.value_or(kept.scale.value_or(out.scale));
  return out;
}

}  // namespace whybits::viz
