// Generated operands: codes computed on the fly from their index, in constant memory.
//
// Values are exact in f32 (uniform, wide, outliers) or computed in f64 (linspace), then rounded
// once to the operand's format, ties to even. Formats of eight bits and fewer saturate at their
// largest finite number, as NVIDIA's cvt.rn.satfinite does; wider ones overflow to infinity. Of the
// named formats only e3m2, e2m3 and e2m1 can overflow from `wide`, whose magnitudes reach 2^7.
#pragma once

#include <memory>

#include "sim/rounding.hpp"
#include "sim/source.hpp"

namespace whybits {

/// How a generated value becomes a code of `format`.
RoundRule generator_rule(const Format& format);

/// (h >> 40) · 2^−23 − 1, with h the word of the stream at the index: uniform on [−1, 1).
std::unique_ptr<CodeSource> uniform_source(const Format& format, std::uint64_t size,
                                           std::uint64_t stream);
/// The uniform value times 2^((h & 15) − 8): sixteen binades, for cancellation and small addends.
std::unique_ptr<CodeSource> wide_source(const Format& format, std::uint64_t size,
                                        std::uint64_t stream);
/// The uniform value; 255 of 256 of them, those whose h & 255 is not 0, times 2^−5: weights with
/// outliers, whose root mean square is about 1/25.
std::unique_ptr<CodeSource> outliers_source(const Format& format, std::uint64_t size,
                                            std::uint64_t stream);
/// The top bits of h as a storage word: every code, NaN and infinities included. A tf32 operand
/// is stored as f32, so its source has format f32 and all 32 bits.
std::unique_ptr<CodeSource> bits_source(const Format& format, std::uint64_t size,
                                        std::uint64_t stream);
std::unique_ptr<CodeSource> ones_source(const Format& format, std::uint64_t size);
/// first + (i · (last − first)) / (size − 1), each operation rounded in f64; `first` for size 1.
std::unique_ptr<CodeSource> linspace_source(const Format& format, std::uint64_t size, double first,
                                            double last);

/// What memory and files hold of an operand: f32 for tf32, otherwise the format itself. Sources
/// that come from stored words have this format, because the matrix unit, not the file, drops
/// the low bits of a tf32 operand.
constexpr Format stored_format(const Format& format) {
  return format == formats::tf32 ? formats::f32 : format;
}

}  // namespace whybits
