// Is a lesson, or a claim, sound? Both texts have the same structure, every stub fails for the
// intended reason, every solution passes, every known wrong answer gets its reply, every number is
// made by something that is run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exercises/claims.hpp"
#include "exercises/course.hpp"
#include "exercises/run_evidence.hpp"
#include "exercises/toolchain.hpp"

namespace whybits::course {

using Problems = std::vector<std::string>;

/// Files, texts and structure.
Problems lint_texts(const Course& course, const Lesson& lesson);
/// Answers, stubs and replies, without a compiler.
Problems lint_tasks(const Lesson& lesson);
/// Stubs and solutions of the code tasks. Takes seconds each.
Problems lint_code(const Course& course, const Lesson& lesson, const Toolchain& tools);
/// Commands show what they must, and every number of the prose is proved.
Problems lint_numbers(const Course& course, const Lesson& lesson, const CommandRunner& run);

/// The evidence of a claim holds, and makes every number of what was found. Files lie below `root`.
Problems lint_claim(const Claim& claim, const std::filesystem::path& root,
                    const CommandRunner& run);

}  // namespace whybits::course
