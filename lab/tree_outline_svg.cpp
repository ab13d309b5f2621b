// The outline as a picture: a box an entry, indented under what uses it, joined by lines.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "lab/svg_text.hpp"
#include "lab/text_table.hpp"
#include "lab/tree_outline.hpp"

namespace whybits {
namespace {

constexpr int line_height = 34;
constexpr int level_indent = 36;
constexpr int margin = 20;
constexpr double letter = 7.9;  // of the monospaced 13 px font

struct Row {
  int depth;
  int parent;  ///< row above that uses it, −1 for the root
  std::string text;
  bool is_entry;
};

class RowMaker {
 public:
  explicit RowMaker(const Outline& outline) : outline_(outline) {}

  std::vector<Row> rows() {
    if (outline_.entries.empty())
      rows_.push_back({0, -1, outline_.root, false});
    else
      entry(0, "", 0, -1);
    return std::move(rows_);
  }

 private:
  /// Recurses as deep as the tree: texts are made in the functions below.
  void entry(int index, const std::string& place, int depth, int parent) {
    const int here = static_cast<int>(rows_.size());
    if (!add_entry(index, place, depth, parent)) return;
    const OutlineEntry& e = outline_.entries[static_cast<std::size_t>(index)];
    static const std::string nothing;
    for (const OutlinePart& part : e.parts) {
      const bool placeless = part.count == 1 && e.parts.size() == 1;
      if (part.entry >= 0)
        entry(part.entry, placeless ? nothing : part.text, depth + 1, here);
      else
        add_leaves(part, depth + 1, here);
    }
  }

  /// False if its parts are shown above.
  [[gnu::noinline]] bool add_entry(int index, const std::string& place, int depth, int parent) {
    const OutlineEntry& e = outline_.entries[static_cast<std::size_t>(index)];
    const bool again = !shown_.insert(index).second;
    std::string text = place.empty() ? e.head : place + ": " + e.head;
    if (!e.note.empty() && !again) text += ": " + e.note;
    if (again) text += ", as above";
    rows_.push_back({depth, parent, text, true});
    return !again;
  }

  [[gnu::noinline]] void add_leaves(const OutlinePart& part, int depth, int parent) {
    rows_.push_back({depth, parent, part.text, false});
  }

  const Outline& outline_;
  std::set<int> shown_;
  std::vector<Row> rows_;
};

}  // namespace

std::string outline_svg(const Outline& outline, const std::string& title) {
  const std::vector<Row> rows = RowMaker(outline).rows();
  const auto width_of = [](const std::string& text) {
    return letter * static_cast<double>(display_width(text)) + 20;
  };
  double width = width_of(title);
  for (const Row& row : rows)
    width = std::max(width, row.depth * level_indent + width_of(row.text));
  const int top = margin + 30;
  const int height = top + static_cast<int>(rows.size()) * line_height + margin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1}\" width=\"{0:.0f}\" "
      "height=\"{1}\" "
      "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3}\" y=\"{4}\" font-weight=\"bold\">{2}</text>\n",
      width + 2 * margin, height, svg_text(title), margin, margin + 8);
  const auto x_of = [](const Row& row) { return margin + row.depth * level_indent; };
  const auto y_of = [&](std::size_t i) { return top + static_cast<int>(i) * line_height; };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const int x = x_of(row);
    const int middle = y_of(i) + line_height / 2 - 2;
    if (row.parent >= 0) {
      const auto parent = static_cast<std::size_t>(row.parent);
      const int from = x_of(rows[parent]) + level_indent / 2;
      out += fmt::format("<path d=\"M{} {} V{} H{}\" fill=\"none\" stroke=\"#8b98a5\"/>\n", from,
                         y_of(parent) + line_height - 6, middle, x);
    }
    if (row.is_entry)
      out += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{:.0f}\" height=\"{}\" rx=\"4\" fill=\"#eaf1fb\" "
          "stroke=\"#1d4ed8\"/>\n",
          x, y_of(i) + 2, width_of(row.text), line_height - 8);
    out +=
        fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 10, middle + 4, svg_text(row.text));
  }
  return out + "</svg>\n";
}

}  // namespace whybits
