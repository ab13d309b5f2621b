// What views draw on: the screen or an SVG file. Logical pixels; clipping nests.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/draw/font.hpp"
#include "visualizer/draw/geometry.hpp"
#include "visualizer/draw/theme.hpp"

namespace whybits::viz {

/// Pixels of a heat map. Whoever changes them gives them another version.
struct Image {
  int width = 0, height = 0;
  std::vector<Color> pixels;  ///< rows from the top
  std::uint64_t version = 0;
};

enum class Align : unsigned char { left, center, right };

class Canvas {
 public:
  explicit Canvas(const Fonts& fonts) : fonts_(&fonts) {}
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  virtual ~Canvas() = default;

  virtual void fill(const Rect& r, Color color, float rounding = 0) = 0;
  virtual void outline(const Rect& r, Color color, float rounding = 0, float thickness = 1) = 0;
  virtual void line(Point a, Point b, Color color, float thickness = 1) = 0;
  virtual void polyline(std::span<const Point> points, Color color, float thickness = 1.5F) = 0;
  virtual void polygon(std::span<const Point> points, Color color) = 0;  ///< convex
  virtual void disc(Point center, float radius, Color color) = 0;
  virtual void ring(Point center, float radius, Color color, float thickness = 1.5F) = 0;
  virtual void image(const Rect& r, const Image& image) = 0;
  virtual void push_clip(const Rect& r) = 0;
  virtual void pop_clip() = 0;

  /// `at` is the left end, middle or right end of the line at its top. Returns the right end's x.
  float text(Point at, std::string_view text, Color color, Font font = Font::body,
             Align align = Align::left);
  /// The same with the middle of the letters at at.y.
  float text_mid(Point at, std::string_view text, Color color, Font font = Font::body,
                 Align align = Align::left);
  /// Cut with … if it is wider than `width`.
  float text_within(Point at, float width, std::string_view text, Color color,
                    Font font = Font::body);
  /// Broken at spaces (and between Chinese characters); returns the y below it.
  float paragraph(Point at, float width, std::string_view text, Color color, Font font = Font::body,
                  bool draw = true);
  float width(std::string_view text, Font font) const { return text_width(*fonts_, font, text); }
  static float line_height(Font font) { return font_size(font) * 1.36F; }

  void dashed(Point a, Point b, Color color, float thickness = 1, float dash = 3, float gap = 3);
  /// The mark of "differs".
  void diamond(Point center, float radius, Color color);
  /// The mark of "agrees with the hardware".
  void tick(Point center, float size, Color color);
  void cross(Point center, float size, Color color);
  void triangle_down(Point tip, float size, Color color);
  /// Slanted lines: "not recorded", "cannot matter".
  void hatch(const Rect& r, Color color, float gap = 6);

  const Fonts& fonts() const { return *fonts_; }

 protected:
  virtual void glyphs(Point top_left, std::string_view text, Color color, Font font) = 0;

 private:
  const Fonts* fonts_;
};

/// Whether a line may end between two neighbouring characters: after a space, and beside an
/// ideograph unless a mark would begin the line that belongs to the one before, or end it that
/// belongs to the next.
bool may_break(std::string_view before, std::string_view after);

/// Two texts cut with … to a width, so that what tells them apart is there: where cutting the end
/// would hide it, what they begin with in common goes first.
std::array<std::string, 2> elided_pair(const Fonts& fonts, Font font,
                                       const std::array<std::string, 2>& texts, float width);

/// Cut with … to a width.
std::string elided(const Fonts& fonts, Font font, std::string_view text, float width);

}  // namespace whybits::viz
