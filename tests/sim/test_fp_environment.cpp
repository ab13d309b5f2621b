#include <cfenv>

#include "sim/fp_environment.hpp"
#include "tests/support/catch.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

using whybits::check_fp_environment;
using whybits::FpReport;

namespace {

bool passed(const FpReport& report, const std::string& name) {
  for (const auto& check : report.checks) {
    if (check.name == name) return check.ok;
  }
  FAIL("no check is called '" << name << "'");
  return false;
}

template <class Restore>
class Scope {
 public:
  explicit Scope(Restore restore) : restore_(restore) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { restore_(); }

 private:
  Restore restore_;
};

FpReport report_under_rounding(int mode) {
  const Scope restore([] { std::fesetround(FE_TONEAREST); });
  std::fesetround(mode);
  return check_fp_environment();
}

}  // namespace

TEST_CASE("the floating-point environment of the tests is strict") {
  const FpReport report = check_fp_environment();
  for (const auto& check : report.checks) {
    INFO(check.name << ": " << check.detail);
    CHECK(check.ok);
  }
  CHECK(report.checks.size() == 11);
  CHECK(report.ok);
}

TEST_CASE("a directed rounding mode is reported") {
  for (const int mode : {FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD}) {
    const FpReport report = report_under_rounding(mode);
    CAPTURE(mode);
    CHECK_FALSE(report.ok);
    CHECK_FALSE(passed(report, "float: rounds to nearest even"));
    CHECK_FALSE(passed(report, "double: rounds to nearest even"));
    CHECK_FALSE(passed(report, "fegetround says to nearest"));
  }
  CHECK(check_fp_environment().ok);
}

#if defined(__x86_64__) || defined(__i386__)
namespace {

FpReport report_under_mxcsr(unsigned bits) {
  const unsigned saved = _mm_getcsr();
  const Scope restore([saved] { _mm_setcsr(saved); });
  _mm_setcsr(saved | bits);
  return check_fp_environment();
}

constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;

}  // namespace

TEST_CASE("flush-to-zero is reported, and only it") {
  const FpReport report = report_under_mxcsr(kFlushToZero);
  CHECK_FALSE(report.ok);
  for (const std::string type : {"float", "double"}) {
    CHECK_FALSE(passed(report, type + ": subnormal results are kept"));
    CHECK(passed(report, type + ": subnormal operands are kept"));
    CHECK(passed(report, type + ": a*b + c is not contracted"));
  }
  CHECK(check_fp_environment().ok);
}

TEST_CASE("denormals-are-zero is reported") {
  const FpReport report = report_under_mxcsr(kDenormalsAreZero);
  CHECK_FALSE(report.ok);
  CHECK_FALSE(passed(report, "float: subnormal operands are kept"));
  CHECK_FALSE(passed(report, "double: subnormal operands are kept"));
  CHECK(check_fp_environment().ok);
}
#endif
