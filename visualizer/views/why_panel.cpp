#include "visualizer/views/why_panel.hpp"

#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/number_line.hpp"

namespace whybits::viz {
namespace {

void value_row(PairFrame& f, Rect& r, int which, std::string_view value, std::string_view code,
               bool right) {
  const Rect line = r.take_top(24);
  const Color color = which < 0 ? f.theme().text : side(f.theme(), which).line;
  if (which >= 0)
    badge(f.ui, {line.x0 + 9, line.center().y}, which, 9);
  else
    f.canvas().text_mid({line.x0 + 9, line.center().y}, "=", f.theme().text, Font::strong,
                        Align::center);
  const float code_w = f.canvas().width(code, Font::mono_small);
  f.canvas().text_mid({line.x0 + 28, line.center().y},
                      elided(f.canvas().fonts(), Font::mono, value,
                             line.width() - (code.empty() ? 28 : 56 + code_w)),
                      color, Font::mono);
  f.canvas().text_mid({line.x1 - 20, line.center().y}, code, f.theme().dim, Font::mono_small,
                      Align::right);
  f.ui.tip(line, value);
  if (right) {
    f.canvas().tick({line.x1 - 7, line.center().y}, 5, f.theme().agrees);
    f.ui.term({line.x1 - 16, line.y0, line.x1, line.y1}, "right");
  }
}

void subtitle(PairFrame& f, Rect& r, std::string_view label, std::string_view tip) {
  r.take_top(10);
  const Rect line = r.take_top(22);
  f.canvas().text({line.x0, line.y0}, label, f.theme().text, Font::strong);
  f.ui.term(line, tip);
}

void values(PairFrame& f, Rect& r) {
  const OutputBits& bits = f.story()->bits;
  using Right = OutputBits::Right;
  subtitle(f, r, text("why.values", format_name(bits.a.format)), "output");
  value_row(f, r, 0, bits.a.number.display, bits.a.number.code_text,
            bits.right == Right::a || bits.right == Right::both);
  value_row(f, r, 1, bits.b.number.display, bits.b.number.code_text,
            bits.right == Right::b || bits.right == Right::both);
  if (bits.exact) value_row(f, r, -1, bits.exact->decimal, "", false);
  if (bits.before_a && bits.before_b && r.height() > 100) {
    std::string before = format_name(bits.before_a->format);
    if (!(bits.before_b->format == bits.before_a->format))
      before += " / " + format_name(bits.before_b->format);
    subtitle(f, r, text("why.before", before), "last_rounding");
    value_row(f, r, 0, bits.before_a->number.display, bits.before_a->number.code_text, false);
    value_row(f, r, 1, bits.before_b->number.display, bits.before_b->number.code_text, false);
    if (bits.ulp_before) {
      const Rect line = r.take_top(22);
      f.canvas().text({line.x0, line.y0 + 2},
                      text("why.ulp", number(*bits.ulp_before), format_name(bits.before_a->format)),
                      f.theme().dim, Font::small);
      f.ui.term(line, "ulp");
    }
  }
}

/// The sentences; smaller where they would leave no room for the picture below them.
void reasons(PairFrame& f, Rect& r) {
  const StoryModel& story = *f.story();
  const auto height = [&](Font font) {
    float h = 0;
    for (const Phrase& phrase : story.why)
      h += 7 + f.canvas().paragraph({0, 0}, r.width(), phrase_text(phrase), 0, font, false);
    return h;
  };
  const float picture =
      story.bits.line ? number_line_height(f.ui, *story.bits.line, r.width()) + 40 : 120;
  const Font font = height(Font::body) + picture > r.height() ? Font::small : Font::body;
  for (const Phrase& phrase : story.why) {
    r.y0 = f.canvas().paragraph({r.x0, r.y0}, r.width(), phrase_text(phrase), f.theme().text, font);
    r.take_top(7);
  }
}

/// The command line that prints what is shown, as much of it as there is room for.
void terminal(PairFrame& f, Rect r) {
  const std::string line = command_line(
      f.scene.document.state(), f.story() ? std::optional(f.story()->output) : std::nullopt);
  constexpr float title = 42;
  const float h = f.canvas().paragraph({0, 0}, r.width() - 20, line, 0, Font::mono_small, false);
  if (line.empty() || r.height() < title + h + 14) return;
  subtitle(f, r, text("why.terminal"), "command_line");
  r.take_top(4);
  const Rect box = r.take_top(h + 14);
  const Id id = make_id("why.terminal");
  const Response response = f.ui.region(id, box);
  f.canvas().fill(box, response.hovered ? f.theme().raised : f.theme().field, 6);
  f.canvas().paragraph({box.x0 + 10, box.y0 + 7}, box.width() - 20, line, f.theme().dim,
                       Font::mono_small);
  f.ui.focus_ring(id, box);
  f.ui.tip(box, text("command.copy_command") + " (Ctrl+C)");
  if (response.clicked) f.scene.application.run("copy_command");
}

constexpr float arrows_width = 72;

bool arrows(PairFrame& f, const Rect& line) {
  const Rect next{line.x1 - 28, line.y0 - 2, line.x1, line.y0 + 24};
  const Rect previous = next.moved(-34, 0);
  f.ui.tip(previous, text("why.previous"));
  f.ui.tip(next, text("why.next"));
  if (button(f.ui, make_id("why.previous"), previous, "‹")) {
    go_to_difference(*f.result, f.view, f.next, -1);
    return true;
  }
  if (button(f.ui, make_id("why.next"), next, "›")) go_to_difference(*f.result, f.view, f.next, 1);
  return true;
}

}  // namespace

void draw_why_panel(PairFrame& f, const Rect& area) {
  f.scene.panels["why"] = area;
  Rect r = panel(f.ui, area);
  const StoryModel* story = f.story();
  f.canvas().push_clip(area);
  const bool differs = story && !story->story.divergence.same_result;
  const MapSummary& s = f.result->summary;
  if (!story || (s.differ_after == 0 && s.differ_before == 0)) {
    // The designed state: nothing differs, and why.
    const Rect line = r.take_top(30);
    f.canvas().tick({line.x0 + 8, line.y0 + 11}, 6, f.theme().agrees);
    f.canvas().text({line.x0 + 24, line.y0}, text("why.nothing"), f.theme().agrees, Font::title);
    for (const Phrase& phrase : f.result->overview) {
      r.y0 = f.canvas().paragraph({r.x0, r.y0}, r.width(), phrase_text(phrase), f.theme().text,
                                  Font::title);
      r.take_top(10);
    }
  } else {
    const bool healed = story->story.healed;
    Rect line = r;
    heading(f.ui, r,
            text(healed    ? "why.title_healed"
                 : differs ? "why.title"
                           : "why.title_same",
                 output_name(*f.result, story->output)),
            {}, arrows_width);
    if (s.differ_after > 0 || s.differ_before > 0) arrows(f, line);
    r.take_top(2);
    reasons(f, r);
  }
  if (story) {
    if (story->bits.line) {
      const float whole = number_line_height(f.ui, *story->bits.line, r.width());
      const float h = r.height() > whole + 150
                          ? whole
                          : least_number_line_height(f.ui, *story->bits.line, r.width());
      if (r.height() > h + 40) {
        subtitle(f, r, text(story->bits.before_a ? "why.line" : "why.sums"), "number_line");
        r.take_top(2);
        draw_number_line(f.ui, *story->bits.line, r.take_top(h));
      }
    }
    if (r.height() > 110) values(f, r);
  }
  terminal(f, r);
  f.canvas().pop_clip();
}

}  // namespace whybits::viz
