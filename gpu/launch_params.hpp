// What a kernel is launched with: plain data, by name, so that a suite file, a recording and the
// command line say the same thing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace whybits::gpu {

/// Extents of one run. A GEMM: out[m][n] = a[m][k] · b[k][n]. Row sums: m rows of k addends, n = 1.
struct Shape {
  std::uint64_t m = 0, n = 0, k = 0;
};

/// Every kernel reads the members that its row of the kernel table lists and no others.
struct LaunchParams {
  std::string instruction;          ///< "f32.fma", "bf16.k8", "cub", …: which arithmetic
  std::string split = "workspace";  ///< how slices become one: check_split, check_fixed_gemm
  std::string output = "f32";       ///< f32, f64, bf16 or f16

  std::uint64_t block_m = 64, block_n = 64, block_k = 32;  ///< the tile of a block of threads
  std::uint64_t group_m = 8;                               ///< tile rows that are walked together
  std::uint64_t warps = 4;                                 ///< of a block of threads
  std::uint64_t threads = 256;                             ///< that share a row
  std::uint64_t stages = 3;                                ///< k tiles in flight in shared memory
  std::uint64_t accumulators = 1;                          ///< a thread's accumulators over k
  std::uint64_t warp_slices = 1;   ///< groups of warps that share every k tile
  std::uint64_t promotion = 0;     ///< products of one accumulator before it is added to the total
  std::uint64_t splits = 1;        ///< slices of K
  std::uint64_t split_grain = 64;  ///< slices are multiples of this
  /// Addends of a slice at most: K alone says how many slices there are. 0: `splits` says it.
  std::uint64_t longest_slice = 0;
  std::uint64_t ctas =
      0;  ///< blocks of threads that share all tiles; 0: one block a tile and slice
  std::uint64_t cluster = 1;   ///< blocks side by side in n that share the rows of a
  std::uint64_t together = 1;  ///< slices of a tile that a block of a cluster computes
  std::uint64_t fetch = 0;     ///< bytes that the second-level cache takes at least: 0, 128, 256
  std::uint64_t once = 0;      ///< 1: the second-level cache may let b go first
  std::uint64_t vector = 1;    ///< consecutive addends of a thread
};

/// One named member of LaunchParams; exactly one of the two pointers is set.
struct Knob {
  std::string_view name;
  std::uint64_t LaunchParams::* number;
  std::string LaunchParams::* text;
  std::string_view meaning;
};

std::span<const Knob> knobs();
const Knob* find_knob(std::string_view name);

}  // namespace whybits::gpu
