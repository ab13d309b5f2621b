#include "lab/tree_outline.hpp"

#include <fmt/format.h>

#include <unordered_map>

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

std::string plural(std::uint64_t count, const char* one, const char* many) {
  return grouped(count) + " " + (count == 1 ? one : many);
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

class Outliner {
 public:
  int enter(const Shape& shape) {
    const auto known = known_.find(&shape);
    if (known != known_.end()) return known->second;
    const int index = static_cast<int>(out.entries.size());
    known_.emplace(&shape, index);
    out.entries.emplace_back();
    OutlineEntry entry = describe(shape);
    out.entries[static_cast<std::size_t>(index)] = std::move(entry);
    return index;
  }

  Outline out;

 private:
  OutlineEntry describe(const Shape& shape) {
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
        entry.note = plural(shape.items.size(), "addend", "addends") + " in no defined order";
        break;
      case Shape::Op::fold:
        entry.head = "fold(" + unit_name(*shape.unit) + start_text(shape) + ")";
        entry.note = fold_note(shape);
        break;
    }
    if (shape.begin == Shape::Begin::node)
      entry.parts.push_back(part("the accumulator that is continued", shape.carry, 1));
    for (const Run& run : shape.items.runs())
      entry.parts.push_back(run.node.is_leaf() ? OutlinePart{leaves_text(run), -1, run.size()}
                                               : part(places_text(run), run.node, run.size()));
    return entry;
  }

  OutlinePart part(const std::string& text, const Node& node, std::uint64_t count) {
    if (node.kind != Node::Kind::shape) return {text, -1, count};
    return {text, enter(*node.shape), count};
  }

  static std::string fold_note(const Shape& shape) {
    const std::uint64_t items = shape.items.size();
    if (shape.unit->addends == 1) return plural(items, "addend", "addends");
    const auto width = static_cast<std::uint64_t>(shape.unit->addends);
    std::uint64_t seams = 0;
    for (const Seam& seam : shape.seams) seams += seam.count;
    std::string note =
        fmt::format("{} in steps of {}", plural(items, "product", "products"), width);
    if (items % width != 0 && seams == 0) note += fmt::format(", the last of {}", items % width);
    if (seams > 0) note += ", the grid restarts at " + plural(seams, "seam", "seams");
    return note;
  }

  std::unordered_map<const Shape*, int> known_;
};

class ListWriter {
 public:
  std::string of(const Node& node) {
    if (node.is_leaf()) return std::to_string(node.offset);
    const Shape& shape = *node.shape;
    std::vector<std::string> words;
    if (!shape.carry.is_empty()) words.push_back(of(placed(shape.carry, node.offset, node.stride)));
    const bool steps = shape.unit && shape.unit->addends > 1;
    const auto width = static_cast<std::size_t>(steps ? shape.unit->addends : 1);
    std::string step;
    std::size_t filled = 0;
    std::size_t index = 0;
    const auto close = [&] {
      if (filled > 0) words.push_back("{" + step + "}");
      step.clear();
      filled = 0;
    };
    shape.items.for_each([&](const Node& item) {
      const std::string text = of(placed(item, node.offset, node.stride));
      if (!steps) {
        words.push_back(text);
        return;
      }
      if (filled == width || is_seam(shape, index)) close();
      step += (filled++ > 0 ? " " : "") + text;
      ++index;
    });
    close();
    if (words.size() == 1) return words[0];
    return "(" + fmt::format("{}", fmt::join(words, " ")) + ")";
  }

 private:
  static bool is_seam(const Shape& shape, std::uint64_t at) {
    for (const Seam& seam : shape.seams)
      for (std::uint64_t i = 0; i < seam.count; ++i)
        if (seam.first + i * seam.step == at) return true;
    return false;
  }
};

}  // namespace

Outline outline(const Tree& tree) {
  Outliner outliner;
  const Node& root = tree.root();
  if (root.is_empty())
    outliner.out.root = "nothing to add: +0";
  else if (root.is_leaf())
    outliner.out.root = fmt::format("leaf {}, copied", root.offset);
  else
    outliner.enter(*root.shape);
  return std::move(outliner.out);
}

std::string nested_list(const Tree& tree, std::uint64_t most) {
  if (tree.root().is_empty() || leaf_count(tree.root()) > most) return {};
  return ListWriter().of(tree.root());
}

}  // namespace whybits
