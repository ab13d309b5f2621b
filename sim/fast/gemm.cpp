#include "sim/fast/gemm.hpp"

#include <algorithm>
#include <optional>

#include "sim/fast/evaluate.hpp"
#include "sim/fast/kernels/kernels.hpp"
#include "sim/saturating.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

/// With fewer columns most lanes would be padding, and one output at a time is as fast.
constexpr std::uint64_t least_columns = column_unit / 8;

/// The codes of results, and where a panel's go.
class Results {
 public:
  Results(std::size_t count, std::uint64_t rows, std::uint64_t columns)
      : columns_(columns), codes_(count) {
    for (std::vector<Bits>& codes : codes_) codes.resize(rows * columns);
  }

  void take(std::size_t reduction, const CodeMatrix& panel, std::uint64_t row,
            std::uint64_t column) {
    for (std::uint64_t r = 0; r < panel.rows(); ++r)
      for (std::uint64_t c = 0; c < panel.columns(); ++c)
        codes_[reduction][(row + r) * columns_ + column + c] = panel.at(r, c);
  }
  void set(std::size_t reduction, std::uint64_t row, std::uint64_t column, Bits code) {
    codes_[reduction][row * columns_ + column] = code;
  }
  std::vector<std::vector<Bits>> release() { return std::move(codes_); }

 private:
  std::uint64_t columns_;
  std::vector<std::vector<Bits>> codes_;
};

/// Progress of several evaluations in a row as one.
class SharedProgress {
 public:
  SharedProgress(const GemmOptions& options, std::size_t reductions)
      : options_(options), reductions_(reductions) {}

  GemmOptions part() {
    GemmOptions part = options_;
    if (options_.progress)
      part.progress = [this](std::uint64_t done) {
        options_.progress((finished_ + done) / reductions_);
      };
    return part;
  }
  void finish(std::uint64_t outputs) { finished_ += outputs; }

 private:
  const GemmOptions& options_;
  std::uint64_t reductions_;
  std::uint64_t finished_ = 0;
};

/// How many vectors of `length` words fit: whole column units, or fewer, or one that does not fit.
std::uint64_t vectors_in(std::uint64_t bytes, std::uint64_t length, std::uint64_t word) {
  const std::uint64_t fit = bytes / std::max<std::uint64_t>(length * word, 1);
  return fit < column_unit ? std::max<std::uint64_t>(fit, 1) : fit / column_unit * column_unit;
}

/// What evaluate() holds for a panel of so many outputs, at most: codes of the widest format, and
/// tiles, whose registers and decoded leaves are bounded (tile_shape, RowLanes, ColumnLanes).
std::uint64_t evaluation_bytes(std::uint64_t outputs, unsigned threads) {
  constexpr std::uint64_t tile = std::uint64_t{8} << 20;
  return saturating_sum(saturating_product(outputs, sizeof(Bits)), thread_count(threads) * tile);
}

struct PanelShape {
  std::uint64_t rows, columns;
};

/// Outputs of a panel, of the widest format, fit as well.
PanelShape panel_shape(const GemmOperands& operands, const ChosenOutputs& chosen,
                       std::uint64_t panel_bytes) {
  const std::uint64_t k = operands.shape.k;
  const std::uint64_t columns = std::min(
      vectors_in(panel_bytes, k, operands.b->format().word_bytes()), chosen.columns.size());
  const std::uint64_t rows =
      std::min(vectors_in(panel_bytes / 4, k, operands.a->format().word_bytes()),
               vectors_in(panel_bytes, columns, sizeof(Bits)));
  return {std::min(rows, chosen.rows.size()), columns};
}

template <class T>
std::vector<T> part_of(const std::vector<T>& whole, std::uint64_t first, std::uint64_t count) {
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(
                             std::min<std::uint64_t>(count, whole.size() - first))};
}

std::vector<Plan> compile_all(std::span<const Reduction> reductions, const LeafTypes& types) {
  std::vector<Plan> plans;
  for (const Reduction& reduction : reductions) plans.push_back(compile(reduction, types));
  return plans;
}

}  // namespace

std::vector<std::vector<Bits>> evaluate_gemm(std::span<const Reduction> reductions,
                                             const GemmOperands& operands,
                                             const ChosenOutputs& chosen,
                                             const GemmOptions& options,
                                             std::uint64_t panel_bytes) {
  Results results(reductions.size(), chosen.rows.size(), chosen.columns.size());
  if (chosen.columns.size() < least_columns) {
    for_each_output(operands, chosen, options,
                    [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                      for (std::size_t r = 0; r < reductions.size(); ++r)
                        results.set(r, i, j, whybits::evaluate(reductions[r], leaves));
                    });
    return results.release();
  }
  const std::vector<Plan> plans = compile_all(reductions, operands.types());
  const PanelShape panel = panel_shape(operands, chosen, panel_bytes);
  SharedProgress progress(options, plans.size());
  for (std::uint64_t row = 0; row < chosen.rows.size(); row += panel.rows)
    for (std::uint64_t column = 0; column < chosen.columns.size(); column += panel.columns) {
      if (options.stop.stop_requested()) return results.release();
      const LaneOperands lanes = lane_operands(
          operands,
          {part_of(chosen.rows, row, panel.rows), part_of(chosen.columns, column, panel.columns)});
      for (std::size_t r = 0; r < plans.size(); ++r) {
        results.take(r, evaluate(plans[r], lanes, progress.part()), row, column);
        progress.finish(lanes.rows * lanes.columns);
      }
    }
  return results.release();
}

std::vector<std::vector<Bits>> evaluate_rows(std::span<const Reduction> reductions,
                                             const CodeSource& values, std::uint64_t rows,
                                             std::uint64_t n, const GemmOptions& options,
                                             std::uint64_t panel_bytes) {
  Results results(reductions.size(), 1, rows);
  LeafTypes types;
  types.a = values.format();
  const std::vector<Plan> plans = compile_all(reductions, types);
  SharedProgress progress(options, plans.size());
  const std::uint64_t most = vectors_in(panel_bytes, n, values.format().word_bytes());
  for (std::uint64_t row = 0; row < rows && !options.stop.stop_requested(); row += most) {
    std::vector<std::uint64_t> numbers, leaves(n);
    for (std::uint64_t r = row; r < std::min(rows, row + most); ++r) numbers.push_back(r);
    for (std::uint64_t i = 0; i < n; ++i) leaves[i] = i;
    LaneOperands lanes;
    lanes.rows = 1;
    lanes.columns = numbers.size();
    lanes.length = n;
    lanes.b = CodeMatrix::read(values, n, numbers, leaves).transposed();
    const bool few = lanes.columns < least_columns;
    for (std::size_t r = 0; r < plans.size(); ++r) {
      const GemmOptions part = progress.part();
      if (!few) results.take(r, evaluate(plans[r], lanes, part), 0, row);
      for (std::uint64_t c = 0; few && c < lanes.columns; ++c) {
        if (part.stop.stop_requested()) return results.release();
        results.set(r, 0, row + c,
                    whybits::evaluate(reductions[r], OutputLeaves(lanes, 0, c).get()));
        if (part.progress) part.progress(c + 1);
      }
      progress.finish(lanes.columns);
    }
  }
  return results.release();
}

std::uint64_t evaluate_gemm_bytes(const GemmOperands& operands, const ChosenOutputs& chosen,
                                  unsigned threads, std::uint64_t panel_bytes) {
  if (chosen.columns.size() < least_columns)
    return gemm_working_bytes(operands.shape.k, chosen.rows.size(), chosen.columns.size(), threads);
  const PanelShape panel = panel_shape(operands, chosen, panel_bytes);
  const ChosenOutputs largest{std::vector<std::uint64_t>(panel.rows),
                              std::vector<std::uint64_t>(panel.columns)};
  const std::uint64_t indices =
      saturating_sum(operands.shape.k, largest.rows.size() + largest.columns.size());
  return saturating_sum(saturating_sum(lane_operand_bytes(operands, largest),
                                       saturating_product(indices, sizeof(std::uint64_t))),
                        evaluation_bytes(largest.size(), threads));
}

std::uint64_t evaluate_rows_bytes(const CodeSource& values, std::uint64_t rows, std::uint64_t n,
                                  unsigned threads, std::uint64_t panel_bytes) {
  const std::uint64_t word = values.format().word_bytes();
  const std::uint64_t most = std::min(rows, vectors_in(panel_bytes, n, word));
  // A few rows go to the reference evaluator one by one: codes, and those taken apart.
  const std::uint64_t by_reference = saturating_product(n, sizeof(Bits) + sizeof(Unpacked));
  return saturating_sum(saturating_sum(saturating_product(saturating_product(most, n), word),
                                       saturating_product(n, sizeof(std::uint64_t))),
                        saturating_sum(by_reference, evaluation_bytes(most, threads)));
}

}  // namespace whybits::fast
