// A tree as an outline: one entry a distinct shape, however many leaves it has. Text, DOT and SVG
// are made from it.
//
// A shape that stands in several places is entered once; the leaf numbers inside an entry are the
// shape's own (0 is its first leaf), its places are given where it is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/tree.hpp"

namespace whybits {

/// Something that an entry combines: leaves, or `count` copies of another entry.
struct OutlinePart {
  std::string text;  ///< "leaves 0…15", "4 times, 3584 apart"
  int entry = -1;    ///< index of the combined entry, −1 for leaves
  std::uint64_t count = 1;
};

struct OutlineEntry {
  std::string head;  ///< "fold(f32) of 4 sums", "> bf16"
  std::string note;  ///< "224 steps of 16 products", or empty
  std::uint64_t leaves = 0;
  std::vector<OutlinePart> parts;
};

/// Head, note and leaves of an entry, without its parts.
OutlineEntry outline_entry(const Shape& shape);

struct Outline {
  std::vector<OutlineEntry> entries;  ///< the root first, if the tree is a shape at all
  std::string root;                   ///< said instead of entries: "leaf 0", "nothing: +0"
};
Outline outline(const Tree& tree);

/// The outline as an indented list; entries met before are named, not repeated.
std::string outline_text(const Outline& outline);
/// Graphviz: a node an entry.
std::string outline_dot(const Outline& outline);
/// Boxes and lines, readable without Graphviz.
std::string outline_svg(const Outline& outline, const std::string& title);

/// Nested lists of leaves as tree(U, …) writes them; a step of a matrix unit in braces:
/// "({0 1 2 3} {4 5 6 7})". Empty if there are more than `most` leaves.
std::string nested_list(const Tree& tree, std::uint64_t most = 64);

}  // namespace whybits
