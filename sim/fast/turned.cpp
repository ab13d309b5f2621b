#include "sim/fast/turned.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/run_elements.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

/// A matrix of leaves × lanes whose lanes lie apart.
bool lies_along_rows(const CodeMatrix& leaves) {
  return leaves.column_stride() > 1 && leaves.columns() > 1 && leaves.rows() > 1;
}

constexpr std::size_t square_bytes = 8;  // of a row: what one integer holds

/// Turns a square of 8 bytes a row: in every round, halves of words change places across the
/// diagonal.
template <class Word>
void turn_square(const std::byte* from, std::uint64_t from_apart, std::byte* to,
                 std::uint64_t to_apart) {
  constexpr std::size_t side = square_bytes / sizeof(Word);
  std::uint64_t rows[side];
  for (std::size_t i = 0; i < side; ++i) std::memcpy(&rows[i], from + i * from_apart, 8);
  for (std::size_t half = side / 2; half > 0; half /= 2) {
    const std::size_t bits = 8 * sizeof(Word) * half;
    std::uint64_t low = (std::uint64_t{1} << bits) - 1;  // the lower half of every 2 · half words
    for (std::size_t width = 2 * bits; width < 64; width *= 2) low |= low << width;
    for (std::size_t i = 0; i < side; ++i) {
      if ((i & half) != 0) continue;
      const std::uint64_t change = (rows[i] >> bits ^ rows[i + half]) & low;
      rows[i] ^= change << bits;
      rows[i + half] ^= change;
    }
  }
  for (std::size_t i = 0; i < side; ++i) std::memcpy(to + i * to_apart, &rows[i], 8);
}

/// A cache line of every row at a time.
template <class Word>
void turn(const CodeMatrix& from, CodeMatrix& to) {
  constexpr std::uint64_t side = square_bytes / sizeof(Word), line = 64 / sizeof(Word);
  const std::uint64_t from_apart = from.row_stride() * sizeof(Word);
  const std::uint64_t to_apart = to.row_stride() * sizeof(Word);
  const std::uint64_t rows = from.column_stride() == 1 ? from.rows() / side * side : 0;
  for (std::uint64_t c = 0; c < from.columns(); c += line) {
    const std::uint64_t last = std::min(from.columns(), c + line);
    const std::uint64_t squares = c + (last - c) / side * side;
    const auto one_by_one = [&](std::uint64_t r, std::uint64_t first) {
      for (std::uint64_t i = first; i < last; ++i)
        std::memcpy(to.words(i, r), from.word(r, i), sizeof(Word));
    };
    for (std::uint64_t r = 0; r < rows; r += side) {
      for (std::uint64_t i = c; i < squares; i += side)
        turn_square<Word>(from.word(r, i), from_apart, to.words(i, r), to_apart);
      for (std::uint64_t i = r; i < r + side; ++i) one_by_one(i, squares);
    }
    for (std::uint64_t r = rows; r < from.rows(); ++r) one_by_one(r, c);
  }
}

/// Lanes whose words stay in the second cache, turned.
std::uint64_t lanes_at_once(const CodeMatrix& leaves) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
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

bool same_words(const CodeMatrix& a, const CodeMatrix& b) {
  return a.format() == b.format() && a.word(0, 0) == b.word(0, 0) &&
         a.row_stride() == b.row_stride() && a.column_stride() == b.column_stride();
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
    part.paired = same_words(*operands.paired, operands.b)
                      ? part.b
                      : straightened(operands.paired->window(0, operands.length, column, columns));
  }
  if (operands.c) part.c = operands.c->window(0, operands.rows, column, columns);
  for (auto& [name, matrix] : part.operands)
    matrix = matrix.window(0, operands.rows, column, columns);
  return part;
}

void copy(const CodeMatrix& from, CodeMatrix& to, std::uint64_t column) {
  for (std::uint64_t r = 0; r < from.rows(); ++r)
    std::memcpy(to.words(r, column), from.word(r, 0), from.columns() * from.word_bytes());
}

std::uint64_t bytes_of(const CodeMatrix& leaves, const Chunks& parts, unsigned threads) {
  if (!parts.each_by_one) return leaves.bytes();
  const std::uint64_t lanes = std::min(leaves.columns(), parts.lanes * threads);
  return lanes * leaves.rows() * leaves.word_bytes();
}

}  // namespace

CodeMatrix turned(const CodeMatrix& matrix) {
  if (matrix.row_stride() == 1 || matrix.rows() <= 1) return matrix.transposed();
  CodeMatrix made = CodeMatrix::unset(matrix.format(), matrix.columns(), matrix.rows());
  switch (matrix.word_bytes()) {
    case 1:
      turn<std::uint8_t>(matrix, made);
      break;
    case 2:
      turn<std::uint16_t>(matrix, made);
      break;
    case 4:
      turn<std::uint32_t>(matrix, made);
      break;
    default:
      turn<std::uint64_t>(matrix, made);
      break;
  }
  return made;
}

CodeMatrix evaluate_turned(const RegionPlan& plan, const LaneOperands& operands,
                           const OutputPlaces& places, const GemmOptions& options) {
  const unsigned threads = thread_count(options.threads);
  const Chunks parts = chunks(operands.b, is_turned(operands), threads);
  if (parts.lanes == 0) return evaluate(plan, operands, places, options);
  if (!parts.each_by_one)
    return evaluate(plan, part_of(operands, 0, operands.columns), places, options);
  CodeMatrix out =
      CodeMatrix::zeros(plan.plans[0].reduction.result, operands.rows, operands.columns);
  std::mutex reporting;
  std::uint64_t done = 0;
  const auto chunk = [&](std::uint64_t i) {
    const std::uint64_t first = i * parts.lanes;
    const std::uint64_t last = std::min(operands.columns, first + parts.lanes);
    OutputPlaces there{places.rows, {}, places.width};
    there.columns.assign(places.columns.begin() + static_cast<std::ptrdiff_t>(first),
                         places.columns.begin() + static_cast<std::ptrdiff_t>(last));
    const LaneOperands part = part_of(operands, first, last - first);
    copy(evaluate(plan, part, there, {.threads = 1, .stop = options.stop}), out, first);
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
      copy(run_fold(step, straightened(x.window(0, x.rows(), first, count)),
                    begin ? &*begin : nullptr, 1, stop),
           out, first);
    };
  });
  return out;
}

std::uint64_t turned_bytes(const RegionPlan& plan, const LaneOperands& operands, unsigned threads) {
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
