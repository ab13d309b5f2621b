// A plan for every distinct topology of a map, and where each is used.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/fast/evaluate.hpp"

namespace whybits::fast {

struct DealtPlan;

struct RegionPlan {
  struct Region {  ///< of the row-major outputs
    std::uint64_t begin, end;
    std::uint32_t plan;
  };
  std::vector<Plan> plans;
  std::vector<Region> regions;  ///< ascending, without gaps
  /// The only plan in two, for leaves that lie along rows (dealt_plan.hpp); perhaps null.
  std::shared_ptr<const DealtPlan> dealt = {};
};

/// One topology for all outputs.
RegionPlan compile_one(const Reduction& reduction, const LeafTypes& types);
/// Precondition: reductions has one for each region. Equal trees share a plan.
RegionPlan compile(const TopologyMap& map, std::span<const Reduction> reductions,
                   const LeafTypes& types);

/// Which outputs of how wide a tensor the rows and columns of operands are: output (r, c) has the
/// index rows[r] · width + columns[c] in a map. Columns ascend.
struct OutputPlaces {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> columns;
  std::uint64_t width = 0;
};

/// As evaluate() of one plan: every output by the plan of its region. A tile never crosses the
/// border of a region; rectangles of outputs that neighbours share are one.
CodeMatrix evaluate(const RegionPlan& plan, const LaneOperands& operands,
                    const OutputPlaces& places, const GemmOptions& options = {},
                    TileStore* store = nullptr);

std::uint64_t working_bytes(const RegionPlan& plan, const LaneOperands& operands, unsigned threads);

/// For operands that are paired: no kernel of a matrix unit takes them, so its steps are the
/// reference's.
void use_pairs(Plan& plan);
/// Whether some step is a matrix unit's kernel.
bool has_matrix_unit(const Plan& plan);

}  // namespace whybits::fast
