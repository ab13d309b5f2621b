#include "sim/fast/region_plan.hpp"

#include <algorithm>
#include <mutex>

#include "sim/fast/tile.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

struct Rectangle {
  std::uint64_t row, rows, column, columns;
  std::uint32_t plan;
};

/// The one with the same columns and plan, or null. They ascend by column.
const Rectangle* alike(const std::vector<Rectangle>& row, const Rectangle& wanted) {
  const auto found = std::lower_bound(
      row.begin(), row.end(), wanted.column,
      [](const Rectangle& part, std::uint64_t column) { return part.column < column; });
  const bool same = found != row.end() && found->column == wanted.column &&
                    found->columns == wanted.columns && found->plan == wanted.plan;
  return same ? &*found : nullptr;
}

/// Covers all outputs. Runs of columns that one row after the other has alike are one rectangle.
std::vector<Rectangle> rectangles(const RegionPlan& plan, const OutputPlaces& places) {
  std::vector<Rectangle> done, open;
  for (std::uint64_t r = 0; r < places.rows.size(); ++r) {
    std::vector<Rectangle> row;
    const std::uint64_t base = places.rows[r] * places.width;
    for (std::uint64_t c = 0; c < places.columns.size();) {
      const auto region = std::upper_bound(
          plan.regions.begin(), plan.regions.end(), base + places.columns[c],
          [](std::uint64_t i, const RegionPlan::Region& found) { return i < found.end; });
      const auto end =
          std::lower_bound(places.columns.begin(), places.columns.end(), region->end - base);
      const auto last = static_cast<std::uint64_t>(end - places.columns.begin());
      if (!row.empty() && row.back().plan == region->plan)
        row.back().columns += last - c;
      else
        row.push_back({r, 1, c, last - c, region->plan});
      c = last;
    }
    for (Rectangle& part : row)
      if (const Rectangle* above = alike(open, part)) {
        part.row = above->row;
        part.rows = above->rows + 1;
      }
    for (const Rectangle& above : open)
      if (!alike(row, above)) done.push_back(above);
    open = std::move(row);
  }
  done.insert(done.end(), open.begin(), open.end());
  std::stable_sort(done.begin(), done.end(),
                   [](const Rectangle& a, const Rectangle& b) { return a.plan < b.plan; });
  return done;
}

void append_tiles(const Rectangle& part, const TileShape& shape, std::vector<Rectangle>& tiles) {
  for (std::uint64_t r = 0; r < part.rows; r += shape.rows)
    for (std::uint64_t c = 0; c < part.columns; c += shape.columns)
      tiles.push_back({part.row + r, std::min(shape.rows, part.rows - r), part.column + c,
                       std::min(shape.columns, part.columns - c), part.plan});
}

bool is_matrix_unit(const Arithmetic& f) {
  return f.kernel == Arithmetic::Kernel::aligned || f.kernel == Arithmetic::Kernel::split;
}

}  // namespace

RegionPlan compile_one(const Reduction& reduction, const LeafTypes& types) {
  RegionPlan made;
  made.plans.push_back(compile(reduction, types));
  made.regions.push_back({0, ~std::uint64_t{0}, 0});
  return made;
}

RegionPlan compile(const TopologyMap& map, std::span<const Reduction> reductions,
                   const LeafTypes& types) {
  RegionPlan made;
  for (std::size_t i = 0; i < map.regions.size(); ++i) {
    const Reduction& reduction = reductions[i];
    const auto same = std::find_if(made.plans.begin(), made.plans.end(), [&](const Plan& plan) {
      return plan.reduction.tree == reduction.tree && plan.reduction.result == reduction.result;
    });
    const auto number = static_cast<std::uint32_t>(same - made.plans.begin());
    if (same == made.plans.end()) made.plans.push_back(compile(reduction, types));
    made.regions.push_back({map.regions[i].begin, map.regions[i].end, number});
  }
  return made;
}

CodeMatrix evaluate(const RegionPlan& plan, const LaneOperands& operands,
                    const OutputPlaces& places, const GemmOptions& options, TileStore* store) {
  if (plan.regions.size() == 1) return evaluate(plan.plans[0], operands, options, store);
  CodeMatrix out =
      CodeMatrix::zeros(plan.plans[0].reduction.result, operands.rows, operands.columns);
  if (operands.rows == 0 || operands.columns == 0) return out;
  const Kernels* kernels = fast::kernels();
  std::vector<Plan> by_reference;
  if (!kernels) {
    by_reference = plan.plans;
    for (Plan& one : by_reference) one.all_reference = true;
  }
  const std::vector<Plan>& plans = kernels ? plan.plans : by_reference;
  const unsigned threads = thread_count(options.threads);
  std::vector<TileShape> shapes;
  for (const Plan& one : plans) shapes.push_back(tile_shape(one, operands, threads));
  std::vector<Rectangle> tiles;
  for (const Rectangle& part : rectangles(plan, places))
    append_tiles(part, shapes[part.plan], tiles);
  std::mutex reporting;
  std::uint64_t done = 0;
  share_work(tiles.size(), threads, options.stop, [&]() -> std::function<void(std::uint64_t)> {
    // Tiles of a plan follow each other, so one at a time is made.
    auto tile = std::make_shared<std::pair<std::uint32_t, std::unique_ptr<Tile>>>();
    return [&, tile](std::uint64_t i) {
      const Rectangle& part = tiles[i];
      if (!tile->second || tile->first != part.plan) {
        tile->second.reset();
        tile->second = make_tile(plans[part.plan], operands, kernels, shapes[part.plan]);
        tile->first = part.plan;
      }
      tile->second->run(part.row, part.rows, part.column, part.columns, out);
      const std::lock_guard lock(reporting);
      done += part.rows * part.columns;
      if (options.progress) options.progress(done);
    };
  });
  return out;
}

std::uint64_t working_bytes(const RegionPlan& plan, const LaneOperands& operands,
                            unsigned threads) {
  std::uint64_t bytes = 0;
  for (const Plan& one : plan.plans) bytes = std::max(bytes, working_bytes(one, operands, threads));
  return bytes;
}

void use_pairs(Plan& plan) {
  for (Arithmetic& f : plan.arithmetics)
    if (is_matrix_unit(f)) f.kernel = Arithmetic::Kernel::reference;
  for (Plan::View& view : plan.views) view.exponents = false;
}

bool has_matrix_unit(const Plan& plan) {
  return std::any_of(plan.arithmetics.begin(), plan.arithmetics.end(), is_matrix_unit);
}

}  // namespace whybits::fast
