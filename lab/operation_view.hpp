// One operation taken apart: operands, exact result, what rounding kept and dropped, and why. Pure
// data, like NumberView.
#pragma once

#include <string>
#include <vector>

#include "lab/arithmetic.hpp"
#include "lab/number_view.hpp"

namespace whybits {

struct OperationRequest {
  Arithmetic operation = Arithmetic::add;
  std::vector<NumberInput> operands;  ///< operand_count(operation) of them
  Format format;                      ///< of the operands
  Format result_format;               ///< the same, except for convert
  RoundRule rule;                     ///< of the operation; typed operands round to nearest even
};

/// The two numbers that an inexact result lies between, toward zero first, and how far along.
struct RoundingStep {
  std::string kept;  ///< the truncated significand in binary, with its point: "1.0000000000"
  int exponent = 0;  ///< of the place before the point
  bool guard = false, round = false, sticky = false;
  bool incremented = false;
  std::string inner, outer;  ///< the kept value, and one unit in the last place farther from zero
  double position = 0;       ///< of the exact result between them, in [0, 1); for drawing only
};

struct OperationView {
  Arithmetic operation = Arithmetic::add;
  Rounding rounding = Rounding::nearest_even;
  std::vector<InputNumber> operands;
  std::string expression;  ///< "2048 + 1", from the operands' shortest decimals
  NumberView result;

  std::string exact;        ///< the exact result: all digits, or 40 of them; empty if not finite
  bool exact_ends = true;   ///< whether `exact` has all digits
  std::string exact_label;  ///< short enough for a line of text
  bool rounded = false;     ///< a finite, nonzero result went through rounding: `step` is filled
  Flags flags;
  RoundingStep step;
  std::string error;  ///< result − exact; empty if either is not finite
  bool error_ends = true;
  std::string error_short;  ///< up to 4 significant digits
  std::string error_ulp;    ///< in units of the result's last place, up to 4 digits
  std::string explanation;  ///< one plain sentence or two
};

/// Errors: UsageError for a code that is too wide. Precondition: the right number of operands.
OperationView view_operation(const OperationRequest& request);

}  // namespace whybits
