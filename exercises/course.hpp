// The lessons of a folder, in their order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "exercises/lesson.hpp"

namespace whybits::course {

/// Bytes of a file of the course that are read; more is refused.
inline constexpr std::uint64_t largest_text = std::uint64_t{1} << 20;

struct Course {
  std::filesystem::path folder;
  std::vector<Lesson> lessons;

  /// By "03_order", "order", "3" or "03". Throws UsageError that names the nearest.
  const Lesson& find(std::string_view name) const;
  std::string text(const Lesson& lesson, Language language) const;
  std::filesystem::path file(const Lesson& lesson, const std::string& name) const;
};

/// Every subfolder with a lesson.json. Throws UsageError for a folder without any, or a lesson that
/// cannot be read.
Course load_course(const std::filesystem::path& folder);

/// Ordinal of a lesson: 3 of "03_order"; 0 if its name does not begin with one.
int lesson_number(const Lesson& lesson);

}  // namespace whybits::course
