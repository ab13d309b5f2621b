#include "visualizer/views/node_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lab/code_text.hpp"
#include "lab/number_view.hpp"
#include "lab/text_table.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/order_text.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

/// Places of all nodes of a trace: x in leaves, y in levels above the leaves. Leaves stand in the
/// order in which the tree reaches them, so that no two links cross.
struct Places {
  std::vector<float> x, height;
  std::vector<float> first;  ///< by node: x of the leftmost leaf below
  std::vector<float> leaf;   ///< by leaf: its x
  float highest = 1;
};

/// Leaves from left to right, as a walk from the result down meets them. Leaves that the tree does
/// not take keep their number for a place behind all others.
std::vector<float> place_leaves(const Trace& trace) {
  std::vector<float> place(trace.tree.addends(), -1);
  float next = 0;
  std::vector<Origin> open{static_cast<Origin>(trace.nodes.size()) - 1};
  while (!open.empty()) {
    const Origin origin = open.back();
    open.pop_back();
    if (is_leaf_origin(origin)) {
      place[static_cast<std::size_t>(leaf_of_origin(origin))] = next++;
    } else if (origin >= 0) {
      const TraceNode& node = trace.nodes[static_cast<std::size_t>(origin)];
      open.insert(open.end(), node.inputs.rbegin(), node.inputs.rend());
      open.push_back(node.accumulator);
    }
  }
  for (float& x : place)
    if (x < 0) x = next++;
  return place;
}

Places place_nodes(const Trace& trace) {
  Places p;
  p.x.resize(trace.nodes.size());
  p.height.resize(trace.nodes.size());
  p.first.resize(trace.nodes.size());
  p.leaf = place_leaves(trace);
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const TraceNode& node = trace.nodes[i];
    float sum = 0;
    float height = 0;
    float count = 0;
    float first = static_cast<float>(p.leaf.size());
    const auto input = [&](Origin origin) {
      if (is_leaf_origin(origin)) {
        const float at = p.leaf[static_cast<std::size_t>(leaf_of_origin(origin))];
        sum += at + 0.5F;
        first = std::min(first, at);
        count += 1;
      } else if (origin >= 0) {
        sum += p.x[static_cast<std::size_t>(origin)];
        first = std::min(first, p.first[static_cast<std::size_t>(origin)]);
        height = std::max(height, p.height[static_cast<std::size_t>(origin)]);
        count += 1;
      }
    };
    input(node.accumulator);
    for (const Origin origin : node.inputs) input(origin);
    p.x[i] = count > 0 ? sum / count : 0;
    p.height[i] = height + 1;
    p.first[i] = first;
    p.highest = std::max(p.highest, p.height[i]);
  }
  return p;
}

struct TreeFrame {
  Ui& ui;
  const Trace& trace;
  const std::vector<Mark>& marks;
  const Places& places;
  int side;
  Rect plot;
  float per_leaf;
  float per_level;

  Point at(std::size_t node) const {
    return {plot.x0 + places.x[node] * per_leaf, plot.y1 - places.height[node] * per_level};
  }
  Point leaf(std::int64_t i) const {
    return {plot.x0 + (places.leaf[static_cast<std::size_t>(i)] + 0.5F) * per_leaf, plot.y1};
  }
};

/// Leaves far enough apart have their numbers below them.
constexpr float numbered_leaf = 24;
constexpr float tree_left = 30;  ///< beside the plot: room for values

/// Of a sum, as the strips along K have it: grey the other side has the same bits, magenta others,
/// its side's colour no such sum.
Color mark_color(const TreeFrame& t, std::size_t node) {
  switch (t.marks[node]) {
    case Mark::same_bits:
      return same_strip(t.ui.theme);
    case Mark::other_bits:
      return t.ui.theme.differs;
    case Mark::no_counterpart:
      break;
  }
  return fade(side(t.ui.theme, t.side).line, 0.8F);
}

void draw_links(const TreeFrame& t) {
  const SideColors colors = side(t.ui.theme, t.side);
  Canvas& c = t.ui.canvas;
  const bool fine = t.per_leaf >= 3;
  std::vector<bool> covered(static_cast<std::size_t>(t.plot.width()) + 2, false);
  // From the result down: a subtree without room is one bar, and nothing below it is drawn.
  for (std::size_t i = t.trace.nodes.size(); i-- > 0;) {
    const TraceNode& node = t.trace.nodes[i];
    const Point p = t.at(i);
    const float width = static_cast<float>(node.leaves.count) * t.per_leaf;
    if (!fine && width < 4) {
      const float x = t.plot.x0 + t.places.first[i] * t.per_leaf;
      if (t.marks[i] == Mark::other_bits) c.fill({x, p.y, x + 1.5F, p.y + 3}, t.ui.theme.differs);
      const auto column = static_cast<std::size_t>(std::max(0.F, x - t.plot.x0));
      if (column >= covered.size() || covered[column]) continue;
      covered[column] = true;
      c.fill({x, p.y, x + std::max(1.F, width - 1), t.plot.y1}, fade(colors.line, 0.4F));
      continue;
    }
    const auto link = [&](Origin origin) {
      if (is_leaf_origin(origin)) {
        if (fine) c.line(t.leaf(leaf_of_origin(origin)), p, t.ui.theme.line, 1);
      } else if (origin >= 0) {
        const auto below = static_cast<std::size_t>(origin);
        c.line(t.at(below), p, mark_color(t, below), t.marks[below] == Mark::other_bits ? 1.5F : 1);
      }
    };
    link(node.accumulator);
    for (const Origin origin : node.inputs) link(origin);
  }
  if (t.per_leaf >= 5)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(t.trace.tree.addends()); ++i)
      c.disc(t.leaf(i), 2, t.ui.theme.dim);
  if (t.per_leaf >= numbered_leaf)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(t.trace.tree.addends()); ++i)
      c.text({t.leaf(i).x, t.plot.y1 + 4}, std::to_string(i), t.ui.theme.dim, Font::mono_small,
             Align::center);
}

std::optional<StepChoice> draw_nodes(const TreeFrame& t,
                                     const std::optional<StepChoice>& selected) {
  if (t.per_leaf < 3) return std::nullopt;
  const SideColors colors = side(t.ui.theme, t.side);
  Canvas& c = t.ui.canvas;
  std::optional<StepChoice> pressed;
  const float radius = std::clamp(std::min(t.per_leaf, t.per_level) * 0.28F, 1.5F, 5.F);
  float label_x = -1e6F;
  float label_y = -1e6F;
  const Side which = t.side == 0 ? Side::a : Side::b;
  for (std::size_t i = 0; i < t.trace.nodes.size(); ++i) {
    const TraceNode& node = t.trace.nodes[i];
    const Point p = t.at(i);
    const bool differs = t.marks[i] == Mark::other_bits;
    if (differs)
      c.diamond(p, radius + 1.5F, t.ui.theme.differs);
    else if (t.marks[i] == Mark::same_bits)
      c.disc(p, radius, t.ui.theme.faint);
    else
      c.disc(p, radius, colors.line);
    const StepChoice choice{which, i};
    if (selected && *selected == choice) c.ring(p, radius + 4, t.ui.theme.text, 1.5F);
    const Rect hit{p.x - 8, p.y - 8, p.x + 8, p.y + 8};
    const std::string value = display_decimal(node.format, node.code);
    if (t.ui.hovered(hit)) {
      std::string tip = value + "  " + hex_code(node.format, node.code);
      if (t.trace.finite) tip += "\n" + text("tree.lost", signed_short(node.discarded));
      t.ui.tip(hit, tip);
      if (t.ui.in.released) pressed = choice;
    }
    if (t.per_level >= 20) {  // values where they have room
      const float w = c.width(value, Font::mono_small);
      // Away from the link to its parent.
      const bool parent_right =
          node.parent >= 0 && t.places.x[static_cast<std::size_t>(node.parent)] > t.places.x[i];
      const float beside = radius + 9;
      const float left = std::clamp(parent_right ? p.x - beside - w : p.x + beside,
                                    t.plot.x0 - tree_left, t.plot.x1 - w);
      const bool clear = std::abs(p.y - label_y) > 14 || left > label_x + 6;
      const bool room = t.trace.nodes.size() <= 24 || w + 18 < t.per_leaf * 2;
      if (clear && room) {
        c.text_mid({left, p.y - 5}, value, differs ? t.ui.theme.differs : t.ui.theme.dim,
                   Font::mono_small);
        label_x = left + w;
        label_y = p.y;
      }
    }
  }
  return pressed;
}

std::string size_text(const TreeStatistics& tree) {
  return text("sum.tree", grouped(tree.steps), grouped(tree.depth));
}

}  // namespace

std::optional<StepChoice> draw_trees(Ui& ui, const StoryModel& story,
                                     const std::array<TreeCaption, 2>& captions,
                                     const std::optional<StepChoice>& selected, const Rect& area) {
  Rect r = panel(ui, area);
  ui.canvas.push_clip(area);
  Rect head = r.take_top(24);
  ui.canvas.text({head.x0, head.y0}, text("tree.title"), ui.theme.text, Font::title);
  ui.term(head, "tree");
  r.take_top(8);
  std::optional<StepChoice> pressed;
  const float w = (r.width() - 28) / 2;
  for (const int i : {0, 1}) {
    const Trace& trace = i == 0 ? story.story.a : story.story.b;
    const Rect half = i == 0 ? Rect{r.x0, r.y0, r.x0 + w, r.y1} : Rect{r.x1 - w, r.y0, r.x1, r.y1};
    badge(ui, {half.x0 + 9, half.y0 + 9}, i, 9);
    const Color color = viz::side(ui.theme, i).line;
    const TreeCaption& caption = captions[static_cast<std::size_t>(i)];
    const float named = ui.canvas.text_within({half.x0 + 26, half.y0}, half.width() - 26,
                                              caption.name, color, Font::strong) +
                        14;
    if (trace.nodes.empty()) continue;
    if (const auto order = order_text(trace))
      ui.canvas.text_within({named, half.y0 + 1}, half.x1 - named, *order, color, Font::mono);
    else
      ui.canvas.text_within({named, half.y0 + 2}, half.x1 - named, size_text(caption.size),
                            ui.theme.dim, Font::small);
    const Places places = place_nodes(trace);
    const auto leaves = static_cast<float>(std::max<std::uint64_t>(1, story.axis.leaves));
    const bool numbered = half.width() - 36 >= numbered_leaf * leaves;
    const Rect plot{half.x0 + tree_left, half.y0 + 34, half.x1 - 6,
                    half.y1 - (numbered ? 22.F : 6.F)};
    const TreeFrame t{ui,
                      trace,
                      i == 0 ? story.story.divergence.marks_a : story.story.divergence.marks_b,
                      places,
                      i,
                      plot,
                      plot.width() / leaves,
                      plot.height() / places.highest};
    draw_links(t);
    if (const auto p = draw_nodes(t, selected)) pressed = p;
    const std::size_t root = trace.nodes.size() - 1;
    if (t.marks[root] == Mark::other_bits) ui.canvas.diamond(t.at(root), 6, ui.theme.differs);
  }
  ui.canvas.pop_clip();
  return pressed;
}

}  // namespace whybits::viz
