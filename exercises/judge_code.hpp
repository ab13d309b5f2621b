// Compiles a learner's file with a program around it, runs it on hidden data in a sandbox, and
// compares every word.
#pragma once

#include <filesystem>

#include "exercises/toolchain.hpp"
#include "exercises/verdict.hpp"

namespace whybits::course {

/// Takes seconds: two files are compiled. Leaves nothing behind.
Verdict judge_code(const Task& task, const std::filesystem::path& source, const Toolchain& tools,
                   Language language);

/// The judgement alone: what the function gave for the hidden cases, in their order.
Verdict judge_results(const WriteCode& work, const std::vector<WrongAnswer>& wrong,
                      const std::vector<Bits>& results, Language language);

}  // namespace whybits::course
