#include "visualizer/draw/svg_canvas.hpp"

#include <fmt/format.h>

#include "lab/svg_text.hpp"

namespace whybits::viz {
namespace {

std::string paint(const char* what, Color c) {
  const unsigned alpha = c >> 24;
  std::string out =
      fmt::format("{}=\"#{:02x}{:02x}{:02x}\"", what, c & 0xFF, (c >> 8) & 0xFF, (c >> 16) & 0xFF);
  if (alpha != 255) out += fmt::format(" {}-opacity=\"{:.3f}\"", what, alpha / 255.0);
  return out;
}

std::string corner(float rounding) {
  return rounding > 0 ? fmt::format(" rx=\"{:.2f}\"", rounding) : std::string();
}

std::string list_of(std::span<const Point> points) {
  std::string out;
  for (const Point& p : points) out += fmt::format("{:.2f},{:.2f} ", p.x, p.y);
  return out;
}

std::string box(const Rect& r) {
  return fmt::format("x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", r.x0, r.y0,
                     std::max(0.F, r.width()), std::max(0.F, r.height()));
}

}  // namespace

SvgCanvas::SvgCanvas(const Rect& area, const Fonts& fonts, Color background)
    : Canvas(fonts), area_(area), background_(background) {}

std::string SvgCanvas::document(std::string_view title) const {
  const std::string size =
      fmt::format("{:.2f} {:.2f} {:.2f} {:.2f}", area_.x0, area_.y0, area_.width(), area_.height());
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\" role=\"img\">\n<title>{}</title>\n<defs>{}</defs>\n<rect {} "
      "{}/>\n{}</svg>\n",
      size, area_.width(), area_.height(), svg_text(title), clips_, box(area_),
      paint("fill", background_), body_);
}

void SvgCanvas::fill(const Rect& r, Color color, float rounding) {
  body_ += fmt::format("<rect {}{} {}/>\n", box(r), corner(rounding), paint("fill", color));
}

void SvgCanvas::outline(const Rect& r, Color color, float rounding, float thickness) {
  body_ +=
      fmt::format("<rect {}{} fill=\"none\" {} stroke-width=\"{}\"/>\n",
                  box(r.inset(thickness / 2)), corner(rounding), paint("stroke", color), thickness);
}

void SvgCanvas::line(Point a, Point b, Color color, float thickness) {
  body_ += fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {} stroke-width=\"{}\"/>\n",
      a.x, a.y, b.x, b.y, paint("stroke", color), thickness);
}

void SvgCanvas::polyline(std::span<const Point> points, Color color, float thickness) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{}\"/>\n",
                       list_of(points), paint("stroke", color), thickness);
}

void SvgCanvas::polygon(std::span<const Point> points, Color color) {
  body_ += fmt::format("<polygon points=\"{}\" {}/>\n", list_of(points), paint("fill", color));
}

void SvgCanvas::disc(Point c, float radius, Color color) {
  body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" {}/>\n", c.x, c.y, radius,
                       paint("fill", color));
}

void SvgCanvas::ring(Point c, float radius, Color color, float thickness) {
  body_ += fmt::format(
      "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"none\" {} stroke-width=\"{}\"/>\n",
      c.x, c.y, radius, paint("stroke", color), thickness);
}

void SvgCanvas::image(const Rect& r, const Image& image) {
  const float w = r.width() / static_cast<float>(image.width);
  const float h = r.height() / static_cast<float>(image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width;) {
      const Color* row = image.pixels.data() + static_cast<std::ptrdiff_t>(y) * image.width;
      int end = x + 1;
      while (end < image.width && row[end] == row[x]) ++end;  // a run of one colour is one rect
      fill({r.x0 + static_cast<float>(x) * w, r.y0 + static_cast<float>(y) * h,
            r.x0 + static_cast<float>(end) * w, r.y0 + static_cast<float>(y + 1) * h},
           row[x], 0);
      x = end;
    }
}

void SvgCanvas::push_clip(const Rect& r) {
  clips_ += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath>", clip_count_, box(r));
  body_ += fmt::format("<g clip-path=\"url(#c{})\">\n", clip_count_++);
}

void SvgCanvas::pop_clip() {
  body_ += "</g>\n";
}

void SvgCanvas::glyphs(Point at, std::string_view text, Color color, Font font) {
  const bool mono = font >= Font::mono;
  const bool bold = font == Font::strong || font == Font::title || font == Font::mono_bold ||
                    font == Font::mono_large;
  body_ += fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" font-family=\"{}\" font-size=\"{}\"{} {} "
      "xml:space=\"preserve\">{}</text>\n",
      at.x, at.y + font_size(font) * 0.96F,
      mono ? "JetBrains Mono, DejaVu Sans Mono, monospace" : "Inter, DejaVu Sans, sans-serif",
      font_size(font), bold ? " font-weight=\"600\"" : "", paint("fill", color), svg_text(text));
}

}  // namespace whybits::viz
