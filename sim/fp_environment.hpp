#pragma once

#include <string>
#include <vector>

namespace whybits {

/// One property of the floating-point environment, as observed.
struct FpCheck {
  std::string name;
  bool ok = false;
  std::string detail;  ///< what was computed and what it should have been
};

struct FpReport {
  bool ok = false;  ///< every check holds
  std::vector<FpCheck> checks;
};

/// Observes, on run-time operands, that this process computes by IEEE 754 as written: no
/// contraction of a*b+c, gradual underflow in results and operands, rounding to nearest even, and
/// std::fma with a single rounding. Nothing that whybits predicts holds otherwise. Looks at the
/// calling thread: the control registers are per thread.
FpReport check_fp_environment();

}  // namespace whybits
