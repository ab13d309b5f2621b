// The notation for topologies, version 1 (docs/notation.md has the grammar).
//
// Printing and parsing are inverse: parse(print(s)) is s, and print(parse(text)) is the canonical
// spelling of text.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "sim/schema.hpp"

namespace whybits {

/// What is wrong, where, and what would have been right.
class NotationError : public std::runtime_error {
 public:
  NotationError(std::string_view text, std::size_t byte, const std::string& message);

  std::size_t column() const { return column_; }  ///< counted in characters from 1
  /// The line, a caret under the place, and the message.
  std::string pointed() const;

 private:
  std::string line_;  ///< the text around the place
  std::size_t column_;
  std::size_t caret_;  ///< blanks before the caret
};

SchemaPtr parse_topology(std::string_view text);
TopologyMap parse_map(std::string_view text);
/// A map if the text begins with `{`, else one topology.
std::variant<SchemaPtr, TopologyMap> parse_notation(std::string_view text);
/// A unit with an optional `> F`: "f32.fma", "sm90.mma.f16", "f32 > bf16".
Unit parse_unit(std::string_view text);
/// "bf16", "e4m3.sat", "tf32.rna": what stands behind `>`.
Conversion parse_conversion(std::string_view text);

std::string print(const Schema& schema);
std::string print(const TopologyMap& map);

}  // namespace whybits
