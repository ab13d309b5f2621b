#include "sim/fast/run_elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/arith.hpp"
#include "sim/ceil_div.hpp"
#include "sim/fast/leaf_lanes.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

/// Lanes at a time: those of an operation's operands stay in the first cache.
constexpr std::uint64_t stretch = 1024;
constexpr std::size_t most_operands = 3;
/// What padding lanes hold: no operation makes a NaN of it.
constexpr int padding = 1;

std::uint64_t whole_units(std::uint64_t count) {
  return ceil_div(count, column_unit) * column_unit;
}

Bits widened(const Format& from, const Format& to, Bits code) {
  return from == to ? code : convert(from, to, code);
}

template <class T>
constexpr Format lane_format() {
  return sizeof(T) == 4 ? formats::f32 : formats::f64;
}

bool launch(const Kernels& kernels, const ElementStep& step, const float* const* x, float* out,
            std::uint64_t count) {
  return kernels.elements32(step, x, out, count);
}
bool launch(const Kernels& kernels, const ElementStep& step, const double* const* x, double* out,
            std::uint64_t count) {
  return kernels.elements64(step, x, out, count);
}

/// One element as the operation itself has it.
class Element {
 public:
  Element(const ElementStep& step, const std::vector<CodeMatrix>& operands)
      : operation_(step.operation), operands_(operands), codes_(operands.size()) {}

  Bits at(std::uint64_t r, std::uint64_t c) {
    for (std::size_t j = 0; j < codes_.size(); ++j)
      codes_[j] = widened(operands_[j].format(), operation_.operands[j], operands_[j].at(r, c));
    return operation_(codes_);
  }

 private:
  const MapOperation& operation_;
  const std::vector<CodeMatrix>& operands_;
  std::vector<Bits> codes_;
};

/// Lanes of a matrix: where they lie, if they can be read there, else decoded into `buffer`.
template <class T>
const T* lanes_of(const Kernels& kernels, const CodeMatrix& from, std::uint64_t row,
                  std::uint64_t column, std::uint64_t count, std::vector<std::byte>& scratch,
                  T* buffer) {
  const bool in_place =
      from.format() == lane_format<T>() && from.column_stride() == 1 && count % column_unit == 0;
  if (in_place) return reinterpret_cast<const T*>(from.word(row, column));
  decode_row(kernels, from, row, column, count, scratch, buffer);
  std::fill(buffer + count, buffer + whole_units(count), static_cast<T>(padding));
  return buffer;
}

template <class T>
class ElementLanes {
 public:
  ElementLanes(const ElementProgram& program, const Kernels& kernels, CodeMatrix& out)
      : program_(program),
        kernels_(kernels),
        out_(out),
        element_(last(), program.matrices),
        stretch_(whole_units(std::min(stretch, out.columns()))),
        operands_(program.matrices.size() * stretch_),
        results_(program.steps.size() * stretch_) {}

  void run(std::uint64_t row, std::uint64_t column, std::uint64_t count) {
    matrices_.clear();
    for (std::size_t j = 0; j < program_.matrices.size(); ++j)
      matrices_.push_back(lanes_of(kernels_, program_.matrices[j], row, column, count, scratch_,
                                   operands_.data() + j * stretch_));
    const bool in_place = out_.format() == lane_format<T>() && count % column_unit == 0;
    T* result = nullptr;
    bool nan = false;
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const bool final = i + 1 == program_.steps.size();
      result = final && in_place ? reinterpret_cast<T*>(out_.words(row, column))
                                 : results_.data() + i * stretch_;
      nan = run(program_.steps[i], result, whole_units(count));
    }
    if (!in_place) encode_row(kernels_, out_.format(), result, count, out_.words(row, column));
    if (!nan) return;
    for (std::uint64_t i = 0; i < count; ++i)
      if (std::isnan(result[i]))
        out_.set(row, column + i, last().nan ? *last().nan : element_.at(row, column + i));
  }

 private:
  const ElementStep& last() const { return *program_.steps.back().step; }

  bool run(const ElementProgram::Step& step, T* result, std::uint64_t count) {
    const T* x[most_operands] = {};
    for (std::size_t j = 0; j < step.operands.size(); ++j) {
      const ElementProgram::Operand& operand = step.operands[j];
      x[j] =
          operand.is_result ? results_.data() + operand.index * stretch_ : matrices_[operand.index];
    }
    return launch(kernels_, *step.step, x, result, count);
  }

  const ElementProgram& program_;
  const Kernels& kernels_;
  CodeMatrix& out_;
  Element element_;        ///< where a NaN asks for it; then there is one step
  std::uint64_t stretch_;  ///< of these columns
  AlignedVector<T> operands_, results_;
  std::vector<const T*> matrices_;
  std::vector<std::byte> scratch_;
};

using Piece = std::function<void(std::uint64_t)>;

template <class T>
Piece lane_worker(const ElementProgram& program, const Kernels& kernels, CodeMatrix& out,
                  std::uint64_t rows_of_piece) {
  auto lanes = std::make_shared<ElementLanes<T>>(program, kernels, out);
  const std::uint64_t pieces = ceil_div(out.columns(), stretch);
  return [=, &out](std::uint64_t i) {
    const std::uint64_t column = i % pieces * stretch;
    const std::uint64_t count = std::min(stretch, out.columns() - column);
    const std::uint64_t first = i / pieces * rows_of_piece;
    const std::uint64_t last = std::min(out.rows(), first + rows_of_piece);
    for (std::uint64_t row = first; row < last; ++row) lanes->run(row, column, count);
  };
}

Piece element_worker(const ElementStep& step, const std::vector<CodeMatrix>& operands,
                     CodeMatrix& out, std::uint64_t rows_of_piece) {
  auto element = std::make_shared<Element>(step, operands);
  const std::uint64_t pieces = ceil_div(out.columns(), stretch);
  return [=, &out](std::uint64_t i) {
    const std::uint64_t column = i % pieces * stretch;
    const std::uint64_t last_column = std::min(out.columns(), column + stretch);
    const std::uint64_t first = i / pieces * rows_of_piece;
    const std::uint64_t last = std::min(out.rows(), first + rows_of_piece);
    for (std::uint64_t row = first; row < last; ++row)
      for (std::uint64_t c = column; c < last_column; ++c) out.set(row, c, element->at(row, c));
  };
}

/// Rows and columns are as they come.
void run_rows(const ElementProgram& program, CodeMatrix& out, unsigned threads,
              const std::stop_token& stop) {
  const Kernels* kernels = fast::kernels();
  const ElementStep& step = *program.steps.back().step;
  const bool lanes = kernels && step.kernel != ElementStep::Kernel::reference;
  const std::uint64_t width = std::min(stretch, out.columns());
  const std::uint64_t elements = lanes ? 16 * stretch : stretch;  // worth a thread's attention
  const std::uint64_t rows_of_piece = std::max<std::uint64_t>(1, elements / width);
  const std::uint64_t pieces =
      ceil_div(out.rows(), rows_of_piece) * ceil_div(out.columns(), stretch);
  share_work(pieces, threads, stop, [&]() -> Piece {
    if (!lanes) return element_worker(step, program.matrices, out, rows_of_piece);
    if (step.lane == Lane::f32) return lane_worker<float>(program, *kernels, out, rows_of_piece);
    return lane_worker<double>(program, *kernels, out, rows_of_piece);
  });
}

// --- folds -------------------------------------------------------------------------------------
class FoldElement {
 public:
  FoldElement(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start)
      : step_(step), x_(x), start_(start) {}

  Bits at(std::uint64_t c) const {
    const Format& format = step_.operation.result;
    const auto leaf = [&](std::uint64_t i) { return widened(x_.format(), format, x_.at(i, c)); };
    std::uint64_t i = 0;
    Bits acc = start_ ? widened(start_->format(), format, start_->at(0, c)) : leaf(i++);
    for (; i < x_.rows(); ++i) {
      const Bits codes[] = {acc, leaf(i)};
      acc = step_.operation(codes);
    }
    return acc;
  }

 private:
  const ElementStep& step_;
  const CodeMatrix& x_;
  const CodeMatrix* start_;
};

template <class T>
class FoldLanes {
 public:
  FoldLanes(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
            const Kernels& kernels, CodeMatrix& out)
      : step_(step), x_(x), start_(start), kernels_(kernels), out_(out), buffers_(2 * stretch) {}

  void run(std::uint64_t column, std::uint64_t count) {
    T* acc = buffers_.data();
    T* buffer = acc + stretch;
    const CodeMatrix& first = start_ ? *start_ : x_;
    decode_row(kernels_, first, 0, column, count, scratch_, acc);
    std::fill(acc + count, acc + whole_units(count), static_cast<T>(padding));
    std::uint64_t i = start_ ? 0 : 1;
    const bool combined = i < x_.rows();
    for (; i < x_.rows(); ++i) {
      const T* x[] = {acc, lanes_of(kernels_, x_, i, column, count, scratch_, buffer)};
      launch(kernels_, step_, x, acc, whole_units(count));
    }
    if (!encode_row(kernels_, out_.format(), acc, count, out_.words(0, column))) return;
    const FoldElement element(step_, x_, start_);
    for (std::uint64_t c = 0; c < count; ++c)
      if (std::isnan(acc[c]))
        out_.set(0, column + c, combined && step_.nan ? *step_.nan : element.at(column + c));
  }

 private:
  const ElementStep& step_;
  const CodeMatrix& x_;
  const CodeMatrix* start_;
  const Kernels& kernels_;
  CodeMatrix& out_;
  AlignedVector<T> buffers_;
  std::vector<std::byte> scratch_;
};

template <class T>
Piece fold_worker(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                  const Kernels& kernels, CodeMatrix& out) {
  auto lanes = std::make_shared<FoldLanes<T>>(step, x, start, kernels, out);
  return [=, &out](std::uint64_t i) {
    lanes->run(i * stretch, std::min(stretch, out.columns() - i * stretch));
  };
}

}  // namespace

ElementProgram::Operand ElementProgram::join(const ElementProgram& other) {
  const std::size_t first_step = steps.size(), first_matrix = matrices.size();
  for (Step step : other.steps) {
    for (Operand& operand : step.operands)
      operand.index += operand.is_result ? first_step : first_matrix;
    steps.push_back(std::move(step));
  }
  matrices.insert(matrices.end(), other.matrices.begin(), other.matrices.end());
  return {true, steps.size() - 1};
}

bool joins(const ElementStep& from, const ElementStep& to) {
  const auto in_lanes = [](const ElementStep& step) {
    return step.kernel != ElementStep::Kernel::reference;
  };
  // What computes a NaN again would need the codes in between.
  return fast::kernels() && in_lanes(from) && in_lanes(to) && from.lane == to.lane && to.nan;
}

CodeMatrix run_elements(const ElementProgram& program, std::uint64_t rows, std::uint64_t columns,
                        unsigned threads, const std::stop_token& stop) {
  CodeMatrix out = CodeMatrix::unset(program.steps.back().step->operation.result, rows, columns);
  if (rows == 0 || columns == 0) return out;
  // Long rows are better than many: one long row where nothing is broadcast, and a column is one.
  const bool whole = std::all_of(program.matrices.begin(), program.matrices.end(),
                                 [](const CodeMatrix& x) { return x.dense(); });
  if (!whole && columns > 1) {
    run_rows(program, out, threads, stop);
    return out;
  }
  ElementProgram flat = program;
  for (CodeMatrix& x : flat.matrices) x = whole ? x.reshaped(1, rows * columns) : x.transposed();
  CodeMatrix flat_out = out.reshaped(1, rows * columns);
  run_rows(flat, flat_out, threads, stop);
  return out;
}

CodeMatrix run_elements(const ElementStep& step, const std::vector<CodeMatrix>& operands,
                        std::uint64_t rows, std::uint64_t columns, unsigned threads,
                        const std::stop_token& stop) {
  ElementProgram program{{{&step, {}}}, operands};
  for (std::size_t j = 0; j < operands.size(); ++j) program.steps[0].operands.push_back({false, j});
  return run_elements(program, rows, columns, threads, stop);
}

CodeMatrix run_fold(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                    unsigned threads, const std::stop_token& stop) {
  CodeMatrix out = CodeMatrix::unset(step.operation.result, 1, x.columns());
  const Kernels* kernels = fast::kernels();
  if (!kernels || step.kernel == ElementStep::Kernel::reference) {
    const FoldElement element(step, x, start);
    share_work(out.columns(), threads, stop,
               [&]() -> Piece { return [&](std::uint64_t c) { out.set(0, c, element.at(c)); }; });
    return out;
  }
  share_work(ceil_div(x.columns(), stretch), threads, stop, [&]() -> Piece {
    if (step.lane == Lane::f32) return fold_worker<float>(step, x, start, *kernels, out);
    return fold_worker<double>(step, x, start, *kernels, out);
  });
  return out;
}

Bits folded_element(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                    std::uint64_t output) {
  return FoldElement(step, x, start).at(output);
}

}  // namespace whybits::fast
