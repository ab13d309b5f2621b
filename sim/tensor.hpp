// What recipes compute with: matrices of codes of one format.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/index_set.hpp"
#include "sim/source.hpp"

namespace whybits {

/// A vector has one row or one column, a scalar one of each. A dimension of 1 broadcasts.
struct TensorType {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
  Format format = formats::f32;

  bool operator==(const TensorType&) const = default;
};

/// "f32 4×1024".
std::string type_name(const TensorType& type);

/// Codes in memory, row-major.
class CodeVector final : public CodeSource {
 public:
  CodeVector(const Format& format, std::vector<Bits> codes)
      : format_(format), codes_(std::move(codes)) {}

  Format format() const override { return format_; }
  std::uint64_t size() const override { return codes_.size(); }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (Bits& code : out) {
      code = codes_[first];
      first += stride;
    }
  }

 private:
  Format format_;
  std::vector<Bits> codes_;
};

/// A tensor that a recipe is given. Its source is read where it is needed, so a generated matrix
/// need not exist in memory.
struct InputTensor {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
  std::shared_ptr<const CodeSource> codes;

  TensorType type() const { return {rows, columns, codes->format()}; }
};
InputTensor input_tensor(const TensorType& type, std::vector<Bits> codes);

using InputTensors = std::map<std::string, InputTensor, std::less<>>;
using TensorTypes = std::map<std::string, TensorType, std::less<>>;

/// The computed part of a tensor: a grid of chosen rows and columns.
struct Patch {
  TensorType type;  ///< of the whole tensor
  IndexSet rows;
  IndexSet columns;
  std::vector<Bits> codes;  ///< rows.size() × columns.size(), row-major

  /// Code of element (row, column) of the tensor. Precondition: it is in the patch.
  Bits at(std::uint64_t row, std::uint64_t column) const {
    return codes[rows.position(row) * columns.size() + columns.position(column)];
  }
};

}  // namespace whybits
