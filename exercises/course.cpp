#include "exercises/course.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/files.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits::course {
namespace {

namespace fs = std::filesystem;

}  // namespace

int lesson_number(const Lesson& lesson) {
  int number = 0;
  for (const char c : lesson.id) {
    if (c < '0' || c > '9' || number > 999) break;
    number = number * 10 + (c - '0');
  }
  return number;
}

const Lesson& Course::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const Lesson& lesson : lessons) {
    const std::string_view id = lesson.id;
    const std::string_view slug = id.substr(std::min(id.find('_') + 1, id.size()));
    const std::string number = std::to_string(lesson_number(lesson));
    if (name == id || name == slug || name == number || name == "0" + number) return lesson;
    names.emplace_back(slug);
  }
  const auto near = nearest_name(name, names);
  throw UsageError(
      fmt::format("there is no lesson '{}'{}", name, near ? "; did you mean " + *near + "?" : ""),
      "whybits learn list has all of them");
}

std::string Course::text(const Lesson& lesson, Language language) const {
  return read_text_file(file(lesson, fmt::format("lesson.{}.md", language_name(language))),
                        largest_text);
}

fs::path Course::file(const Lesson& lesson, const std::string& name) const {
  return folder / lesson.id / name;
}

Course load_course(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw UsageError(folder.string() + ": there is no folder of lessons",
                     "name it with --lessons, as in --lessons exercises");
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / "lesson.json", error)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  Course course{folder, {}};
  for (const fs::path& path : found) {
    const fs::path file = path / "lesson.json";
    course.lessons.push_back(parse_lesson(read_text_file(file, largest_text), file.string()));
    if (course.lessons.back().id != path.filename().string())
      throw UsageError(file.string() + ": id: '" + course.lessons.back().id +
                       "' is not the name of its folder");
  }
  if (course.lessons.empty())
    throw UsageError(folder.string() + ": no lesson.json in any subfolder",
                     "name the folder of lessons with --lessons, as in --lessons exercises");
  return course;
}

}  // namespace whybits::course
