#include "sim/fast/evaluate.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "sim/fast/tile.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

Plan by_reference(Plan plan) {
  plan.all_reference = true;
  return plan;
}

/// Tiles in an order in which neighbours share their rows.
class Tiles {
 public:
  Tiles(const LaneOperands& operands, const TileShape& shape)
      : operands_(operands), shape_(shape) {}

  std::uint64_t size() const { return down() * across(); }
  std::uint64_t run(Tile& tile, std::uint64_t i, CodeMatrix& out) const {
    const std::uint64_t row = i / across() * shape_.rows;
    const std::uint64_t column = i % across() * shape_.columns;
    const std::uint64_t rows = std::min(shape_.rows, operands_.rows - row);
    const std::uint64_t columns = std::min(shape_.columns, operands_.columns - column);
    tile.run(row, rows, column, columns, out);
    return rows * columns;
  }

 private:
  std::uint64_t down() const { return (operands_.rows + shape_.rows - 1) / shape_.rows; }
  std::uint64_t across() const { return (operands_.columns + shape_.columns - 1) / shape_.columns; }

  const LaneOperands& operands_;
  TileShape shape_;
};

}  // namespace

CodeMatrix evaluate(const Plan& compiled, const LaneOperands& operands, const GemmOptions& options,
                    TileStore* store) {
  CodeMatrix out = CodeMatrix::zeros(compiled.reduction.result, operands.rows, operands.columns);
  if (operands.rows == 0 || operands.columns == 0) return out;
  const Kernels* kernels = fast::kernels();
  if (store && kernels && options.threads == 1) {
    const TileShape shape = tile_shape(compiled, operands, 1);
    const Tiles tiles(operands, shape);
    Tile& tile = store->tile(compiled, operands, *kernels, shape);
    for (std::uint64_t i = 0; i < tiles.size() && !options.stop.stop_requested(); ++i)
      tiles.run(tile, i, out);
    return out;
  }
  std::optional<Plan> without_kernels;
  if (!kernels) without_kernels = by_reference(compiled);
  const Plan& plan = without_kernels ? *without_kernels : compiled;
  const unsigned threads = thread_count(options.threads);
  const TileShape shape = tile_shape(plan, operands, threads);
  const Tiles tiles(operands, shape);

  std::mutex reporting;
  std::uint64_t done = 0;
  share_work(tiles.size(), threads, options.stop, [&] {
    const std::shared_ptr<Tile> tile = make_tile(plan, operands, kernels, shape);
    return [&, tile](std::uint64_t i) {
      const std::uint64_t outputs = tiles.run(*tile, i, out);
      const std::lock_guard lock(reporting);
      done += outputs;
      if (options.progress) options.progress(done);
    };
  });
  return out;
}

std::uint64_t working_bytes(const Plan& plan, const LaneOperands& operands, unsigned threads) {
  const unsigned count = thread_count(threads);
  return count * tile_bytes(plan, operands, tile_shape(plan, operands, count));
}

}  // namespace whybits::fast
