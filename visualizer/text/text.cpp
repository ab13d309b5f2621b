#include "visualizer/text/text.hpp"

#include <fmt/args.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "visualizer/model/embedded.hpp"

namespace whybits::viz {
namespace {

using Table = std::map<std::string, std::string, std::less<>>;

Table read_table(std::string_view name) {
  for (const EmbeddedFile& file : embedded_texts())
    if (file.name == name) return nlohmann::json::parse(file.text).get<Table>();
  throw std::logic_error("no text table '" + std::string(name) + "'");
}

const Table& table(Language of) {
  static const std::array<Table, 2> tables{read_table("en"), read_table("zh")};
  return tables[static_cast<std::size_t>(of)];
}

Language current = Language::english;

}  // namespace

void set_language(Language language) {
  current = language;
}

Language language() {
  return current;
}

const std::string& text(std::string_view key) {
  for (const Language of : {current, Language::english}) {
    const auto found = table(of).find(key);
    if (found != table(of).end()) return found->second;
  }
  static std::map<std::string, std::string, std::less<>> missing;
  auto found = missing.find(key);
  if (found == missing.end()) found = missing.emplace(std::string(key), std::string(key)).first;
  return found->second;
}

bool has_text(Language language, std::string_view key) {
  return table(language).contains(key);
}

std::vector<std::string_view> text_keys(Language language) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : table(language)) keys.push_back(key);
  return keys;
}

std::string text_with(std::string_view key, const std::vector<std::string>& args) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& arg : args) store.push_back(arg);
  return fmt::vformat(text(key), store);
}

}  // namespace whybits::viz
