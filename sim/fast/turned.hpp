// Reductions whose leaves lie along rows, one output a row: lanes run over outputs, so the words of
// some outputs at a time are turned, which costs less than picking them up one by one.
#pragma once

#include <functional>

#include "sim/fast/region_plan.hpp"

namespace whybits::fast {

/// Words of a matrix to another of as many rows as it has columns.
void turn(const CodeMatrix& from, CodeMatrix to);
/// The transpose, row after row without gaps; a view where it is that already.
CodeMatrix turned(const CodeMatrix& matrix);

/// As evaluate(), for operands b and paired of any strides: columns that do not lie side by side
/// are turned, some at a time, if the plan has no other way (dealt_plan.hpp). Places are for maps.
CodeMatrix evaluate_turned(const RegionPlan& plan, const LaneOperands& operands,
                           const OutputPlaces& places, const GemmOptions& options = {},
                           TileStore* store = nullptr);

/// As run_fold(), in the same way.
CodeMatrix fold_turned(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                       unsigned threads, const std::stop_token& stop);

/// What they hold besides operands and result, in bytes.
std::uint64_t turned_bytes(const RegionPlan& plan, const LaneOperands& operands, unsigned threads);
std::uint64_t turned_bytes(const CodeMatrix& x, unsigned threads);

}  // namespace whybits::fast
