// Berkeley TestFloat's text form: one case a line. `testfloat_gen` writes operands, `testfloat_ver`
// reads operands, result and flags.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>

#include "lab/arithmetic.hpp"

namespace whybits {

struct CaseStream {
  Arithmetic operation = Arithmetic::add;
  Format format;         ///< of the operands
  Format result_format;  ///< the same, except for convert
  RoundRule rule;
};

/// Each line has the operands as hexadecimal storage words; columns after them (an expected result,
/// flags) are not looked at, blank lines are passed over. Written are the operands, the result and
/// Flags::byte(), upper case, with all their digits: "4B000000 3F000000 4B000000 01". Answers
/// leave in large pieces, and at once when no more input is waiting.
/// Returns how many cases were answered. Errors: UsageError naming the line, after the answers
/// to the lines before it.
std::uint64_t answer_cases(const CaseStream& cases, std::istream& in, std::ostream& out);

}  // namespace whybits
