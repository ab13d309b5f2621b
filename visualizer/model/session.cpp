#include "visualizer/model/session.hpp"

#include <algorithm>
#include <tuple>

#include "lab/files.hpp"
#include "lab/output_text.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "visualizer/model/embedded.hpp"
#include "visualizer/model/view_json.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t version = 1;
constexpr std::size_t most_guidance = 3;

PresetWords read_words(const JsonField& field) {
  PresetWords words;
  words.title = read_short_text(field.at("title"), 200);
  for (const JsonField& sentence : field.at("guidance").elements()) {
    if (words.guidance.size() == most_guidance)
      field.at("guidance").fail("more than three sentences");
    words.guidance.push_back(read_short_text(sentence, 400));
  }
  if (const auto names = field.find("names")) {
    for (const JsonField& name : names->elements())
      words.names.push_back(read_short_text(name, 60));
    if (words.names.size() != 2) names->fail("not two names, of A and of B");
  }
  return words;
}

PresetText read_preset(const JsonField& field) {
  field.allow_only({"rank", "claim", "title", "guidance", "names", "zh"});
  PresetText preset;
  preset.rank = field.at("rank").number(1, 1000);
  if (const auto claim = field.find("claim")) preset.claim = read_short_text(*claim, 16);
  preset.english = read_words(field);
  if (const auto chinese = field.find("zh")) {
    chinese->allow_only({"title", "guidance", "names"});
    preset.chinese = read_words(*chinese);
  }
  return preset;
}

nlohmann::ordered_json words_json(const PresetWords& words) {
  nlohmann::ordered_json out{{"title", words.title}, {"guidance", words.guidance}};
  if (!words.names.empty()) out["names"] = words.names;
  return out;
}

std::vector<Session> read_presets() {
  std::vector<Session> all;
  for (const EmbeddedFile& file : embedded_presets()) {
    Session session = parse_session(file.text, std::string(file.name) + ".json");
    if (!session.preset || scene_name(session.state) != file.scene)
      throw UsageError(std::string(file.name) + ".json: not a preset of the scene " +
                       std::string(file.scene));
    session.preset->name = file.name;
    all.push_back(std::move(session));
  }
  std::stable_sort(all.begin(), all.end(), [](const Session& x, const Session& y) {
    return std::tuple(x.state.index(), x.preset->rank) <
           std::tuple(y.state.index(), y.preset->rank);
  });
  return all;
}

}  // namespace

const PresetWords& PresetText::words() const {
  return language() == Language::chinese && chinese ? *chinese : english;
}

std::string Session::side_name(Side side) const {
  if (!preset || preset->words().names.empty()) return {};
  return preset->words().names[side == Side::a ? 0 : 1];
}

void Session::drop_names() {
  if (!preset) return;
  preset->english.names.clear();
  if (preset->chinese) preset->chinese->names.clear();
}

std::string session_text(const Session& session) {
  nlohmann::ordered_json out{{"whybits_session", version},
                             {"scene", scene_name(session.state)},
                             {"state", state_json(session.state)}};
  if (session.preset) {
    nlohmann::ordered_json preset{{"rank", session.preset->rank}};
    if (!session.preset->claim.empty()) preset["claim"] = session.preset->claim;
    preset.update(words_json(session.preset->english));
    if (session.preset->chinese) preset["zh"] = words_json(*session.preset->chinese);
    out["preset"] = std::move(preset);
  }
  return json_text(out);
}

Session parse_session(std::string_view text, const std::string& where) {
  if (text.size() > largest_session_bytes)
    throw UsageError(where + ": larger than " + human_bytes(largest_session_bytes));
  const nlohmann::json document = parse_strict_json(text, where);
  const JsonField root(document, where);
  // The version first: of a newer file nothing else is known.
  const std::uint64_t given = root.at("whybits_session").number();
  if (given != version)
    root.at("whybits_session")
        .fail("version " + std::to_string(given) + " is not known", "this program reads version 1");
  root.allow_only({"whybits_session", "scene", "state", "preset"});
  const JsonField scene = root.at("scene");
  const auto& names = scene_names();
  if (std::find(names.begin(), names.end(), scene.text()) == names.end()) {
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    scene.fail("there is no scene '" + scene.text().substr(0, 40) + "'", "one of: " + all);
  }
  Session session{read_state(scene.text(), root.at("state")), {}};
  if (const auto preset = root.find("preset")) session.preset = read_preset(*preset);
  return session;
}

void write_session(const std::filesystem::path& path, const Session& session) {
  write_file_atomically(path, session_text(session));
}

Session read_session(const std::filesystem::path& path) {
  return parse_session(read_text_file(path, largest_session_bytes), path.filename().string());
}

const std::vector<Session>& presets() {
  static const std::vector<Session> all = read_presets();
  return all;
}

const Session& find_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const Session& session : presets()) {
    if (session.preset->name == name) return session;
    names.push_back(session.preset->name);
  }
  const auto near = nearest_name(std::string(name), names);
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  throw UsageError("there is no preset '" + std::string(name) + "'" +
                       (near ? "; did you mean " + *near + "?" : ""),
                   "presets: " + all);
}

}  // namespace whybits::viz
