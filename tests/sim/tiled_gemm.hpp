#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sim/builders/gemm.hpp"
#include "tests/support/processor_floats.hpp"

// A GEMM kernel as loops: thread blocks in their swizzled order, k tiles, warps, matrix steps. It
// knows nothing of topologies and computes in the processor's f32; what builders claim of a
// configuration is held against it.
namespace whybits::test {

/// One step: accumulator, and up to L operands of either side.
using MatrixStep = std::function<float(float, std::span<const float>, std::span<const float>)>;

inline float fma_step(float acc, std::span<const float> a, std::span<const float> b) {
  return std::fma(a[0], b[0], acc);
}

/// T(L, 25, truncation to f32) of the Hopper tensor core for 16-bit operands, in 64-bit integers:
/// everything is cut at 2^(E − 25), E the largest exponent. For operands and sums in the normal
/// range. Definition: docs/units.md.
inline float hopper_step(float acc, std::span<const float> a, std::span<const float> b) {
  int largest = acc != 0 ? std::ilogb(acc) : -133;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && b[i] != 0) largest = std::max(largest, std::ilogb(a[i]) + std::ilogb(b[i]));
  const auto cut = [&](double term) {
    return static_cast<std::int64_t>(std::ldexp(term, 25 - largest));  // toward zero
  };
  std::int64_t sum = cut(static_cast<double>(acc));
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += cut(static_cast<double>(a[i]) * static_cast<double>(b[i]));
  const double exact = std::ldexp(static_cast<double>(sum), largest - 25);
  const auto rounded = static_cast<float>(exact);
  return std::abs(static_cast<double>(rounded)) > std::abs(exact) ? std::nextafter(rounded, 0.0f)
                                                                  : rounded;
}

class TiledGemm {
 public:
  std::uint64_t m, n, k;
  std::vector<float> a, b, bias;  ///< row-major
  std::size_t step_width;         ///< L
  MatrixStep step;

  /// bf16 codes, or f32 codes if the configuration has no output format.
  std::vector<Bits> run(const GemmConfig& config) const {
    std::vector<Bits> c(m * n);
    const std::uint64_t rows = ceil_div(m, config.block_m), columns = ceil_div(n, config.block_n);
    for (std::uint64_t id = 0; id < rows * columns; ++id) {
      // Triton's swizzle: group_m tile rows are walked together.
      const std::uint64_t group = id / (config.group_m * columns);
      const std::uint64_t first = group * config.group_m;
      const std::uint64_t height = std::min(rows - first, config.group_m);
      const std::uint64_t inside = id % (config.group_m * columns);
      tile(config, first + inside % height, inside / height, c);
    }
    return c;
  }

 private:
  using Range = std::pair<std::uint64_t, std::uint64_t>;

  static std::uint64_t ceil_div(std::uint64_t x, std::uint64_t y) { return (x + y - 1) / y; }

  void tile(const GemmConfig& config, std::uint64_t row, std::uint64_t column,
            std::vector<Bits>& c) const {
    for (std::uint64_t i = row * config.block_m; i < std::min(m, (row + 1) * config.block_m); ++i)
      for (std::uint64_t j = column * config.block_n;
           j < std::min(n, (column + 1) * config.block_n); ++j)
        c[i * n + j] = output(config, i, j);
  }

  Bits output(const GemmConfig& config, std::uint64_t i, std::uint64_t j) const {
    float total = 0;
    bool first = true;
    const bool split = slices(config).size() > 1;
    for (const Range& slice : slices(config)) {
      float partial = block(config, slice, i, j);
      if (split && config.scheme == SplitScheme::workspace_output) partial = narrow(partial);
      total = first ? partial : total + partial;
      if (split && config.scheme == SplitScheme::serial) total = narrow(total);
      first = false;
    }
    if (config.bias) total += bias[j];
    return config.output ? float_to_bf16(total) : to_code(total);
  }

  static float narrow(float x) { return bf16_to_float(float_to_bf16(x)); }

  std::vector<Range> slices(const GemmConfig& config) const {
    std::vector<Range> result;
    std::vector<std::uint64_t> borders = config.split_at;
    if (borders.empty()) {
      const std::uint64_t grains = ceil_div(ceil_div(k, config.split_grain), config.splits);
      const std::uint64_t length = config.split_length != 0 ? config.split_length
                                   : config.splits == 1     ? k
                                                            : grains * config.split_grain;
      for (std::uint64_t at = length; at < k; at += length) borders.push_back(at);
    }
    borders.push_back(k);
    std::uint64_t begin = 0;
    for (const std::uint64_t end : borders) {
      result.emplace_back(begin, end);
      begin = end;
    }
    return result;
  }

  static std::vector<Range> k_tiles(const GemmConfig& config, const Range& slice) {
    std::vector<Range> tiles;
    std::uint64_t at = slice.first;
    const std::uint64_t residue = (slice.second - slice.first) % config.block_k;
    if (config.residue_first && residue != 0) {
      tiles.emplace_back(at, at + residue);
      at += residue;
    }
    for (; at < slice.second; at += config.block_k)
      tiles.emplace_back(at, std::min(slice.second, at + config.block_k));
    if (config.k_order == KOrder::descending) std::reverse(tiles.begin(), tiles.end());
    return tiles;
  }

  /// One block of threads over its slice of K.
  float block(const GemmConfig& config, const Range& slice, std::uint64_t i,
              std::uint64_t j) const {
    float total = 0;
    const std::uint64_t part = config.block_k / config.warp_slices;
    for (std::uint64_t warp = 0; warp < config.warp_slices; ++warp) {
      float main = 0, acc = 0;
      std::uint64_t since = 0;
      bool promoted = false;
      const auto promote = [&] {
        main = promoted ? main + acc : acc;
        promoted = true;
        acc = 0;
        since = 0;
      };
      for (const auto& [begin, end] : k_tiles(config, slice)) {
        const std::uint64_t from = begin + warp * part;
        const std::uint64_t to = config.warp_slices == 1 ? end : std::min(end, from + part);
        for (std::uint64_t at = from; at < to;) {
          const std::uint64_t width = std::min<std::uint64_t>(step_width, to - at);
          acc = one_step(acc, at, width, i, j);
          at += width;
          since += width;
          if (config.promotion != 0 && since == config.promotion) promote();
        }
      }
      if (config.promotion != 0 && since > 0) promote();
      const float result = config.promotion != 0 ? main : acc;
      total = warp == 0 ? result : total + result;
    }
    return total;
  }

  float one_step(float acc, std::uint64_t at, std::uint64_t width, std::uint64_t i,
                 std::uint64_t j) const {
    std::vector<float> x, y;
    for (std::uint64_t p = at; p < at + width; ++p) {
      x.push_back(a[i * k + p]);
      y.push_back(b[p * n + j]);
    }
    return step(acc, x, y);
  }
};

}  // namespace whybits::test
