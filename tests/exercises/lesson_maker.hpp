// A small sound course in a temporary folder, and ways to spoil it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "exercises/course.hpp"
#include "tests/support/temporary_folder.hpp"

namespace whybits::test {

inline nlohmann::json both(const std::string& en, const std::string& zh) {
  return {{"en", en}, {"zh", zh}};
}

inline nlohmann::json predict_task() {
  return {{"id", "sum"},
          {"kind", "predict"},
          {"question", both("2048 + 1 in f16?", "f16 里 2048 + 1 等于多少？")},
          {"answer", {{"value", "2048"}, {"format", "f16"}}},
          {"hints", {both("A tie.", "正中间。")}},
          {"because", both("Ties go to even: 2048.", "取偶：2048。")},
          {"wrong",
           {{{"says", "2049"}, {"surprise", true}, {"reply", both("No f16.", "不是 f16。")}}}}};
}

inline nlohmann::json topology_task() {
  return {{"id", "warp"},
          {"kind", "topology"},
          {"question", both("Neighbours first.", "先加相邻的。")},
          {"leaves", {{"sum", "f32"}}},
          {"n", {1, 5, 32, 100}},
          {"stub", "fold(f32)"},
          {"same_as", "pairs(f32)"},
          {"hints", {both("One word.", "一个词。")}},
          {"because", both("That is it.", "就是它。")},
          {"wrong", {{{"says", "halves(f32)"}, {"reply", both("Far first.", "这是先加远的。")}}}}};
}

inline nlohmann::json code_task() {
  return {{"id", "add"},
          {"kind", "code"},
          {"question", both("Add in index order.", "按下标顺序相加。")},
          {"signature", "sum"},
          {"function", "add_up"},
          {"n", {0, 1, 5, 33}},
          {"same_as", {{"topology", "fold(f32)"}}},
          {"hints", {both("A loop.", "一个循环。")}},
          {"because", both("A fold.", "这就是 fold。")},
          {"wrong",
           {{{"says", {{"topology", "reverse(fold(f32))"}}},
             {"reply", both("Backwards.", "反了。")}}}}};
}

inline nlohmann::json lesson_json(std::initializer_list<nlohmann::json> tasks) {
  return {{"whybits_lesson", 1},
          {"id", "01_small"},
          {"title", both("Small", "小")},
          {"minutes", 1},
          {"tasks", nlohmann::json(std::vector<nlohmann::json>(tasks))}};
}

inline course::Lesson lesson_of(std::initializer_list<nlohmann::json> tasks) {
  return course::parse_lesson(lesson_json(tasks).dump(), "lesson.json");
}

inline constexpr const char* good_sum =
    "namespace learner {\nfloat add_up(std::span<const float> x) {\n  float s = 0;\n"
    "  for (std::size_t i = 0; i < x.size(); ++i) s = i == 0 ? x[0] : s + x[i];\n  return "
    "s;\n}\n}\n";
inline constexpr const char* stub_sum =
    "namespace learner {\nfloat add_up(std::span<const float>) {\n  return 0;  // TODO\n}\n}\n";

/// Writes the lesson's files; texts ask every task once.
inline course::Course write_course(const TemporaryFolder& folder, const nlohmann::json& lesson) {
  const std::string id = lesson.at("id");
  std::filesystem::create_directory(folder.path() / id);
  folder.write(id + "/lesson.json", lesson.dump());
  std::string en = "# 1 Small\n\nText.\n", zh = "# 1 小\n\n文字。\n";
  for (const auto& task : lesson.at("tasks")) {
    const std::string name = task.at("id");
    en += "\n**Question `" + name + "`**\n";
    zh += "\n**问题 `" + name + "`**\n";
    if (task.at("kind") != "code") continue;
    folder.write(id + "/" + name + ".stub.cpp", stub_sum);
    folder.write(id + "/" + name + ".solution.cpp", good_sum);
  }
  folder.write(id + "/lesson.en.md", en);
  folder.write(id + "/lesson.zh.md", zh);
  return course::load_course(folder.path());
}

}  // namespace whybits::test
