// A control: built the wrong way on purpose. Passes when the self-test notices, and notices exactly
// what was done: expect_refusal PART, where the names of all failing checks must contain PART and
// at least one check fails.

#include <cstdio>
#include <cstring>

#include "sim/fp_environment.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
#if defined(__FMA__)
  if (!__builtin_cpu_supports("fma")) return 77;  // this processor cannot contract
#endif
  int noticed = 0;
  int unexpected = 0;
  for (const auto& check : whybits::check_fp_environment().checks) {
    std::printf("%s  %s: %s\n", check.ok ? "ok  " : "FAIL", check.name.c_str(),
                check.detail.c_str());
    if (check.ok) continue;
    ++(std::strstr(check.name.c_str(), argv[1]) != nullptr ? noticed : unexpected);
  }
  return noticed > 0 && unexpected == 0 ? 0 : 1;
}
