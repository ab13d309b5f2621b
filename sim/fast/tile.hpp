// Runs a plan on a tile of outputs: the interpreter of the small program, which gathers leaves,
// decodes them and hands them to the kernels.
#pragma once

#include <map>
#include <memory>

#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/lane_operands.hpp"

namespace whybits::fast {

/// How many outputs a tile has at most; columns a multiple of column_unit.
struct TileShape {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;

  bool operator==(const TileShape&) const = default;
};

/// As large as registers should be that stay in the nearest caches; `threads` tiles at least, where
/// there are outputs enough.
TileShape tile_shape(const Plan& plan, const LaneOperands& operands, unsigned threads);
/// What a tile holds in memory.
std::uint64_t tile_bytes(const Plan& plan, const LaneOperands& operands, const TileShape& shape);

class Tile {
 public:
  virtual ~Tile() = default;
  /// Other operands of the same types and so many columns and rows at most.
  virtual void take(const LaneOperands& operands) = 0;
  /// Computes outputs [row, row + rows) × [column, column + columns) into `out`, which has all of
  /// them. Tiles below each other reuse nothing; tiles side by side share decoded rows.
  virtual void run(std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                   std::uint64_t columns, CodeMatrix& out) = 0;
};

/// Borrows plan, operands and kernels, which may be null for a plan that is all by reference. Not
/// for use by several threads at once.
std::unique_ptr<Tile> make_tile(const Plan& plan, const LaneOperands& operands,
                                const Kernels* kernels, const TileShape& shape);

/// Tiles of plans that run again and again, on other operands each time: what a tile holds is not
/// made anew. Plans outlive it. For one thread.
class TileStore {
 public:
  Tile& tile(const Plan& plan, const LaneOperands& operands, const Kernels& kernels,
             const TileShape& shape);

 private:
  struct Held {
    TileShape shape;
    std::unique_ptr<Tile> tile;
  };
  std::map<const Plan*, Held> held_;
};

}  // namespace whybits::fast
