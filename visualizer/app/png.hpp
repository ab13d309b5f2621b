// PNG files of 8-bit RGBA pixels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "visualizer/draw/canvas.hpp"

namespace whybits::viz {

/// Bytes of a PNG file (opaque: alpha is left out).
std::string png_bytes(const Image& image);
/// Written whole or not at all. Errors: UsageError.
void write_png(const std::filesystem::path& path, const Image& image);
/// Errors: UsageError for what is no PNG.
Image read_png(const std::filesystem::path& path);

/// A part of a picture, in pixels.
Image cropped(const Image& image, int x0, int y0, int x1, int y1);

/// How far two pictures of one size are apart: pixels where some channel differs by more than
/// `tolerance`; nullopt for different sizes.
std::optional<std::size_t> pixels_apart(const Image& a, const Image& b, int tolerance);

}  // namespace whybits::viz
