// A canvas that writes SVG: the same drawing code as on screen.
#pragma once

#include <string>

#include "visualizer/draw/canvas.hpp"

namespace whybits::viz {

class SvgCanvas final : public Canvas {
 public:
  /// `area` becomes the picture.
  SvgCanvas(const Rect& area, const Fonts& fonts, Color background);

  /// The whole document. `title` is its accessible name.
  std::string document(std::string_view title) const;

  void fill(const Rect& r, Color color, float rounding) override;
  void outline(const Rect& r, Color color, float rounding, float thickness) override;
  void line(Point a, Point b, Color color, float thickness) override;
  void polyline(std::span<const Point> points, Color color, float thickness) override;
  void polygon(std::span<const Point> points, Color color) override;
  void disc(Point center, float radius, Color color) override;
  void ring(Point center, float radius, Color color, float thickness) override;
  void image(const Rect& r, const Image& image) override;
  void push_clip(const Rect& r) override;
  void pop_clip() override;

 protected:
  void glyphs(Point top_left, std::string_view text, Color color, Font font) override;

 private:
  Rect area_;
  Color background_;
  std::string body_;
  std::string clips_;
  int clip_count_ = 0;
};

}  // namespace whybits::viz
