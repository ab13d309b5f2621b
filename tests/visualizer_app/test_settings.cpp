#include <cstdlib>
#include <fstream>

#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "visualizer/app/settings_store.hpp"

using namespace whybits;
using namespace whybits::viz;
using whybits::test::TemporaryFolder;

namespace {

Settings settings(ThemeName theme, float scale, Language language) {
  Settings out;
  out.theme = theme;
  out.scale = scale;
  out.language = language;
  return out;
}

std::string refusal(const std::string& text) {
  try {
    parse_settings(text, "viz.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("settings are written and read back") {
  for (const ThemeName theme : {ThemeName::dark, ThemeName::light})
    for (const Language language : {Language::english, Language::chinese})
      for (const float scale : {smallest_scale, 1.F, 1.25F, largest_scale}) {
        const ChosenSettings read =
            parse_settings(settings_text(settings(theme, scale, language)), "f");
        CHECK(read == ChosenSettings{theme, language, scale});
      }
}

TEST_CASE("settings that are left out are nobody's choice") {
  CHECK(parse_settings(R"({"whybits_viz_settings": 1})", "f") == ChosenSettings{});
  CHECK(read_settings("/nowhere/whybits/viz.json") == ChosenSettings{});
  const Settings first = merged({}, {});
  CHECK(first.theme == ThemeName::dark);
  CHECK(first.language == Language::english);
  CHECK(first.scale == 1);
}

TEST_CASE("the command line wins over what was kept") {
  const ChosenSettings kept{ThemeName::light, Language::chinese, 2.F};
  CHECK(merged({}, kept).theme == ThemeName::light);
  CHECK(merged({}, kept).scale == 2);
  const Settings chosen = merged({ThemeName::dark, std::nullopt, 1.F}, kept);
  CHECK(chosen.theme == ThemeName::dark);
  CHECK(chosen.language == Language::chinese);
  CHECK(chosen.scale == 1);
}

TEST_CASE("settings that are wrong are refused, naming file and place") {
  const auto with = [](const std::string& member) {
    return refusal(R"({"whybits_viz_settings": 1, )" + member + "}");
  };
  CHECK(with(R"("theme": "blue")").find("viz.json: theme: 'blue' is no theme") == 0);
  CHECK(with(R"("language": "fr")").find("viz.json: language: ") == 0);
  CHECK(with(R"("scale_percent": 74)").find("viz.json: scale_percent: ") == 0);
  CHECK(with(R"("scale_percent": 301)").find("viz.json: scale_percent: ") == 0);
  CHECK(with(R"("scale_percent": 1.5)").find("viz.json: scale_percent: ") == 0);
  CHECK(with(R"("theem": "dark")").find("theem") != std::string::npos);
  CHECK(refusal(R"({"whybits_viz_settings": 2})").find("version 2") != std::string::npos);
  CHECK(refusal(R"({"theme": "dark"})") != "accepted");
  CHECK(refusal("[1]") != "accepted");
  CHECK(refusal("{") != "accepted");
}

TEST_CASE("settings lie in the folder for configuration, which is made if it is not there") {
  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path() / "not there yet";
  ::setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  const std::filesystem::path path = settings_path();
  ::unsetenv("XDG_CONFIG_HOME");
  CHECK(path == folder / "whybits/viz.json");
  write_settings(path, settings(ThemeName::light, 1.5F, Language::chinese));
  CHECK(read_settings(path) == ChosenSettings{ThemeName::light, Language::chinese, 1.5F});
}
