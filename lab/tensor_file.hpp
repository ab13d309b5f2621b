// Tensors in files that other programs write: NumPy's .npy and safetensors.
//
// A reader first makes a TensorLayout from the header alone, checked against the size of the file;
// nothing is allocated for data before the caller has accepted it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "lab/vector_source.hpp"

namespace whybits {

struct TensorLayout {
  std::vector<std::uint64_t> shape;  ///< row-major; empty for one scalar
  std::string dtype;                 ///< as the file spells it: "<f4", "BF16"
  /// What the dtype says, or nullopt for raw words (integers and void types, as which bf16 and
  /// fp8 tensors are often saved).
  std::optional<Format> format;
  int word_bits = 0;
  std::uint64_t data_offset = 0;  ///< from the start of the file, in bytes
  std::uint64_t elements = 0;

  std::uint64_t data_bytes() const { return elements * static_cast<std::uint64_t>(word_bits) / 8; }
};

/// Layout of an .npy file (format versions 1.0 to 3.0, little endian, C order). `name` stands in
/// front of every error. Throws UsageError.
TensorLayout npy_layout(std::istream& file, const std::string& name);

/// Layout of one tensor of a safetensors file; the whole header is checked (offsets in bounds,
/// without holes or overlaps, sizes equal to shape times dtype). Throws UsageError.
TensorLayout safetensors_layout(std::istream& file, const std::string& name,
                                const std::string& tensor);

/// The format in which to read the tensor: `wanted` if the dtype is that or raw words of its
/// width, the dtype's own format if nothing is wanted. Throws UsageError otherwise.
Format tensor_format(const TensorLayout& layout, const std::optional<Format>& wanted,
                     const std::string& name);

/// Reads the data. Throws UsageError if the file ends early.
VectorSource read_tensor(std::istream& file, const TensorLayout& layout, const Format& format,
                         const std::string& name);

/// "[4096, 14336]".
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// Product of the dimensions; nullopt if it, times 8 bytes, does not fit 64 bits.
std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape);

}  // namespace whybits
