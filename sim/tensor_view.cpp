#include "sim/tensor_view.hpp"

#include <span>
#include <utility>

namespace whybits {

TensorView TensorView::of(const Patch& patch) {
  TensorView view;
  view.type = patch.type;
  view.patch = &patch;
  return view;
}

TensorView TensorView::of(const InputTensor& input) {
  TensorView view;
  view.type = input.type();
  view.source = input.codes.get();
  view.source_columns = input.columns;
  return view;
}

Bits TensorView::at(std::uint64_t row, std::uint64_t column) const {
  row = row0 + (type.rows == 1 ? 0 : row);
  column = column0 + (type.columns == 1 ? 0 : column);
  if (patch) return patch->at(row, column);
  Bits code = 0;
  source->read(row * source_columns + column, 1, std::span<Bits>(&code, 1));
  return code;
}

OperandVector TensorView::row(std::uint64_t row, std::uint64_t n) const {
  std::vector<Bits> codes(n);
  if (source && type.columns == n && n > 1) {
    const std::uint64_t r = row0 + (type.rows == 1 ? 0 : row);
    source->read(r * source_columns + column0, 1, codes);
  } else {
    for (std::uint64_t i = 0; i < n; ++i) codes[i] = at(row, i);
  }
  return {type.format, std::move(codes)};
}

OperandVector TensorView::column(std::uint64_t column, std::uint64_t n) const {
  std::vector<Bits> codes(n);
  if (source && type.rows == n && n > 1) {
    const std::uint64_t c = column0 + (type.columns == 1 ? 0 : column);
    source->read(row0 * source_columns + c, source_columns, codes);
  } else {
    for (std::uint64_t i = 0; i < n; ++i) codes[i] = at(i, column);
  }
  return {type.format, std::move(codes)};
}

std::vector<Bits> TensorView::grid(const Need& need) const {
  std::vector<Bits> codes;
  codes.reserve(need.size());
  need.rows.for_each([&](std::uint64_t r) {
    need.columns.for_each([&](std::uint64_t c) { codes.push_back(at(r, c)); });
  });
  return codes;
}

}  // namespace whybits
