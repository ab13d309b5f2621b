// A tensor that somebody wrote down: an .npy file, one tensor of a safetensors file, raw words, or
// the output of a recording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/vector_source.hpp"

namespace whybits {

struct Dump {
  std::string name;
  std::vector<std::uint64_t> shape;
  VectorSource codes;
};

/// Reads `npy:FILE` or FILE.npy, `safetensors:FILE#NAME` or FILE.safetensors#NAME, the recorded
/// output of FILE.json, and any other file as raw little-endian words of `format`.
/// `format` is needed for raw words and where a file names only a width. Throws UsageError.
Dump read_dump(const std::string& text, const std::optional<Format>& format);

}  // namespace whybits
