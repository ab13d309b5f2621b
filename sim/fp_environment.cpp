#include "sim/fp_environment.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <limits>

#ifdef __FAST_MATH__
#error "whybits predicts bits: it cannot be compiled with -ffast-math"
#endif

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);
static_assert(std::numeric_limits<float>::digits == 24 &&
              std::numeric_limits<double>::digits == 53);

namespace whybits {
namespace {

template <class T>
using Limits = std::numeric_limits<T>;

// Operands go through volatile objects, so that nothing is computed by the compiler.
template <class T>
T runtime(T value) {
  volatile T hidden = value;
  return hidden;
}

// (1+e)(1-e) = 1-e*e rounds to 1, so the sum with -1 is 0; contracted it is -e*e. All in one
// expression: that is what a compiler contracts.
template <class T>
T contractible() {
  const T e = Limits<T>::epsilon();
  volatile T a = 1 + e;
  volatile T b = 1 - e;
  volatile T c = -1;
  return a * b + c;
}

template <class T>
T fused() {
  const T e = Limits<T>::epsilon();
  return std::fma(runtime<T>(1 + e), runtime<T>(1 - e), runtime<T>(-1));
}

// The smallest normal number halved: a result that flush-to-zero turns into 0.
template <class T>
T underflowing() {
  return runtime(Limits<T>::min()) * runtime(T{0.5});
}

// A subnormal operand with a normal result: only denormals-are-zero turns it into 0.
template <class T>
T subnormal_operand() {
  return runtime(Limits<T>::denorm_min()) * runtime(1 / Limits<T>::epsilon());
}

// 1 + 3/4 ulp is above the midpoint and 1 + 1/4 ulp below it: the pair tells the four directed and
// nearest modes apart. The ties 1 + 1/2 ulp and 1 + 3/2 ulp tell even from away.
template <class T>
bool rounds_to_nearest_even() {
  const T ulp = Limits<T>::epsilon();
  const T one = 1;
  const auto plus = [](T a, T b) -> T { return runtime(a) + runtime(b); };
  bool ok = true;
  for (const T sign : {T{1}, T{-1}}) {
    ok = ok && plus(sign * one, sign * (ulp * T{0.75})) == sign * (one + ulp);
    ok = ok && plus(sign * one, sign * (ulp * T{0.25})) == sign * one;
    ok = ok && plus(sign * one, sign * (ulp * T{0.5})) == sign * one;
    ok = ok && plus(sign * (one + ulp), sign * (ulp * T{0.5})) == sign * (one + 2 * ulp);
  }
  return ok;
}

template <class T>
FpCheck expect(std::string name, T seen, T wanted) {
  char text[96];
  std::snprintf(text, sizeof text, "got %a, expected %a", static_cast<double>(seen),
                static_cast<double>(wanted));
  return {std::move(name), seen == wanted, text};
}

template <class T>
void check_type(const std::string& type, std::vector<FpCheck>& checks) {
  const T e = Limits<T>::epsilon();
  checks.push_back(expect<T>(type + ": a*b + c is not contracted", contractible<T>(), 0));
  checks.push_back(expect<T>(type + ": std::fma rounds once", fused<T>(), -(e * e)));
  checks.push_back(
      expect<T>(type + ": subnormal results are kept", underflowing<T>() * 2, Limits<T>::min()));
  checks.push_back(
      expect<T>(type + ": subnormal operands are kept", subnormal_operand<T>(), Limits<T>::min()));
  const bool nearest = rounds_to_nearest_even<T>();
  checks.push_back({type + ": rounds to nearest even", nearest,
                    nearest ? "both signs, ties included" : "a sum near 1 went the wrong way"});
}

}  // namespace

FpReport check_fp_environment() {
  FpReport report;
  check_type<float>("float", report.checks);
  check_type<double>("double", report.checks);
  const int mode = std::fegetround();
  report.checks.push_back({"fegetround says to nearest", mode == FE_TONEAREST,
                           "fegetround() = " + std::to_string(mode)});
  report.ok = std::all_of(report.checks.begin(), report.checks.end(),
                          [](const FpCheck& check) { return check.ok; });
  return report;
}

}  // namespace whybits
