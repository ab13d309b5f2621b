// Random topologies that can be run: every form, nested, for one n.
#pragma once

#include <optional>
#include <vector>

#include "sim/schema.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {

struct SchemaWishes {
  std::uint64_t n = 0;
  /// Format of the values that are added; nullopt: exact products.
  std::optional<Format> values = formats::f32;
  std::vector<Unit> product_units = {};  ///< what products may enter
  std::vector<Format> formats{formats::f32, formats::f64, formats::bf16};  ///< units and roundings
  int depth = 3;
  bool operands = true;   ///< `+ bias`
  bool roundings = true;  ///< `> F`
  bool faults = false;  ///< about one in six has a form that does not fit n, or a chain over pairs
  bool starts_from_c = false;  ///< some folds say from=c, not always where a c arrives
};

SchemaPtr random_schema(Random& random, const SchemaWishes& wishes);

}  // namespace whybits::test
