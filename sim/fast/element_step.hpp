// How lanes compute an elementwise operation of a recipe, and the product of two leaves.
//
// A lane holds the value of a code; which NaN a code was, it cannot say. Arithmetic gives its
// rule's NaN; what keeps more than that of a NaN is asked of the operation itself, lane by lane.
#pragma once

#include <optional>
#include <string>

#include "sim/fast/lane_rules.hpp"
#include "sim/map_operation.hpp"

namespace whybits::fast {

struct ElementStep {
  enum class Kernel : std::uint8_t {
    native,    ///< the lane's own operation
    rounded,   ///< in double, exactly or close enough (element_step.cpp), then by `rounder`
    reference  ///< the operation itself, one element after the other
  };

  Kernel kernel = Kernel::reference;
  Lane lane = Lane::f32;
  MapOperation::Kind kind = MapOperation::Kind::given;  ///< what lanes compute
  MapOperation operation;
  /// rounded; also where `native` is fma, for instruction sets that have none.
  std::optional<Rounder> rounder;
  /// The code of a NaN result; none: the operation says it.
  std::optional<Bits> nan;
};

ElementStep element_step(const MapOperation& operation);

/// a·b rounded once, as leaves that are rounded products. Precondition: operands f32 or narrower.
ElementStep product_step(const Format& a, const Format& b, const Conversion& product);

/// "f32 lanes", "f64 lanes, any rounding", "one element at a time".
std::string kernel_name(const ElementStep& step);

}  // namespace whybits::fast
