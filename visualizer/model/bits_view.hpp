// Codes bit by bit: A, B and exact in one format, differing bits marked, and the last rounding as a
// place on the number line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/number_view.hpp"
#include "lab/study.hpp"
#include "visualizer/model/phrase.hpp"

namespace whybits::viz {

enum class BitField : std::uint8_t { sign, exponent, fraction };

struct BitCell {
  BitField field = BitField::fraction;
  int bit = 0;  ///< counted from the last place
  bool one = false;
  bool differs = false;  ///< from the other side's code
  Phrase meaning;        ///< "2⁻³", "exponent + 64", "negative"
};

/// One code taken apart.
struct CodeRow {
  Format format;
  Bits code = 0;
  NumberView number;
  std::vector<BitCell> cells;  ///< sign first
};
/// `other`: the code to compare with, of the same format; none: nothing differs.
CodeRow code_row(const Format& format, Bits code, const std::optional<Bits>& other = {});

/// An exact value written as a significand of a format and what lies below its last place.
struct ExactRow {
  std::string decimal;  ///< up to 24 characters
  bool negative = false;
  int exponent = 0;  ///< of the leading place, or the format's smallest
  std::string kept;  ///< significand bits that the format has, the leading one first
  bool guard = false, round = false, sticky = false;
  std::string below;  ///< bits below the last place, up to 24, guard and round first
  Bits rounded = 0;   ///< nearest, by the rule of the last rounding
};
std::optional<ExactRow> exact_row(const Dyadic& exact, const Format& format,
                                  const RoundRule& rule = {});

/// Where values lie around a rounding border. Positions are in units of the last place from the
/// nearest number below, computed exactly and only then made double.
struct NumberLinePoint {
  enum class What : std::uint8_t { exact, a, b, result_a, result_b, number, midpoint };
  What what = What::number;
  double at = 0;
  std::string text;  ///< value, as display_decimal
};
struct NumberLine {
  std::string format;          ///< "bf16"
  std::string unit;            ///< the last place there, "2^-4"; "2^0 → 2^1" where it changes
  double first = 0, last = 0;  ///< what to show
  std::vector<NumberLinePoint> points;
};
/// Before the last rounding, where there is one: A, B and exact between numbers of the output
/// format; nullopt where something is not finite, or where A and B are too far apart (> 64 ulp).
std::optional<NumberLine> last_rounding_line(const OutputStory& story);
/// One number and its neighbours; `exact`: a value between them, such as what was typed.
std::optional<NumberLine> neighbour_line(const Format& format, Bits code,
                                         const std::optional<mpq_class>& exact = {});

/// All of one output.
struct OutputBits {
  CodeRow a, b;
  std::optional<CodeRow> before_a, before_b;  ///< where there is a last rounding
  std::optional<ExactRow> exact;
  std::optional<std::uint64_t> ulp_after, ulp_before;
  std::optional<NumberLine> line;
  enum class Right : std::uint8_t { unknown, both, a, b, neither };
  Right right = Right::unknown;  ///< whose result is the exact sum rounded
};
OutputBits view_output(const OutputStory& story);

/// The code with one bit turned over. Precondition: bit < code_bits().
Bits with_bit_flipped(const Format& format, Bits code, int bit);

}  // namespace whybits::viz
