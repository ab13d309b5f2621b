// Drives the whole interface without a renderer: every preset, every level, every command, Tab
// through everything that can be focused, then random clicks, keys and texts.
#pragma once

#include <cstdint>

namespace whybits::viz {

struct SelfTestRequest {
  std::uint64_t actions = 0;  ///< random ones, after the fixed tour
  std::uint64_t seed = 1;
  int width = 1600, height = 1000;
};

/// Prints what was driven, and what failed. Returns 0 if nothing did, else 1.
int self_test(const SelfTestRequest& request);

}  // namespace whybits::viz
