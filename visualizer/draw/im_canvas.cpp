#include "visualizer/draw/im_canvas.hpp"

#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <vector>

namespace whybits::viz {
namespace {

/// One call must stay below 65,536 vertices: indices have 16 bits.
constexpr std::size_t points_in_a_call = 8000;

/// Dear ImGui looks up arcs by radius and reads past its tables for one that is not a number.
bool drawable(std::initializer_list<float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

float ImCanvas::snap(float v) const {
  return std::round(v * scale_);
}

void ImCanvas::fill(const Rect& r, Color color, float rounding) {
  if (!drawable({r.x0, r.y0, r.x1, r.y1, rounding})) return;
  list_->AddRectFilled({snap(r.x0), snap(r.y0)}, {snap(r.x1), snap(r.y1)}, color,
                       rounding * scale_);
}

void ImCanvas::outline(const Rect& r, Color color, float rounding, float thickness) {
  if (!drawable({r.x0, r.y0, r.x1, r.y1, rounding})) return;
  // Dear ImGui draws lines half a pixel in: the outline lies inside the rectangle.
  const float half = std::max(0.F, (thickness * scale_ - 1) / 2);
  list_->AddRect({snap(r.x0) + half, snap(r.y0) + half}, {snap(r.x1) - half, snap(r.y1) - half},
                 color, rounding * scale_, 0, thickness * scale_);
}

void ImCanvas::line(Point a, Point b, Color color, float thickness) {
  ImVec2 p{a.x * scale_, a.y * scale_};
  ImVec2 q{b.x * scale_, b.y * scale_};
  const bool odd = static_cast<int>(std::lround(thickness * scale_)) % 2 == 1;
  const float half = odd ? 0.F : -0.5F;  // AddLine moves by half a pixel itself
  if (p.x == q.x) p.x = q.x = std::floor(p.x) + half;
  if (p.y == q.y) p.y = q.y = std::floor(p.y) + half;
  list_->AddLine(p, q, color, std::max(1.F, thickness * scale_));
}

void ImCanvas::polyline(std::span<const Point> points, Color color, float thickness) {
  std::vector<ImVec2> chunk;
  for (std::size_t begin = 0; begin + 1 < points.size(); begin += points_in_a_call - 1) {
    const std::size_t end = std::min(points.size(), begin + points_in_a_call);
    chunk.clear();
    for (std::size_t i = begin; i < end; ++i)
      chunk.push_back({points[i].x * scale_, points[i].y * scale_});
    list_->AddPolyline(chunk.data(), static_cast<int>(chunk.size()), color, 0, thickness * scale_);
  }
}

void ImCanvas::polygon(std::span<const Point> points, Color color) {
  std::vector<ImVec2> p;
  for (const Point& q : points) p.push_back({q.x * scale_, q.y * scale_});
  list_->AddConvexPolyFilled(p.data(), static_cast<int>(p.size()), color);
}

void ImCanvas::disc(Point c, float radius, Color color) {
  if (!drawable({c.x, c.y, radius})) return;
  list_->AddCircleFilled({c.x * scale_, c.y * scale_}, radius * scale_, color);
}

void ImCanvas::ring(Point c, float radius, Color color, float thickness) {
  if (!drawable({c.x, c.y, radius})) return;
  list_->AddCircle({c.x * scale_, c.y * scale_}, radius * scale_, color, 0, thickness * scale_);
}

void ImCanvas::image(const Rect& r, const Image& image) {
  const std::uintptr_t handle = textures_ ? textures_->handle(image) : 0;
  if (handle == 0) return;
  // A pointer up to Dear ImGui 1.91, a number since.
  list_->AddImage(std::bit_cast<ImTextureID>(handle), {snap(r.x0), snap(r.y0)},
                  {snap(r.x1), snap(r.y1)});
}

void ImCanvas::push_clip(const Rect& r) {
  list_->PushClipRect({snap(r.x0), snap(r.y0)}, {snap(r.x1), snap(r.y1)}, true);
}

void ImCanvas::pop_clip() {
  list_->PopClipRect();
}

void ImCanvas::glyphs(Point at, std::string_view text, Color color, Font font) {
  list_->AddText(fonts()[font], font_size(font) * scale_, {snap(at.x), snap(at.y)}, color,
                 text.data(), text.data() + text.size());
}

}  // namespace whybits::viz
