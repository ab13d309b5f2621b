#include "visualizer/model/matrix_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exact/measure.hpp"

namespace whybits::viz {
namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();

void include(MapCell& cell, const MapCell& other) {
  if (other.outputs == 0) return;
  const bool first = cell.outputs == 0 || std::isnan(cell.max);
  if (!std::isnan(other.max)) {
    cell.min = first ? other.min : std::min(cell.min, other.min);
    cell.max = first ? other.max : std::max(cell.max, other.max);
  } else if (cell.outputs == 0) {
    cell.min = cell.max = none;
  }
  cell.differ += other.differ;
  cell.outputs += other.outputs;
}

float ulp_of(const Format& fa, Bits a, const Format& fb, Bits b) {
  if (!(fa == fb)) return none;
  const auto distance = exact::ulp_distance(fa, a, b);
  return distance ? static_cast<float>(*distance) : none;
}

float error_of(const Format& format, Bits code, const std::optional<Dyadic>& exact) {
  if (!exact || !unpack(format, code).finite()) return none;
  return static_cast<float>((Dyadic::from_code(format, code) - *exact).abs().to_double());
}

std::vector<MapSummary::Bucket> buckets(const OutputComparison& comparison) {
  std::vector<MapSummary::Bucket> out;
  if (!comparison.same_format) return out;
  for (std::size_t b = 0; b < comparison.ulp.used_buckets(); ++b)
    if (comparison.ulp.buckets()[b] > 0)
      out.push_back({exact::UlpHistogram::bucket_low(b), exact::UlpHistogram::bucket_high(b),
                     comparison.ulp.buckets()[b]});
  return out;
}

std::string common_name(const Format& a, const Format& b) {
  return a == b ? format_name(a) : format_name(a) + " / " + format_name(b);
}

}  // namespace

std::optional<std::uint64_t> MapLayout::output_at(std::uint64_t row, std::uint64_t column) const {
  if (row >= rows || column >= columns) return std::nullopt;
  const std::uint64_t output = row * columns + column;
  return output < outputs ? std::optional(output) : std::nullopt;
}

MapLayout lay_out(std::uint64_t rows, std::uint64_t columns, double aspect) {
  MapLayout layout{std::max<std::uint64_t>(columns, 1), rows, rows * columns, false};
  if (std::min(rows, columns) != 1 || layout.outputs == 0) return layout;
  if (layout.outputs < 64) return {layout.outputs, 1, layout.outputs, columns == 1};
  // A row of outputs fills the area in lines of a power of two, so that columns keep their place.
  layout.wrapped = true;
  layout.columns = 1;
  const double wanted = std::sqrt(static_cast<double>(layout.outputs) * aspect);
  while (static_cast<double>(layout.columns) * 1.5 < wanted && layout.columns < layout.outputs)
    layout.columns *= 2;
  layout.rows = (layout.outputs + layout.columns - 1) / layout.columns;
  return layout;
}

OutputMap::OutputMap(const MapLayout& layout, std::vector<float> values,
                     const std::vector<bool>& differs)
    : layout_(layout) {
  Grid full{layout.columns, layout.rows,
            std::vector<MapCell>(static_cast<std::size_t>(layout.columns * layout.rows))};
  for (std::size_t i = 0; i < values.size(); ++i) {
    full.cells[i] = {values[i], values[i], differs[i] ? 1U : 0U, 1U};
    if (!std::isnan(values[i])) largest_ = std::max(largest_, static_cast<double>(values[i]));
  }
  levels_.push_back(std::move(full));
  while (levels_.back().columns > 1 || levels_.back().rows > 1) {
    const Grid& fine = levels_.back();
    Grid coarse{(fine.columns + 1) / 2, (fine.rows + 1) / 2, {}};
    coarse.cells.resize(static_cast<std::size_t>(coarse.columns * coarse.rows));
    for (std::uint64_t r = 0; r < fine.rows; ++r)
      for (std::uint64_t c = 0; c < fine.columns; ++c)
        include(coarse.cells[static_cast<std::size_t>(r / 2 * coarse.columns + c / 2)],
                fine.cells[static_cast<std::size_t>(r * fine.columns + c)]);
    levels_.push_back(std::move(coarse));
  }
}

const MapCell& OutputMap::cell(std::size_t level, std::uint64_t row, std::uint64_t column) const {
  const Grid& grid = levels_[level];
  return grid.cells[static_cast<std::size_t>(row * grid.columns + column)];
}

std::size_t OutputMap::level_for(std::uint64_t most_columns, std::uint64_t most_rows) const {
  for (std::size_t level = 0; level < levels_.size(); ++level)
    if (levels_[level].columns <= most_columns && levels_[level].rows <= most_rows) return level;
  return levels_.empty() ? 0 : levels_.size() - 1;
}

MapSummary summarize(const Study& study) {
  const PairComparison& pair = study.pairs[0];
  const SplitReduction& a = study.topologies[pair.a].reduction;
  const SplitReduction& b = study.topologies[pair.b].reduction;
  MapSummary out;
  out.outputs = study.outputs();
  out.differ_before = pair.before.differ;
  out.differ_after = pair.after.differ;
  out.has_last_rounding = a.last || b.last;
  out.same_tree = pair.same_tree;
  out.format_before = common_name(a.before.result, b.before.result);
  out.format_after = common_name(a.output, b.output);
  out.ulp_before = buckets(pair.before);
  out.ulp_after = buckets(pair.after);
  return out;
}

OutputMap make_map(const Study& study, const MapLayout& layout, MapMeasure measure,
                   bool before_last_rounding, const std::vector<std::optional<Dyadic>>& exact) {
  const TopologyOutputs& a = study.topologies[0];
  const TopologyOutputs& b = study.topologies[1];
  const bool before = before_last_rounding;
  const Format& fa = before ? a.reduction.before.result : a.reduction.output;
  const Format& fb = before ? b.reduction.before.result : b.reduction.output;
  const std::vector<Bits>& codes_a = before ? a.before : a.after;
  const std::vector<Bits>& codes_b = before ? b.before : b.after;
  const OutputComparison& comparison = before ? study.pairs[0].before : study.pairs[0].after;
  std::vector<bool> differs(codes_a.size());
  for (const std::size_t i : comparison.where) differs[i] = true;
  const auto exact_of = [&](std::size_t i) {
    return i < exact.size() ? exact[i] : std::optional<Dyadic>{};
  };
  std::vector<float> values(codes_a.size());
  for (std::size_t i = 0; i < values.size(); ++i) switch (measure) {
      case MapMeasure::differs:
        values[i] = differs[i] ? 1.0F : 0.0F;
        break;
      case MapMeasure::ulp:
        values[i] = ulp_of(fa, codes_a[i], fb, codes_b[i]);
        break;
      case MapMeasure::error_a:
        values[i] = error_of(fa, codes_a[i], exact_of(i));
        break;
      case MapMeasure::error_b:
        values[i] = error_of(fb, codes_b[i], exact_of(i));
        break;
    }
  return OutputMap(layout, std::move(values), differs);
}

}  // namespace whybits::viz
