#include "lab/tree_outline.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "lab/text_table.hpp"
#include "sim/unit.hpp"

namespace whybits {
namespace {

std::string start_text(const Shape& shape) {
  switch (shape.begin) {
    case Shape::Begin::zero:
      return shape.unit->kind == Unit::Kind::add ? ", from=0" : "";
    case Shape::Begin::c:
      return ", from=c";
    case Shape::Begin::node:
      return ", continued";
    case Shape::Begin::first:
      break;
  }
  return "";
}

std::string leaves_text(const Run& run) {
  const std::int64_t first = run.node.offset;
  const auto last = [&](std::int64_t from) {
    return from + run.step * static_cast<std::int64_t>(run.count - 1);
  };
  const auto once = [&](std::int64_t from) {
    if (run.count == 1) return fmt::format("{}", from);
    if (run.step == 1) return fmt::format("{}…{}", from, last(from));
    if (run.count == 2) return fmt::format("{}, {}", from, last(from));
    return fmt::format("{}, {}, …, {}", from, from + run.step, last(from));
  };
  const std::string word = run.size() == 1 ? "leaf " : "leaves ";
  if (run.repeats == 1) return word + once(first);
  return fmt::format("{}{}; {}; … ({} times)", word, once(first), once(first + run.repeat_step),
                     grouped(run.repeats));
}

std::string places_text(const Run& run) {
  const std::string stride =
      run.node.stride == 1 ? ""
                           : fmt::format(", its leaves {} apart",
                                         grouped(static_cast<std::uint64_t>(run.node.stride)));
  if (run.size() == 1) return fmt::format("at leaf {}{}", run.node.offset, stride);
  if (run.repeats == 1)
    return fmt::format("{} times, from leaf {} on every {}{}", grouped(run.count), run.node.offset,
                       run.step, stride);
  return fmt::format("{} times, from leaf {} on in {} groups{}", grouped(run.size()),
                     run.node.offset, grouped(run.repeats), stride);
}

std::string fold_note(const Shape& shape) {
  const std::uint64_t items = shape.items.size();
  if (shape.unit->addends == 1) return counted(items, "addend");
  const auto width = static_cast<std::uint64_t>(shape.unit->addends);
  std::uint64_t seams = 0;
  for (const Seam& seam : shape.seams) seams += seam.count;
  std::string note = fmt::format("{} in steps of {}", counted(items, "product"), width);
  if (items % width != 0 && seams == 0) note += fmt::format(", the last of {}", items % width);
  if (seams > 0) note += ", the grid restarts at " + counted(seams, "seam");
  return note;
}

/// Shapes in the order in which a reader meets them from the root down, without recursion: trees
/// are deep.
std::vector<const Shape*> shapes_top_down(const Shape& root) {
  std::vector<const Shape*> order;
  std::unordered_set<const Shape*> met;
  std::vector<const Shape*> open{&root};
  while (!open.empty()) {
    const Shape& shape = *open.back();
    open.pop_back();
    if (!met.insert(&shape).second) continue;
    order.push_back(&shape);
    const std::vector<Run>& runs = shape.items.runs();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      if (run->node.shape) open.push_back(run->node.shape.get());
    if (shape.carry.shape) open.push_back(shape.carry.shape.get());
  }
  return order;
}

class Outliner {
 public:
  explicit Outliner(const Shape& root) {
    const std::vector<const Shape*> shapes = shapes_top_down(root);
    for (const Shape* shape : shapes) numbers_.emplace(shape, static_cast<int>(numbers_.size()));
    for (const Shape* shape : shapes) out.entries.push_back(describe(*shape));
  }

  Outline out;

 private:
  OutlineEntry describe(const Shape& shape) {
    OutlineEntry entry = outline_entry(shape);
    if (shape.begin == Shape::Begin::node)
      entry.parts.push_back(part("the accumulator that is continued", shape.carry, 1));
    for (const Run& run : shape.items.runs())
      entry.parts.push_back(run.node.is_leaf() ? OutlinePart{leaves_text(run), -1, run.size()}
                                               : part(places_text(run), run.node, run.size()));
    return entry;
  }

  OutlinePart part(const std::string& text, const Node& node, std::uint64_t count) {
    if (node.kind != Node::Kind::shape) return {text, -1, count};
    return {text, numbers_.at(node.shape.get()), count};
  }

  std::unordered_map<const Shape*, int> numbers_;
};

/// Recurses as deep as the tree: no texts but the one that is written.
class ListWriter {
 public:
  void write(const Node& node, std::int64_t move, std::int64_t offset, std::int64_t stride) {
    offset += stride * (node.offset + move);
    if (node.is_leaf()) return number(offset);
    const Shape& shape = *node.shape;
    stride *= node.stride;
    const bool several = words(shape) > 1;
    const std::size_t width = step_width(shape);
    if (several) out += '(';
    bool first = true;
    if (!shape.carry.is_empty()) {
      write(shape.carry, 0, offset, stride);
      first = false;
    }
    std::size_t filled = 0;  // of a step
    std::uint64_t index = 0;
    for (const Run& run : shape.items.runs())
      for (std::uint64_t i = 0; i < run.size(); ++i, ++index) {
        if (begins_step(shape, width, filled, index)) {
          if (filled > 0) out += '}';
          out += first ? "{" : " {";
          filled = 0;
        } else if (!first) {
          out += ' ';
        }
        first = false;
        ++filled;
        write(run.node, run.at(i).offset - run.node.offset, offset, stride);
      }
    if (width > 1 && filled > 0) out += '}';
    if (several) out += ')';
  }

  std::string out;

 private:
  [[gnu::noinline]] void number(std::int64_t leaf) { out += std::to_string(leaf); }

  static std::size_t step_width(const Shape& shape) {
    return shape.unit && shape.unit->addends > 1 ? static_cast<std::size_t>(shape.unit->addends)
                                                 : 1;
  }

  /// Is an item the first one of a step in braces?
  static bool begins_step(const Shape& shape, std::size_t width, std::size_t filled,
                          std::uint64_t index) {
    return width > 1 && (filled == 0 || filled == width || is_seam(shape, index));
  }

  /// Of a list: the carry, and items or steps.
  static std::uint64_t words(const Shape& shape) {
    const std::size_t width = step_width(shape);
    std::uint64_t count = width == 1 ? shape.items.size() : 0;
    std::size_t filled = 0;
    for (std::uint64_t index = 0; width > 1 && index < shape.items.size(); ++index) {
      if (begins_step(shape, width, filled, index)) {
        ++count;
        filled = 0;
      }
      ++filled;
    }
    return count + (shape.carry.is_empty() ? 0 : 1);
  }

  static bool is_seam(const Shape& shape, std::uint64_t at) {
    for (const Seam& seam : shape.seams)
      for (std::uint64_t i = 0; i < seam.count; ++i)
        if (seam.first + i * seam.step == at) return true;
    return false;
  }
};

}  // namespace

OutlineEntry outline_entry(const Shape& shape) {
  OutlineEntry entry;
  entry.leaves = shape.leaves;
  switch (shape.op) {
    case Shape::Op::round:
      entry.head = "> " + conversion_name(shape.conversion);
      break;
    case Shape::Op::operand:
      entry.head = "+ " + shape.operand;
      break;
    case Shape::Op::any:
      entry.head = "any(" + unit_name(*shape.unit) + ")";
      entry.note = counted(shape.items.size(), "addend") + " in no defined order";
      break;
    case Shape::Op::fold:
      entry.head = "fold(" + unit_name(*shape.unit) + start_text(shape) + ")";
      entry.note = fold_note(shape);
      break;
  }
  return entry;
}

Outline outline(const Tree& tree) {
  const Node& root = tree.root();
  if (root.is_empty()) return {{}, "nothing to add: +0"};
  if (root.is_leaf()) return {{}, fmt::format("leaf {}, copied", root.offset)};
  return std::move(Outliner(*root.shape).out);
}

std::string nested_list(const Tree& tree, std::uint64_t most) {
  if (tree.root().is_empty() || leaf_count(tree.root()) > most) return {};
  ListWriter writer;
  writer.write(tree.root(), 0, 0, 1);
  return std::move(writer.out);
}

}  // namespace whybits
