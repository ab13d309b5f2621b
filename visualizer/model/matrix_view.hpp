// The map of all outputs: differs, ulp or error of each, before or after the last rounding, with a
// pyramid for any zoom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/study.hpp"
#include "visualizer/model/pair_view.hpp"

namespace whybits::viz {

/// One cell of a map at some zoom: what lies under it.
struct MapCell {
  float min = 0, max = 0;    ///< of the measure; NaN where it has none
  std::uint32_t differ = 0;  ///< outputs that differ
  std::uint32_t outputs = 0;
};

/// Outputs laid out in rows; a single long row is wrapped, so that it fills an area.
struct MapLayout {
  std::uint64_t columns = 1, rows = 1;  ///< cells at full zoom; the last row may be short
  std::uint64_t outputs = 0;
  bool wrapped = false;  ///< cells (r, c) is output r·columns + c of one row, not a matrix

  std::optional<std::uint64_t> output_at(std::uint64_t row, std::uint64_t column) const;
};
/// `aspect`: width over height of the area.
MapLayout lay_out(std::uint64_t rows, std::uint64_t columns, double aspect);

class OutputMap {
 public:
  OutputMap() = default;
  /// values[i]: the measure of output i, NaN if it has none.
  OutputMap(const MapLayout& layout, std::vector<float> values, const std::vector<bool>& differs);

  const MapLayout& layout() const { return layout_; }
  /// Level 0 has a cell an output, each next one half as many in both directions.
  std::size_t levels() const { return levels_.size(); }
  std::uint64_t columns(std::size_t level) const { return levels_[level].columns; }
  std::uint64_t rows(std::size_t level) const { return levels_[level].rows; }
  const MapCell& cell(std::size_t level, std::uint64_t row, std::uint64_t column) const;
  /// The finest level with at most so many cells in each direction.
  std::size_t level_for(std::uint64_t most_columns, std::uint64_t most_rows) const;
  double largest() const { return largest_; }  ///< of the measure

 private:
  struct Grid {
    std::uint64_t columns = 0, rows = 0;
    std::vector<MapCell> cells;
  };
  MapLayout layout_;
  std::vector<Grid> levels_;
  double largest_ = 0;
};

/// Counts beside the map.
struct MapSummary {
  std::uint64_t outputs = 0, differ_before = 0, differ_after = 0;
  bool has_last_rounding = false;
  bool same_tree = false;
  std::string format_before, format_after;  ///< of A; of both where they agree
  struct Bucket {
    std::uint64_t low, high, count;
  };
  std::vector<Bucket> ulp_before, ulp_after;  ///< outputs that differ, by ulp apart
};
MapSummary summarize(const Study& study);

/// exact[i]: exact sum of output i as double, empty if not known yet.
OutputMap make_map(const Study& study, const MapLayout& layout, MapMeasure measure,
                   bool before_last_rounding, const std::vector<std::optional<Dyadic>>& exact);

}  // namespace whybits::viz
