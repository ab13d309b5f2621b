#include "sim/fast/row_maxima.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/ceil_div.hpp"
#include "sim/fast/leaf_lanes.hpp"
#include "sim/fast/run_elements.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

constexpr std::uint64_t row_stretch = 1024;  ///< of a row at a time

template <class T>
T larger(T a, T b) {
  if (std::isnan(b)) return a;
  if (std::isnan(a)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

bool take_larger(const Kernels& kernels, const ElementStep& step, float* acc, const float* x,
                 std::uint64_t count) {
  const float* const operands[] = {acc, x};
  return kernels.elements32(step, operands, acc, count);
}
bool take_larger(const Kernels& kernels, const ElementStep& step, double* acc, const double* x,
                 std::uint64_t count) {
  const double* const operands[] = {acc, x};
  return kernels.elements64(step, operands, acc, count);
}

template <class T>
class RowMaximum {
 public:
  RowMaximum(const ElementStep& step, const CodeMatrix& rows, const Kernels& kernels)
      : step_(step), rows_(rows), kernels_(kernels), acc_(row_stretch), x_(row_stretch) {}

  T of(std::uint64_t row) {
    std::uint64_t lanes = decode(row, 0, acc_.data());
    for (std::uint64_t i = row_stretch; i < rows_.columns(); i += row_stretch) {
      const std::uint64_t count = decode(row, i, x_.data());
      take_larger(kernels_, step_, acc_.data(), x_.data(), count);
    }
    while (lanes > column_unit) {
      const std::uint64_t half = round_up(lanes / 2, column_unit);
      take_larger(kernels_, step_, acc_.data(), acc_.data() + half, lanes - half);
      lanes = half;
    }
    T most = acc_[0];
    for (std::uint64_t i = 1; i < column_unit; ++i) most = larger(most, acc_[i]);
    return most;
  }

 private:
  /// Some values of a row, filled up to whole units with one of them, which changes no maximum.
  std::uint64_t decode(std::uint64_t row, std::uint64_t first, T* values) {
    const std::uint64_t count = std::min(row_stretch, rows_.columns() - first);
    const std::uint64_t lanes = round_up(count, column_unit);
    decode_row(kernels_, rows_, row, first, count, scratch_, values);
    std::fill(values + count, values + lanes, values[0]);
    return lanes;
  }

  const ElementStep& step_;
  const CodeMatrix& rows_;
  const Kernels& kernels_;
  AlignedVector<T> acc_, x_;
  std::vector<std::byte> scratch_;
};

/// One output after the other.
template <class T>
std::function<void(std::uint64_t)> row_worker(const ElementStep& step, const CodeMatrix& rows,
                                              const CodeMatrix& x, const CodeMatrix* start,
                                              const Kernels& kernels, CodeMatrix& out) {
  auto maximum = std::make_shared<RowMaximum<T>>(step, rows, kernels);
  return [=, &step, &x, &kernels, &out](std::uint64_t output) {
    T most = maximum->of(output);
    if (start) {
      T begin;
      std::vector<std::byte> scratch;
      decode_row(kernels, *start, 0, output, 1, scratch, &begin);
      most = larger(begin, most);
    }
    if (std::isnan(most))
      out.set(0, output, step.nan ? *step.nan : folded_element(step, x, start, output));
    else
      encode_row(kernels, out.format(), &most, 1, out.words(0, output));
  };
}

}  // namespace

bool are_row_maxima(const ElementStep& step, const CodeMatrix& x) {
  return step.kind == MapOperation::Kind::max && step.kernel == ElementStep::Kernel::native &&
         kernels() && x.row_stride() == 1 && x.rows() >= column_unit;
}

CodeMatrix row_maxima(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                      unsigned threads, const std::stop_token& stop) {
  const CodeMatrix rows = x.transposed();
  CodeMatrix out = CodeMatrix::unset(step.operation.result, 1, x.columns());
  share_work(x.columns(), threads, stop, [&] {
    return step.lane == Lane::f32 ? row_worker<float>(step, rows, x, start, *kernels(), out)
                                  : row_worker<double>(step, rows, x, start, *kernels(), out);
  });
  return out;
}

}  // namespace whybits::fast
