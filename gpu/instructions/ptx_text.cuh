// The text of an instruction as an array that inline assembly can paste ("C" constraint), so that
// the table is the only place where it is written.
#pragma once

#include <utility>

#include "gpu/instructions/instruction_table.hpp"

namespace whybits::gpu {

/// What follows the scale-d predicate of wgmma: no negation and, for 16-bit operands, no
/// transposition of those that are in shared memory.
constexpr std::string_view wgmma_immediates(const MatrixInstruction& row) {
  if (row.a != "f16" && row.a != "bf16") return "1, 1";
  return row.a_source == ASource::shared ? "1, 1, 0, 0" : "1, 1, 0";
}

/// Text: a type whose `text` is a string_view. value: its characters and a zero.
template <class Text, class = std::make_index_sequence<Text::text.size()>>
struct CharacterArray;
template <class Text, std::size_t... Is>
struct CharacterArray<Text, std::index_sequence<Is...>> {
  static constexpr char value[] = {Text::text[Is]..., '\0'};
};

template <int Row>
struct OpcodeOf {
  static constexpr std::string_view text = instruction_table[Row].ptx;
};
template <int Row>
struct ImmediatesOf {
  static constexpr std::string_view text = wgmma_immediates(instruction_table[Row]);
};

template <int Row>
using Opcode = CharacterArray<OpcodeOf<Row>>;
template <int Row>
using Immediates = CharacterArray<ImmediatesOf<Row>>;

}  // namespace whybits::gpu
