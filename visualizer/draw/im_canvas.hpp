// A canvas on a draw list of Dear ImGui.
#pragma once

#include <cstdint>

#include "visualizer/draw/canvas.hpp"

struct ImDrawList;

namespace whybits::viz {

/// Where heat maps live on the graphics card. The null back end has none.
class Textures {
 public:
  virtual ~Textures() = default;
  /// What Dear ImGui knows this image by (uploaded once a version), or 0.
  virtual std::uintptr_t handle(const Image& image) = 0;
};

class ImCanvas final : public Canvas {
 public:
  ImCanvas(ImDrawList& list, const Fonts& fonts, Textures* textures)
      : Canvas(fonts), list_(&list), textures_(textures), scale_(fonts.scale) {}

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
  float snap(float v) const;

  ImDrawList* list_;
  Textures* textures_;
  float scale_;
};

}  // namespace whybits::viz
