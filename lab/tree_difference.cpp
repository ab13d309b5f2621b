#include "lab/tree_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/text_table.hpp"
#include "lab/tree_outline.hpp"

namespace whybits {
namespace {

bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.offset != b.offset || a.stride != b.stride) return false;
  return a.kind != Node::Kind::shape || equal(*a.shape, *b.shape);
}

std::string leaves_of(const Node& node) {
  const std::uint64_t span = extent(node);
  if (span == 0) return "";
  if (span == 1) return fmt::format(", leaf {}", node.offset);
  const std::string range =
      fmt::format(", leaves {}…{}", node.offset,
                  node.offset + node.stride * static_cast<std::int64_t>(span - 1));
  return leaf_count(node) == span
             ? range + (node.stride == 1 ? "" : fmt::format(", every {}th", node.stride))
             : fmt::format(", {} within {}…{}", grouped(leaf_count(node)) + " leaves", node.offset,
                           node.offset + node.stride * static_cast<std::int64_t>(span - 1));
}

std::string words(const Node& node) {
  if (node.is_empty()) return "nothing";
  if (node.is_leaf()) return fmt::format("leaf {}", node.offset);
  const Shape& shape = *node.shape;
  const OutlineEntry entry = outline_entry(shape);
  std::string text = entry.head;
  if (!entry.note.empty()) text += " of " + entry.note;
  return text + leaves_of(node);
}

/// Do both do the same with equally many parts, whatever the parts are?
bool same_step(const Shape& a, const Shape& b) {
  if (a.op != b.op || a.begin != b.begin || a.operand != b.operand || a.seams != b.seams ||
      a.items.size() != b.items.size() || static_cast<bool>(a.unit) != static_cast<bool>(b.unit))
    return false;
  if (a.op == Shape::Op::round && !(a.conversion == b.conversion)) return false;
  return !a.unit || a.unit->same_arithmetic(*b.unit);
}

/// The first item that differs. Precondition: equally many, and not all the same.
std::uint64_t first_other(const Items& a, const Items& b) {
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < std::min(a.runs().size(), b.runs().size()); ++k) {
    const Run& x = a.runs()[k];
    const Run& y = b.runs()[k];
    // Runs are as long as can be, so that two of them part at an end of one of them, or at once.
    const std::array<std::uint64_t, 4> places{0, 1, std::min(x.count, y.count),
                                              std::min(x.size(), y.size())};
    for (const std::uint64_t place : places) {
      const std::uint64_t i = before + place;
      if (i < a.size() && !same(a.at(i), b.at(i))) return i;
    }
    before += std::min(x.size(), y.size());
  }
  return a.size() - 1;
}

}  // namespace

std::optional<TreeDifference> first_difference(const Tree& a, const Tree& b) {
  Node x = a.root(), y = b.root();
  if (same(x, y)) return std::nullopt;
  TreeDifference out;
  while (x.kind == Node::Kind::shape && y.kind == Node::Kind::shape &&
         same_step(*x.shape, *y.shape)) {
    const Shape& p = *x.shape;
    const Shape& q = *y.shape;
    // What differs may also be where the same shape lies: then its first leaf says so.
    out.shared.push_back(words(x) == words(y) ? words(x) : words(x) + "; B: " + words(y));
    Node next_x, next_y;
    const auto placed_in = [](const Node& node, const Node& part) {
      return placed(part, node.offset, node.stride);
    };
    if (!same(placed_in(x, p.carry), placed_in(y, q.carry))) {
      next_x = placed_in(x, p.carry);
      next_y = placed_in(y, q.carry);
    } else {
      const Items items_x = p.items.placed(x.offset, x.stride);
      const Items items_y = q.items.placed(y.offset, y.stride);
      const std::uint64_t i = first_other(items_x, items_y);
      next_x = items_x.at(i);
      next_y = items_y.at(i);
      if (p.items.size() > 1) out.shared.back() += fmt::format(": part {}", grouped(i + 1));
    }
    x = next_x;
    y = next_y;
  }
  out.a = words(x);
  out.b = words(y);
  return out;
}

std::string difference_text(const TreeDifference& difference) {
  constexpr std::size_t shown = 4;  // of the shared way, at each end
  std::string out;
  const std::size_t levels = difference.shared.size();
  for (std::size_t i = 0; i < levels; ++i) {
    if (levels > 2 * shown + 1 && i == shown) {
      out += fmt::format("  …     {} more\n", counted(levels - 2 * shown, "level"));
      i = levels - shown;
    }
    out += "  both  " + difference.shared[i] + "\n";
  }
  return out + "  A     " + difference.a + "\n  B     " + difference.b + "\n";
}

}  // namespace whybits
