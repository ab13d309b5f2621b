#include "visualizer/views/axis_items.hpp"

#include <algorithm>
#include <utility>

#include "lab/code_text.hpp"
#include "visualizer/draw/label_place.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/order_text.hpp"
#include "visualizer/model/strip_steps.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

struct SideFrame {
  PairFrame& f;
  const AxisLayout& layout;
  Side side;
  const AxisQuery& query;
  const AxisSide& model;
  std::uint32_t depths;
  SideColors colors;

  Canvas& canvas() const { return f.canvas(); }
  const Theme& theme() const { return f.theme(); }
  /// The edge of a row that faces the ruler, and the direction away from it.
  float outward() const { return side == Side::a ? -1.F : 1.F; }
};

Rect item_rect(const SideFrame& s, const AxisItem& item) {
  Rect row = s.layout.row(s.side, item.depth);
  if (item.lanes > 1) {
    const float h = row.height() / static_cast<float>(item.lanes);
    row.y0 += h * static_cast<float>(item.lane);
    row.y1 = row.y0 + h;
  }
  row.x0 = std::max(s.layout.x.at(item.first), s.layout.plot.x0 - 4);
  row.x1 = std::min(s.layout.x.at(item.last), s.layout.plot.x1 + 4);
  return row;
}

/// Strip along the ruler: what the other side has for these steps. Quiet where the bits are the
/// same, dotted where the other side never has this sum, filled where it has other bits.
void mark_strip(const SideFrame& s, const Rect& r, const MarkCounts& marks) {
  if (r.width() < 0.5F) return;
  if (marks.other > 0) {
    s.canvas().fill(r, s.theme().differs, 0);
    s.f.drawn.other = true;
  } else if (marks.no_counterpart > 0) {
    s.canvas().fill(r, s.colors.line, 0);
    (s.side == Side::a ? s.f.drawn.none_a : s.f.drawn.none_b) = true;
  } else {
    s.canvas().fill(r, same_strip(s.theme()), 0);
    s.f.drawn.same = true;
  }
}

StripSteps steps_of(const SideFrame& s, const AxisItem& item) {
  return strip_steps(s.model.ribbons, item.ribbon, s.f.story()->trace(s.side));
}

/// Ever shorter.
std::vector<std::string> item_labels(const SideFrame& s, const AxisItem& item) {
  if (item.kind == AxisItem::Kind::ribbon && item.joins < 0)
    if (auto order = order_text(s.f.story()->trace(s.side))) return {*std::move(order)};
  if (item.kind == AxisItem::Kind::folded) {
    if (item.subtrees > 1) return {text("axis.subtrees", number(item.subtrees))};
    return {text("axis.folded", number(item.leaves)), number(item.leaves)};
  }
  const auto [steps, to] = steps_of(s, item);
  if (to.empty()) return {text("axis.steps", number(steps))};
  if (steps == 0) return {text("axis.rounded", to), to};
  return {text("axis.steps_rounded", number(steps), to),
          text("axis.steps_rounded.short", number(steps), to),
          text("axis.steps_rounded.least", number(steps), to)};
}

std::string what_tip(const SideFrame& s, const AxisItem& item) {
  const char* side = s.side == Side::a ? "A" : "B";
  const std::string first = number(static_cast<std::uint64_t>(item.first));
  const std::string last = number(static_cast<std::uint64_t>(item.last) - 1);
  if (item.kind == AxisItem::Kind::folded)
    return text("axis.tip.fold", side, first, last, number(item.steps));
  const std::string key = item.kind == AxisItem::Kind::merge ? "axis.tip.merge" : "axis.tip.ribbon";
  const auto [steps, to] = steps_of(s, item);
  if (to.empty()) return text(key, side, first, last, number(steps));
  return text(key + "_rounded", side, first, last, number(steps), to);
}

std::string item_tip(const SideFrame& s, const AxisItem& item) {
  std::string out = what_tip(s, item);
  out += "\n" + text("axis.tip.marks", number(item.marks.same), number(item.marks.other),
                     number(item.marks.no_counterpart));
  if (s.f.story()->axis.ledger_valid)
    out += "\n" + text("axis.tip.amounts", signed_short(item_discarded(s.model, item)),
                       signed_short(item_share(s.model, item)));
  return out;
}

void toggle_fold(PairFrame& f, Side side, const AxisItem& item) {
  for (FoldChoice& fold : f.next.folds)
    if (fold.side == side && fold.ribbon == item.ribbon) {
      fold.folded = !fold.folded;
      return;
    }
  f.next.folds.push_back({side, item.ribbon, item.kind != AxisItem::Kind::folded});
}

void react(const SideFrame& s, const AxisItem& item, const Rect& r) {
  Ui& ui = s.f.ui;
  if (!ui.hovered(r)) return;
  ui.tip(r, item_tip(s, item));
  if (!ui.in.released || !ui.in.ctrl) return;
  toggle_fold(s.f, s.side, item);
}

/// The middle, unless the line where A and B part comes too close to the label there.
float label_center(const SideFrame& s, const Rect& shown, float width) {
  std::vector<float> lines;
  if (const auto part = first_part(s.f)) lines.push_back(s.layout.x.at(*part));
  return clear_center(shown.x0, shown.x1, width, lines, 14);
}

/// Leaves that lie apart: a thread along all of them, bright where the strip takes some.
void draw_apart(const SideFrame& s, const AxisItem& item, const Rect& r) {
  Canvas& c = s.canvas();
  const float y = r.center().y;
  c.line({r.x0, y}, {r.x1, y}, fade(s.colors.line, 0.45F), 1);
  const float gap = std::min(1.5F, r.height() * 0.15F);
  for (const LeafSpan& span : own_leaves(s.model, item, s.query)) {
    const float x0 = std::max(s.layout.x.at(span.first), s.layout.plot.x0);
    const float x1 = std::min(s.layout.x.at(span.last), s.layout.plot.x1);
    if (x1 <= x0) continue;
    const Rect part{x0, r.y0 + gap, std::max(x1, x0 + 1.5F), r.y1 - gap};
    c.fill(part, item.marks.all_same() ? s.colors.soft : s.colors.fill, 0);
    const float strip = std::max(2.F, part.height() * 0.5F);
    mark_strip(s,
               s.side == Side::a ? Rect{part.x0, part.y1 - strip, part.x1, part.y1}
                                 : Rect{part.x0, part.y0, part.x1, part.y0 + strip},
               item.marks);
  }
  react(s, item, r);
}

void draw_ribbon(const SideFrame& s, const AxisItem& item) {
  Rect r = item_rect(s, item);
  if (r.x1 < s.layout.plot.x0 || r.x0 > s.layout.plot.x1) return;
  if (item.lanes > 1 && !item.contiguous && !s.model.taken_by.empty())
    return draw_apart(s, item, r);
  const float gap_x = std::min(1.5F, r.width() * 0.1F);
  const float gap_y = r.height() > 14 ? 3.F : r.height() > 8 ? 1.F : 0.5F;
  Rect body{r.x0 + gap_x, r.y0 + gap_y, r.x1 - gap_x, r.y1 - gap_y};
  if (body.width() < 1) body.x1 = body.x0 + 1;
  const bool folded = item.kind == AxisItem::Kind::folded;
  const bool quiet = item.marks.all_same();
  const float rounding = body.height() > 16 ? 4.F : 2.F;
  Canvas& c = s.canvas();
  c.fill(body, quiet ? s.colors.soft : s.colors.fill, rounding);
  // A fold shows a second sheet behind it.
  if (folded && body.width() > 6 && body.height() > 9)
    for (const float inset : {2.F, 4.F})
      c.line({body.x0 + inset, body.y0 + inset}, {body.x1 - inset, body.y0 + inset},
             fade(s.colors.line, 0.6F), 1);
  // Under the strip of marks, whose colours stay what they are.
  if (body.width() > 5 && body.height() > 7)
    c.outline(body, quiet ? fade(s.colors.line, 0.55F) : s.colors.line, rounding, 1);
  const float strip = std::clamp(body.height() * 0.16F, 2.F, 5.F);
  const Rect at_ruler = s.side == Side::a ? Rect{body.x0, body.y1 - strip, body.x1, body.y1}
                                          : Rect{body.x0, body.y0, body.x1, body.y0 + strip};
  if (folded)
    mark_strip(s, at_ruler, item.marks);
  else
    for (const AxisSegment& segment : segments(s.model, item.ribbon, s.query)) {
      const Rect part{std::max(s.layout.x.at(segment.first), body.x0), at_ruler.y0,
                      std::min(s.layout.x.at(segment.last), body.x1), at_ruler.y1};
      mark_strip(s, part, segment.marks);
    }
  if (item.marks.other > 0 && body.width() < 14) {  // small, and still not to be overlooked
    c.diamond({body.center().x, body.center().y}, std::clamp(body.height() / 3, 2.5F, 4.F),
              s.theme().differs);
    s.f.drawn.differs = true;
  }
  const Rect shown{std::max(body.x0, s.layout.plot.x0), body.y0,
                   std::min(body.x1, s.layout.plot.x1), body.y1};
  const Font font = body.height() > 24 ? Font::mono : Font::mono_small;
  const auto fits = [&](const std::string& label) {
    return c.width(label, font) + (folded ? 4.F : 14.F) < shown.width();
  };
  const std::vector<std::string> labels = item_labels(s, item);
  const auto label = std::find_if(labels.begin(), labels.end(), fits);
  if (body.height() > 15 && label != labels.end())
    c.text_mid({label_center(s, shown, c.width(*label, font)),
                body.center().y - (s.side == Side::a ? strip : -strip) * 0.4F},
               *label, s.theme().text, font, Align::center);
  react(s, item, body);
}

struct Joint {
  float x = 0, edge = 0;  ///< where the taken ribbon ends
  bool starts = false;    ///< the merge begins with it: no step
  bool differs = false;
};

std::vector<Joint> joints_of(const SideFrame& s, const AxisItem& item,
                             const std::vector<AxisItem>& items) {
  const auto& divergence = s.f.story()->story.divergence;
  const auto& marks = s.side == Side::a ? divergence.marks_a : divergence.marks_b;
  std::vector<Joint> joints;
  for (const AxisItem& child : items) {
    if (child.joins < 0 || child.depth <= item.depth) continue;
    const auto step = static_cast<std::size_t>(child.joins);
    if (s.model.ribbons.ribbon_of[step] != item.ribbon) continue;
    const Rect from = item_rect(s, child);
    const bool starts = child.first <= item.first;
    joints.push_back({std::min(from.x1, s.layout.plot.x1) - 1,
                      s.side == Side::a ? from.y0 : from.y1, starts,
                      !starts && marks[step] == Mark::other_bits});
  }
  return joints;
}

void draw_joint(const SideFrame& s, const Joint& joint, float y, float radius, float& label_end) {
  Canvas& c = s.canvas();
  c.line({joint.x, joint.edge}, {joint.x, y}, s.colors.line, 1);
  if (joint.starts) {
    c.disc({joint.x, y}, radius, s.theme().panel);
    c.ring({joint.x, y}, radius, s.colors.line, 1.5F);
  } else if (!joint.differs) {
    c.disc({joint.x, y}, radius, s.colors.line);
  }
  if (joint.starts || radius < 4 || joint.x - 24 < label_end) return;
  c.text_mid({joint.x - radius - 5, y - 8}, "+", s.theme().dim, Font::mono_small, Align::right);
  label_end = joint.x + radius;
}

void draw_merge(const SideFrame& s, const AxisItem& item, const std::vector<AxisItem>& items) {
  const Rect r = item_rect(s, item);
  const float y = r.center().y;
  Canvas& c = s.canvas();
  c.push_clip({s.layout.plot.x0 - 5, s.layout.a.y0 - 2, s.layout.plot.x1 + 6, s.layout.b.y1 + 2});
  const std::vector<Joint> joints = joints_of(s, item, items);
  const bool result = item.joins < 0;
  float first = r.x1;
  for (const Joint& joint : joints) first = std::min(first, joint.x);
  const float end = result ? s.layout.plot.x1 + 5 : r.x1;
  const float radius = std::clamp(r.height() * 0.16F, 2.F, 4.5F);
  const float each = r.width() / static_cast<float>(std::max<std::uint64_t>(1, item.steps));
  if (each < 3 * radius) {  // too close together for marks of their own: a strip
    c.line({r.x0, y}, {end, y}, s.colors.line, 1.5F);
    for (const AxisSegment& segment : segments(s.model, item.ribbon, s.query)) {
      const float x = s.layout.x.at(segment.last) - 1;
      mark_strip(s, {x - 1, y - 2.5F, x + 1, y + 2.5F}, segment.marks);
    }
    const auto [steps, to] = steps_of(s, item);
    const std::string label = to.empty() ? text("axis.merges", number(steps))
                                         : text("axis.merges_rounded", number(steps), to);
    const float w = c.width(label, Font::mono_small);
    if (r.height() > 17 && w + 40 < r.width()) {
      const Point middle = r.center();
      c.fill({middle.x - w / 2 - 8, r.y0 + 1, middle.x + w / 2 + 8, r.y1 - 1}, s.theme().panel, 4);
      c.text_mid(middle, label, s.theme().text, Font::mono_small, Align::center);
    }
  } else {
    c.line({first, y}, {end, y}, s.colors.line, 1.5F);
    float label_end = -1e6F;
    for (const Joint& joint : joints) draw_joint(s, joint, y, radius, label_end);
    // Where joints lie close together, no dot hides a difference.
    for (const Joint& joint : joints)
      if (joint.differs) {
        c.diamond({joint.x, y}, radius + 2, s.theme().differs);
        s.f.drawn.differs = true;
      }
  }
  c.pop_clip();
  react(s, item, r);
}

/// Ribbons too narrow for labels of their own have one together.
void draw_dense_label(const SideFrame& s, const std::vector<AxisItem>& items, std::uint32_t depth) {
  std::uint64_t parts = 0;
  std::size_t drawn = 0;
  for (const AxisItem& item : items) {
    if (item.kind == AxisItem::Kind::merge || item.depth != depth) continue;
    if (item_rect(s, item).width() > 12) return;
    parts += item.subtrees;
    ++drawn;
  }
  const Rect row = s.layout.row(s.side, depth);
  if (drawn < 24 || row.height() < 18) return;
  const std::string label = text("axis.subtrees", number(parts));
  const bool high = row.height() > 26;
  const Font font = high ? Font::mono : Font::mono_small;
  const float inset = high ? 5 : 1;
  const float w = s.canvas().width(label, font) + 20;
  const Point middle = row.center();
  s.canvas().fill({middle.x - w / 2, row.y0 + inset, middle.x + w / 2, row.y1 - inset},
                  s.theme().panel, 4);
  s.canvas().text_mid(middle, label, s.theme().text, font, Align::center);
}

/// What the strips of a side are, in words.
std::string strip_words(const SideFrame& s, const std::vector<AxisItem>& items, float width) {
  std::uint64_t strips = 0;
  bool across = false, folded = false;
  for (const AxisItem& item : items) {
    if (item.kind == AxisItem::Kind::merge) continue;
    strips += item.subtrees;
    across = across || (item.lanes > 1 && !item.contiguous);
    folded = folded || item.subtrees > 1;
  }
  if (strips > 1) {
    const std::string key = across   ? "axis.say.across"
                            : folded ? "axis.say.many"
                                     : "axis.say.beside";
    std::string all = text(key, number(strips));
    return s.canvas().width(all, Font::small) <= width ? all : text(key + ".short", number(strips));
  }
  const bool one = strips == 1 && items.size() == 1 && items[0].kind == AxisItem::Kind::ribbon;
  if (!one) return {};
  return text(s.model.ascending[items[0].ribbon] ? "axis.say.one" : "axis.say.one_order",
              number(items[0].leaves));
}

}  // namespace

void draw_axis_side(PairFrame& f, const AxisLayout& layout, Side which, const AxisQuery& query) {
  const AxisFrame& frame = *f.cache.axis;
  const std::vector<AxisItem>& items = which == Side::a ? frame.a : frame.b;
  const SideFrame s{f,
                    layout,
                    which,
                    query,
                    f.story()->axis.side(which),
                    which == Side::a ? frame.depth_a : frame.depth_b,
                    side(f.theme(), which == Side::a ? 0 : 1)};
  for (const AxisItem& item : items)
    if (item.kind == AxisItem::Kind::merge) draw_merge(s, item, items);
  for (const AxisItem& item : items)
    if (item.kind != AxisItem::Kind::merge) draw_ribbon(s, item);
  for (std::uint32_t depth = 0; depth < s.depths; ++depth) draw_dense_label(s, items, depth);
  const Rect& line = which == Side::a ? layout.say_a : layout.say_b;
  if (line.empty()) return;
  f.canvas().text_mid(
      {line.x0, line.center().y},
      elided(f.canvas().fonts(), Font::small, strip_words(s, items, line.width()), line.width()),
      f.theme().dim, Font::small);
}

}  // namespace whybits::viz
