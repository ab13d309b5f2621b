// The functions of one f32 number that kernels call, as values: recipes of softmax, norms and
// attention take a row of these and do not ask where it comes from. lab/element_functions.hpp has
// the rows.
#pragma once

#include <string_view>

#include "sim/map_operation.hpp"

namespace whybits {

/// A row: all functions of one origin, f32 → f32.
struct ElementFunctions {
  std::string_view name;
  std::string_view evidence;
  MapOperation exp;       ///< expf
  MapOperation log;       ///< logf
  MapOperation exp2;      ///< exp2f
  MapOperation fast_log;  ///< __logf
  MapOperation rsqrt;     ///< rsqrtf
};

}  // namespace whybits
