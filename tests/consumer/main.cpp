#include <cstdio>

#include "sim/fp_environment.hpp"

int main() {
  const whybits::FpReport report = whybits::check_fp_environment();
  for (const auto& check : report.checks) {
    std::printf("%s  %s\n", check.ok ? "ok  " : "FAIL", check.name.c_str());
  }
  return report.ok ? 0 : 1;
}
