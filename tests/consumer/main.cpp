// What a user of the installed libraries writes: a topology from text, and an exact sum. The
// values are chosen so that f32 addition in any order but one loses the 1.

#include <array>
#include <cstdio>

#include "exact/oracle.hpp"
#include "sim/fp_environment.hpp"
#include "sim/notation.hpp"

namespace {

int failures = 0;

void check(bool ok, const char* what) {
  std::printf("%s  %s\n", ok ? "ok  " : "FAIL", what);
  if (!ok) ++failures;
}

}  // namespace

int main() {
  using namespace whybits;
  check(check_fp_environment().ok, "the floating-point model reaches a consumer");

  const std::string text = "slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16";
  check(print(*parse_topology(text)) == text, "a topology is read and printed");

  const std::array<Bits, 3> codes{0x4cbebc20, 0x3f800000, 0xccbebc20};  // 1e8, 1, -1e8
  const Bits sum = exact::oracle_sum({formats::f32, codes}, formats::f32);
  check(sum == 0x3f800000, "1e8 + 1 - 1e8 is 1, exactly");
  return failures == 0 ? 0 : 1;
}
