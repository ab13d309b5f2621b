#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits::viz;

namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// Keys that the sources of the views name literally.
std::set<std::string> keys_in_sources() {
  std::set<std::string> keys;
  const std::filesystem::path root = std::filesystem::path(WHYBITS_SOURCE_DIR) / "visualizer";
  const std::regex call(R"rx(\btext\("([a-z][a-z0-9_.]*)"\s*[,)])rx");
  const std::regex term(R"rx(\bterm\([^;"]*"([a-z_]+)"\))rx");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string source = file_text(entry.path());
    for (std::sregex_iterator it(source.begin(), source.end(), call), end; it != end; ++it)
      keys.insert((*it)[1]);
    for (std::sregex_iterator it(source.begin(), source.end(), term), end; it != end; ++it)
      keys.insert("tip." + (*it)[1].str());
  }
  return keys;
}

std::multiset<std::string> placeholders(const std::string& text) {
  std::multiset<std::string> out;
  const std::regex place(R"(\{[0-9]+\})");
  for (std::sregex_iterator it(text.begin(), text.end(), place), end; it != end; ++it)
    out.insert(it->str());
  return out;
}

std::string in(Language language, std::string_view key) {
  set_language(language);
  std::string out = text(key);
  set_language(Language::english);
  return out;
}

}  // namespace

TEST_CASE("every text that a view names is in the English table") {
  const auto keys = keys_in_sources();
  REQUIRE(keys.size() > 100);
  for (const std::string& key : keys) {
    INFO(key);
    CHECK(has_text(Language::english, key));
  }
}

TEST_CASE("every command has its text") {
  for (const Command& command : make_commands()) {
    INFO(command.name);
    CHECK((command.label || has_text(Language::english, "command." + command.name)));
  }
}

TEST_CASE("no two commands have the same keys") {
  const auto commands = make_commands();
  for (std::size_t i = 0; i < commands.size(); ++i)
    for (std::size_t j = i + 1; j < commands.size(); ++j) {
      INFO(commands[i].name << " and " << commands[j].name);
      CHECK((commands[i].chord.key == Key::none || !(commands[i].chord == commands[j].chord)));
    }
}

TEST_CASE("Chinese has every text of the English table, with the same places to fill") {
  for (const std::string_view key : text_keys(Language::english)) {
    INFO(key);
    REQUIRE(has_text(Language::chinese, key));
    CHECK(placeholders(in(Language::english, key)) == placeholders(in(Language::chinese, key)));
  }
}

TEST_CASE("Chinese has no text that English lacks") {
  for (const std::string_view key : text_keys(Language::chinese)) {
    INFO(key);
    CHECK(has_text(Language::english, key));
  }
}
