#include "sim/fast/turned.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "sim/fast/dealt_rows.hpp"
#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/row_maxima.hpp"
#include "sim/fast/run_elements.hpp"
#include "sim/fast/with_word.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

/// A matrix of leaves × lanes whose lanes lie apart.
bool lies_along_rows(const CodeMatrix& leaves) {
  return leaves.column_stride() > 1 && leaves.columns() > 1 && leaves.rows() > 1;
}

/// Lanes whose words stay in the second cache, turned.
std::uint64_t lanes_at_once(const CodeMatrix& leaves) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 18;
  const std::uint64_t lane = std::max<std::uint64_t>(leaves.rows() * leaves.word_bytes(), 1);
  return std::clamp<std::uint64_t>(bytes / lane / column_unit, 1, 64) * column_unit;
}

struct Chunks {
  std::uint64_t lanes = 0;   ///< of one; 0: nothing is to be turned
  bool each_by_one = false;  ///< a thread a chunk; else all lanes are turned, then shared
};

Chunks chunks(const CodeMatrix& leaves, bool turn, unsigned threads) {
  if (!turn) return {};
  const std::uint64_t lanes = lanes_at_once(leaves);
  const bool many = leaves.columns() > lanes * (threads > 1 ? 2 * threads - 1 : 1);
  return {lanes, many};
}

bool is_turned(const LaneOperands& operands) {
  return lies_along_rows(operands.b) || (operands.paired && lies_along_rows(*operands.paired));
}

bool runs_dealt(const RegionPlan& plan, const LaneOperands& operands) {
  return plan.dealt && kernels() && !operands.a && lie_in_rows(operands);
}

CodeMatrix straightened(const CodeMatrix& leaves) {
  return lies_along_rows(leaves) ? turned(leaves.transposed()) : leaves;
}

/// Some lanes of the operands, their leaves turned.
LaneOperands part_of(const LaneOperands& operands, std::uint64_t column, std::uint64_t columns) {
  LaneOperands part = operands;
  part.columns = columns;
  part.b = straightened(operands.b.window(0, operands.length, column, columns));
  if (operands.paired) {
    part.paired = operands.paired->same_words(operands.b)
                      ? part.b
                      : straightened(operands.paired->window(0, operands.length, column, columns));
  }
  if (operands.c) part.c = operands.c->window(0, operands.rows, column, columns);
  for (auto& [name, matrix] : part.operands)
    matrix = matrix.window(0, operands.rows, column, columns);
  return part;
}

std::uint64_t bytes_of(const CodeMatrix& leaves, const Chunks& parts, unsigned threads) {
  if (!parts.each_by_one) return leaves.bytes();
  const std::uint64_t lanes = std::min(leaves.columns(), parts.lanes * threads);
  return lanes * leaves.rows() * leaves.word_bytes();
}

}  // namespace

void turn(const CodeMatrix& from, CodeMatrix to) {
  const std::size_t bytes = from.word_bytes();
  const Kernels* kernels = fast::kernels();
  const std::uint64_t side = turned_bytes_of_row / bytes;
  const bool squares = kernels && from.column_stride() == 1 && to.column_stride() == 1;
  const std::uint64_t rows = squares ? from.rows() / side * side : 0;
  const std::uint64_t columns = from.columns() / side * side;
  if (rows > 0 && columns > 0)
    kernels->turn(bytes, {from.word(0, 0), from.row_stride() * bytes, to.words(0, 0),
                          to.row_stride() * bytes, rows, columns});
  with_word(bytes, [&]<class Word>(Word) {
    for (std::uint64_t r = 0; r < from.rows(); ++r)
      for (std::uint64_t c = r < rows ? columns : 0; c < from.columns(); ++c)
        std::memcpy(to.words(c, r), from.word(r, c), sizeof(Word));
  });
}

CodeMatrix turned(const CodeMatrix& matrix) {
  if (matrix.row_stride() == 1 || matrix.rows() <= 1) return matrix.transposed();
  CodeMatrix made = CodeMatrix::unset(matrix.format(), matrix.columns(), matrix.rows());
  turn(matrix, made);
  return made;
}

CodeMatrix evaluate_turned(const RegionPlan& plan, const LaneOperands& operands,
                           const OutputPlaces& places, const GemmOptions& options,
                           TileStore* store) {
  const unsigned threads = thread_count(options.threads);
  if (runs_dealt(plan, operands)) return evaluate_dealt(*plan.dealt, operands, options);
  const Chunks parts = chunks(operands.b, is_turned(operands), threads);
  if (parts.lanes == 0) return evaluate(plan, operands, places, options, store);
  if (!parts.each_by_one)
    return evaluate(plan, part_of(operands, 0, operands.columns), places, options, store);
  CodeMatrix out =
      CodeMatrix::zeros(plan.plans[0].reduction.result, operands.rows, operands.columns);
  std::mutex reporting;
  std::uint64_t done = 0;
  const auto chunk = [&](std::uint64_t i) {
    const std::uint64_t first = i * parts.lanes;
    const std::uint64_t last = std::min(operands.columns, first + parts.lanes);
    OutputPlaces there{places.rows, {}, places.width};
    if (plan.regions.size() > 1)
      there.columns.assign(places.columns.begin() + static_cast<std::ptrdiff_t>(first),
                           places.columns.begin() + static_cast<std::ptrdiff_t>(last));
    const LaneOperands part = part_of(operands, first, last - first);
    out.put(0, first, evaluate(plan, part, there, {.threads = 1, .stop = options.stop}));
    const std::lock_guard lock(reporting);
    done += part.rows * part.columns;
    if (options.progress) options.progress(done);
  };
  share_work((operands.columns + parts.lanes - 1) / parts.lanes, threads, options.stop,
             [&] { return chunk; });
  return out;
}

CodeMatrix fold_turned(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                       unsigned threads, const std::stop_token& stop) {
  if (are_row_maxima(step, x)) return row_maxima(step, x, start, threads, stop);
  const Chunks parts = chunks(x, lies_along_rows(x), threads);
  if (parts.lanes == 0) return run_fold(step, x, start, threads, stop);
  if (!parts.each_by_one) return run_fold(step, straightened(x), start, threads, stop);
  CodeMatrix out = CodeMatrix::zeros(step.operation.result, 1, x.columns());
  share_work((x.columns() + parts.lanes - 1) / parts.lanes, threads, stop, [&] {
    return [&](std::uint64_t i) {
      const std::uint64_t first = i * parts.lanes;
      const std::uint64_t count = std::min(parts.lanes, x.columns() - first);
      std::optional<CodeMatrix> begin;
      if (start) begin = start->window(0, 1, first, count);
      out.put(0, first,
              run_fold(step, straightened(x.window(0, x.rows(), first, count)),
                       begin ? &*begin : nullptr, 1, stop));
    };
  });
  return out;
}

std::uint64_t turned_bytes(const RegionPlan& plan, const LaneOperands& operands, unsigned threads) {
  if (runs_dealt(plan, operands)) return dealt_bytes(*plan.dealt, operands, threads);
  std::uint64_t bytes = working_bytes(plan, operands, threads);
  const Chunks parts = chunks(operands.b, is_turned(operands), threads);
  if (parts.lanes == 0) return bytes;
  bytes += bytes_of(operands.b, parts, threads);
  if (operands.paired) bytes += bytes_of(*operands.paired, parts, threads);
  return bytes;
}

std::uint64_t turned_bytes(const CodeMatrix& x, unsigned threads) {
  const Chunks parts = chunks(x, lies_along_rows(x), threads);
  return parts.lanes == 0 ? 0 : bytes_of(x, parts, threads);
}

}  // namespace whybits::fast
