// The state of the GEMM scene: your row of a layer, under two choices of the library or two
// notations. Everything on screen follows from it.
#pragma once

#include <cstdint>
#include <string>

#include "visualizer/model/pair_view.hpp"

namespace whybits::viz {

/// How one side is added: as the library does at a batch size, or as written.
struct GemmChoice {
  bool by_batch = true;
  std::uint64_t batch = 1;  ///< by_batch: other requests beside yours move this, nothing else
  std::string notation;     ///< else

  bool operator==(const GemmChoice&) const = default;
};

struct GemmState {
  std::string layer = "llama-3-8b.down_proj";  ///< empty: shape and types below, notations only
  /// Rows that are computed, from 0. Your row is row 0 whatever the batch: m is 1 in the story.
  std::uint64_t m = 1;
  std::uint64_t n = 4096, k = 14336;
  std::string type_a = "bf16", type_b = "bf16";
  std::string input_a = "uniform:11", input_b = "uniform:12";
  std::string leaf = "product";  ///< or "product > f32"
  GemmChoice a{true, 64, ""}, b{true, 128, ""};
  PairView view;

  bool operator==(const GemmState&) const = default;
};

}  // namespace whybits::viz
