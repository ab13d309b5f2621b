// Code tasks: hidden cases, what the function must give for them, and the program around it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exercises/lesson.hpp"

namespace whybits::course {

/// Inputs of one call, as 32-bit words: the numbers of x; those of a, then of b; one word; two.
struct CodeCase {
  std::vector<std::uint32_t> words;
};
std::vector<CodeCase> code_cases(const WriteCode& work);

/// What the reference gives for each case: codes of result_format(work).
std::vector<Bits> expected_results(const WriteCode& work, const Reference& reference,
                                   const std::vector<CodeCase>& cases);
Format code_result_format(const WriteCode& work);

/// How the function is declared: "float add_pairs(std::span<const float> x)".
std::string declaration(const WriteCode& work);

/// Headers and the declaration, for both files.
std::string harness_prelude(const WriteCode& work);
/// A program that reads cases from standard input (for each: the number of words, the words), calls
/// the function and writes one word a case to descriptor 3.
std::string harness_source(const WriteCode& work);
std::string harness_input(const std::vector<CodeCase>& cases);

/// One case for people: "x = {0x1.8p+0, …}", and the exact result where it is finite.
std::string case_text(const WriteCode& work, const CodeCase& one);

}  // namespace whybits::course
