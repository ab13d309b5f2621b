#include "visualizer/draw/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include "visualizer/model/parting.hpp"

namespace whybits::viz {
namespace {

std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

bool breaks_after(std::string_view character) {
  // Ideographs and their punctuation take three bytes from U+2E80 on.
  return character == " " ||
         (character.size() == 3 && static_cast<unsigned char>(character[0]) >= 0xE3);
}

bool is_one_of(std::string_view character, std::string_view characters) {
  return !character.empty() && characters.find(character) != std::string_view::npos;
}

}  // namespace

bool may_break(std::string_view before, std::string_view after) {
  return breaks_after(before) && !is_one_of(before, "（《〈「『【〔“‘") &&
         !is_one_of(after, "，。、；：？！）》〉」』】〕”’…·%");
}

std::string elided(const Fonts& fonts, Font font, std::string_view text, float width) {
  if (text_width(fonts, font, text) <= width) return std::string(text);
  const std::string dots = "…";
  const float room = width - text_width(fonts, font, dots);
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = next_character(text, end);
    if (text_width(fonts, font, text.substr(0, next)) > room) break;
    end = next;
  }
  return std::string(text.substr(0, end)) + dots;
}

std::array<std::string, 2> elided_pair(const Fonts& fonts, Font font,
                                       const std::array<std::string, 2>& texts, float width) {
  const auto& [a, b] = texts;
  // Whether both show their first `until` bytes.
  const auto shown = [&](const std::array<std::string, 2>& pair, std::size_t until) {
    return std::all_of(pair.begin(), pair.end(), [&](const std::string& text) {
      const bool cut = until < text.size();
      return text_width(fonts, font, text.substr(0, until) + (cut ? "…" : "")) <= width;
    });
  };
  const auto told_apart = [&](const std::array<std::string, 2>& pair) {
    constexpr std::size_t after = 4;  // behind the place where they part
    return pair[0] == pair[1] || shown(pair, common_start(pair[0], pair[1]) + after);
  };
  std::array<std::string, 2> kept = texts;
  if (!told_apart(kept)) std::tie(kept[0], kept[1]) = without_common_start(a, b);
  if (!told_apart(kept)) {  // a long word in common
    const std::size_t common = common_start(a, b);
    kept = {"…" + a.substr(common), "…" + b.substr(common)};
  }
  for (std::string& text : kept) text = elided(fonts, font, text, width);
  return kept;
}

float Canvas::text(Point at, std::string_view text, Color color, Font font, Align align) {
  const float w = align == Align::left ? 0 : width(text, font);
  const float x = align == Align::left ? at.x : align == Align::center ? at.x - w / 2 : at.x - w;
  glyphs({x, at.y}, text, color, font);
  return x + (align == Align::left ? width(text, font) : w);
}

float Canvas::text_mid(Point at, std::string_view t, Color color, Font font, Align align) {
  return text({at.x, at.y - font_size(font) * 0.62F}, t, color, font, align);
}

float Canvas::text_within(Point at, float width, std::string_view t, Color color, Font font) {
  return text(at, elided(fonts(), font, t, width), color, font);
}

float Canvas::paragraph(Point at, float width_limit, std::string_view t, Color color, Font font,
                        bool draw) {
  std::size_t begin = 0;
  float y = at.y;
  while (begin < t.size()) {
    std::size_t end = begin;
    std::size_t good = begin;  // where the line may end
    bool forced = false;
    while (end < t.size()) {
      if (t[end] == '\n') {
        forced = true;
        break;
      }
      const std::size_t next = next_character(t, end);
      const std::string_view character = t.substr(end, next - end);
      if (character != " " && width(t.substr(begin, next - begin), font) > width_limit) break;
      end = next;
      const std::string_view after = t.substr(end, next_character(t, end) - end);
      if (may_break(character, end < t.size() ? after : "")) good = end;
    }
    if (end < t.size() && !forced && good > begin) end = good;
    if (end == begin && !forced) end = next_character(t, begin);
    if (draw) text({at.x, y}, t.substr(begin, end - begin), color, font);
    y += line_height(font);
    begin = forced ? end + 1 : end;
  }
  return y;
}

void Canvas::dashed(Point a, Point b, Color color, float thickness, float dash, float gap) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  if (length <= 0) return;
  const Point unit{(b.x - a.x) / length, (b.y - a.y) / length};
  for (float at = 0; at < length; at += dash + gap) {
    const float end = std::min(at + dash, length);
    line({a.x + unit.x * at, a.y + unit.y * at}, {a.x + unit.x * end, a.y + unit.y * end}, color,
         thickness);
  }
}

void Canvas::diamond(Point c, float r, Color color) {
  const std::array<Point, 4> p{{{c.x, c.y - r}, {c.x + r, c.y}, {c.x, c.y + r}, {c.x - r, c.y}}};
  polygon(p, color);
}

void Canvas::tick(Point c, float s, Color color) {
  const std::array<Point, 3> p{
      {{c.x - s, c.y}, {c.x - s * 0.25F, c.y + s * 0.7F}, {c.x + s, c.y - s * 0.7F}}};
  polyline(p, color, 2);
}

void Canvas::cross(Point c, float s, Color color) {
  line({c.x - s, c.y - s}, {c.x + s, c.y + s}, color, 1.5F);
  line({c.x - s, c.y + s}, {c.x + s, c.y - s}, color, 1.5F);
}

void Canvas::triangle_down(Point tip, float s, Color color) {
  const std::array<Point, 3> p{{{tip.x, tip.y}, {tip.x - s, tip.y - s}, {tip.x + s, tip.y - s}}};
  polygon(p, color);
}

void Canvas::hatch(const Rect& r, Color color, float gap) {
  if (r.empty()) return;
  push_clip(r);
  for (float x = r.x0 - r.height(); x < r.x1; x += gap)
    line({x, r.y1}, {x + r.height(), r.y0}, color, 1);
  pop_clip();
}

}  // namespace whybits::viz
