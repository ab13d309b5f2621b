// Points and rectangles in logical pixels: the canvas multiplies by the scale.
#pragma once

#include <algorithm>

namespace whybits::viz {

struct Point {
  float x = 0, y = 0;
};
inline Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}
inline Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}

struct Rect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  float width() const { return x1 - x0; }
  float height() const { return y1 - y0; }
  Point center() const { return {(x0 + x1) / 2, (y0 + y1) / 2}; }
  bool contains(Point p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
  bool empty() const { return x1 <= x0 || y1 <= y0; }
  // What has no room left is empty, never inside out.
  Rect inset(float by) const { return inset(by, by); }
  Rect inset(float x, float y) const {
    return {x0 + x, y0 + y, std::max(x0 + x, x1 - x), std::max(y0 + y, y1 - y)};
  }
  Rect moved(float x, float y) const { return {x0 + x, y0 + y, x1 + x, y1 + y}; }
  Rect intersected(const Rect& o) const {
    const float x = std::max(x0, o.x0);
    const float y = std::max(y0, o.y0);
    return {x, y, std::max(x, std::min(x1, o.x1)), std::max(y, std::min(y1, o.y1))};
  }
  /// Takes a strip off a side and returns it.
  Rect take_top(float h) {
    const Rect r{x0, y0, x1, std::min(y0 + h, y1)};
    y0 = r.y1;
    return r;
  }
  Rect take_bottom(float h) {
    const Rect r{x0, std::max(y1 - h, y0), x1, y1};
    y1 = r.y0;
    return r;
  }
  Rect take_left(float w) {
    const Rect r{x0, y0, std::min(x0 + w, x1), y1};
    x0 = r.x1;
    return r;
  }
  Rect take_right(float w) {
    const Rect r{std::max(x1 - w, x0), y0, x1, y1};
    x1 = r.x0;
    return r;
  }
};

/// A linear map of data to pixels, for a shared axis.
struct Axis {
  double v0 = 0, v1 = 1;
  float p0 = 0, p1 = 1;

  /// A range of one value has it in the middle.
  float at(double v) const {
    const double part = v1 == v0 ? 0.5 : (v - v0) / (v1 - v0);
    return static_cast<float>(p0 + part * static_cast<double>(p1 - p0));
  }
  double value(float p) const {
    return v0 + static_cast<double>(p - p0) / static_cast<double>(p1 - p0) * (v1 - v0);
  }
  double per_pixel() const { return (v1 - v0) / static_cast<double>(p1 - p0); }
};

}  // namespace whybits::viz
