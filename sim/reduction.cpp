#include "sim/reduction.hpp"

#include "sim/walk.hpp"

namespace whybits {

Reduction make_reduction(const SchemaPtr& schema, std::uint64_t n, const LeafTypes& types) {
  const std::optional<Format> result = result_format(*schema);
  if (!result)
    throw TopologyError(
        "the exact sum has no format yet: write where it is rounded, as in "
        "fold(exact) > f32");
  Reduction reduction{schema, expand(*schema, n, {.has_c = types.c.has_value()}), *result};
  check_types(reduction.tree, types, reduction.result);
  return reduction;
}

Bits evaluate(const Reduction& reduction, const Leaves& leaves) {
  IgnoreSteps nothing;
  return Walk<IgnoreSteps>(leaves, nothing).root(reduction.tree, reduction.result).code;
}

}  // namespace whybits
