#include <filesystem>
#include <fstream>

#include "lab/usage_error.hpp"
#include "tests/support/property.hpp"
#include "tests/support/temporary_folder.hpp"
#include "visualizer/model/session.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits;
using namespace whybits::viz;
using namespace whybits::test;

namespace {

PairView random_view(Random& random, std::uint64_t outputs) {
  PairView view;
  view.level = static_cast<Level>(random.below(4));
  if (random.coin()) view.output = random.below(outputs);
  if (random.coin())
    view.step = StepChoice{random.coin() ? Side::a : Side::b, random.below(100000)};
  if (random.coin()) view.bit = static_cast<int>(random.below(64));
  if (random.coin()) {
    view.first = static_cast<double>(random.below(1000)) / 8;
    view.last = view.first + 1 + static_cast<double>(random.below(1000)) / 8;
  }
  for (std::uint64_t i = random.below(4); i > 0; --i)
    view.folds.push_back({random.coin() ? Side::a : Side::b, random.below(1000), random.coin()});
  view.before_last_rounding = random.coin();
  view.measure = static_cast<MapMeasure>(random.below(4));
  return view;
}

GemmChoice random_choice(Random& random, bool layer) {
  if (layer && random.coin()) return {true, 1 + random.below(4096), ""};
  return {false, 1,
          random.coin() ? "fold(sm90.wgmma.bf16) > bf16" : "slices(64, fold(f32.fma), fold(f32))"};
}

SceneState random_state(Random& random) {
  switch (random.below(3)) {
    case 0: {
      BitsState s;
      s.operation = random.coin() ? "none" : "add";
      s.format = random.coin() ? "f16" : "e5m10";
      s.rounding = random.coin() ? "nearest-even" : "up";
      // Also half typed: what is on the screen must come back.
      s.operands = {random.coin() ? "0.1" : random.coin() ? "" : "-1e"};
      if (s.operation == "add") s.operands.emplace_back("0x3C00");
      s.selected = random.below(s.operands.size());
      if (random.coin()) s.bit = static_cast<int>(random.below(16));
      return s;
    }
    case 1: {
      SumState s;
      s.n = random.below(10000);
      s.rows = 1 + random.below(100);
      s.type = "bf16";
      s.input = "wide:" + std::to_string(random.below(100));
      s.a = "fold(f32) > bf16";
      s.view = random_view(random, s.rows);
      return s;
    }
    default: {
      GemmState s;
      if (random.coin()) {
        s.layer.clear();
        s.n = 1 + random.below(100);
        s.k = random.below(1000);
        s.type_a = s.type_b = "f16";
        if (random.coin()) s.leaf = "product > f32";
      }
      s.m = 1 + random.below(4);
      s.a = random_choice(random, !s.layer.empty());
      s.b = random_choice(random, !s.layer.empty());
      s.view = random_view(random, s.m * s.n);
      return s;
    }
  }
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_session(text, "file.json"));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// A valid session with one part replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const std::string valid =
    R"json({"whybits_session": 1, "scene": "sum", "state": {"n": 10, "rows": 2,
  "type": "f32", "input": "uniform:1", "a": "fold(f32)", "b": "pairs(f32)",
  "view": {"level": "axis", "output": 1, "range": [0, 5]}}})json";

}  // namespace

TEST_CASE("a session that is written and read is the same state") {
  for_all(300, [](Random& random) {
    const Session session{random_state(random), {}};
    const std::string text = session_text(session);
    CAPTURE(text);
    CHECK(parse_session(text, "s.json") == session);
    CHECK(session_text(parse_session(text, "s.json")) == text);
  });
}

TEST_CASE(
    "an output chosen on an older, larger picture is let go, so that the session can be read") {
  SumState sum;
  sum.rows = 4;
  sum.view.output = 60;
  sum.view.step = StepChoice{};
  const auto left = std::get<SumState>(settled(sum));
  CHECK_FALSE(left.view.output);
  CHECK_FALSE(left.view.step);
  GemmState gemm;
  gemm.view.output = gemm.m * gemm.n;
  CHECK_FALSE(std::get<GemmState>(settled(gemm)).view.output);
  gemm.view.output = gemm.m * gemm.n - 1;
  CHECK(settled(gemm) == SceneState{gemm});
}

TEST_CASE("hostile sessions are refused with a message that names the file and the place") {
  REQUIRE(refusal(valid).empty());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "file.json"},
      {"[]", "not an object"},
      {"{}", "whybits_session"},
      {with(valid, "\"whybits_session\": 1", "\"whybits_session\": 2"), "version 2 is not known"},
      {with(valid, "\"scene\": \"sum\"", "\"scene\": \"../../etc\""), "there is no scene"},
      {with(valid, "\"n\": 10", "\"n\": -1"), "state.n"},
      {with(valid, "\"n\": 10", "\"n\": 1e300"), "state.n"},
      {with(valid, "\"n\": 10", "\"n\": 99999999999"), "state.n"},
      {with(valid, "\"n\": 10", "\"m\": 10"), "'m' is not a known key"},
      {with(valid, "\"n\": 10,", "\"n\": 10, \"n\": 11,"), "file.json"},
      {with(valid, "\"f32\"", "\"f33\""), "unknown format"},
      {with(valid, "fold(f32)", "fold(f32"), "state.a"},
      {with(valid, "uniform:1", "uniform:x"), "state.input"},
      {with(valid, "\"level\": \"axis\"", "\"level\": 3"), "state.view.level"},
      {with(valid, "\"level\": \"axis\"", "\"level\": \"sky\""), "'sky' is not known"},
      {with(valid, "\"output\": 1", "\"output\": 2"), "there is no row 2"},
      {with(valid, "[0, 5]", "[5, 0]"), "ends before it begins"},
      {with(valid, "[0, 5]", "[0]"), "not two numbers"},
      {with(valid, "[0, 5]", "[0, 1e999]"), "file.json"},
      {with(valid, "uniform:1", "uniform:1\\u001b[31m"), "control characters"},
      {std::string(100000, '['), "file.json"},
      {std::string(2U << 20, ' '), "larger than"}};
  for (const auto& [text, message] : cases) {
    CAPTURE(text.substr(0, 300));
    const std::string said = refusal(text);
    CHECK_THAT(said, contains(message));
    CHECK_THAT(said, contains("file.json"));
  }
}

TEST_CASE("sessions are written whole and read back from disk") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "session.json";
  const Session session{GemmState{}, {}};
  write_session(path, session);
  CHECK(read_session(path) == session);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(read_session(path), UsageError);
}

TEST_CASE("presets are files that read back, each with a claim and at most three sentences") {
  REQUIRE(presets().size() >= 12);
  for (const Session& preset : presets()) {
    CAPTURE(preset.preset->name);
    CHECK_FALSE(preset.preset->english.title.empty());
    CHECK_FALSE(preset.preset->claim.empty());
    CHECK(preset.preset->english.guidance.size() <= 3);
    REQUIRE(preset.preset->chinese);
    CHECK(preset.preset->chinese->guidance.size() == preset.preset->english.guidance.size());
    CHECK(preset.preset->words() == preset.preset->english);
    set_language(Language::chinese);
    CHECK(preset.preset->words() == *preset.preset->chinese);
    set_language(Language::english);
    Session again = parse_session(session_text(preset), "again.json");
    again.preset->name = preset.preset->name;
    CHECK(again == preset);
    CHECK(find_preset(preset.preset->name) == preset);
    CHECK_FALSE(command_line(preset.state).empty());
  }
  CHECK_THROWS_AS(find_preset("batch-64-129"), UsageError);
}
