// A reduce of a recipe as rows and columns of lanes.
#pragma once

#include <functional>

#include "sim/fast/recipe_plan.hpp"
#include "sim/recipe_demand.hpp"

namespace whybits::fast {

/// What a step reads: rows × columns of a tensor, or of what it broadcasts to.
using ReadTensor = std::function<CodeMatrix(const std::string& tensor, const IndexSet& rows,
                                            const IndexSet& columns)>;

struct ReduceOperands {
  LaneOperands lanes;
  OutputPlaces places;  ///< of a map; else empty
  bool turned = false;  ///< rows of the result are columns of the tensor
};

/// Of the needed outputs of a reduce by a topology or by a map of them. `product` gives leaves that
/// are rounded products, laid out as a; null if there are none.
ReduceOperands reduce_operands(const Reduce& reduce, RecipePlan::Reduce::Leaves leaves,
                               std::uint64_t length, const TensorType& result, const Need& need,
                               const ReadTensor& read, const CodeMatrix* product);

/// Leaves along an axis, one row an output: a or b of a reduce that is no matrix product.
CodeMatrix rows_of_leaves(const Reduce& reduce, const std::string& tensor, std::uint64_t length,
                          const Need& need, const ReadTensor& read);
/// A tensor beside the outputs of such a reduce, 1 × outputs.
CodeMatrix row_of_outputs(const Reduce& reduce, const std::string& tensor, const Need& need,
                          const ReadTensor& read);

}  // namespace whybits::fast
