#include "visualizer/app/png.hpp"

#include <png.h>

#include <cstdlib>
#include <cstring>

#include "lab/files.hpp"
#include "lab/usage_error.hpp"

namespace whybits::viz {

std::string png_bytes(const Image& image) {
  std::string rgb;
  rgb.reserve(image.pixels.size() * 3);
  for (const Color c : image.pixels)
    for (int shift = 0; shift < 24; shift += 8) rgb += static_cast<char>((c >> shift) & 0xFF);
  png_image file{};
  file.version = PNG_IMAGE_VERSION;
  file.width = static_cast<png_uint_32>(image.width);
  file.height = static_cast<png_uint_32>(image.height);
  file.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  if (!png_image_write_to_memory(&file, nullptr, &size, 0, rgb.data(), 0, nullptr))
    throw UsageError(std::string("cannot write a PNG: ") + file.message);
  std::string out(size, '\0');
  png_image_write_to_memory(&file, out.data(), &size, 0, rgb.data(), 0, nullptr);
  out.resize(size);
  return out;
}

void write_png(const std::filesystem::path& path, const Image& image) {
  write_file_atomically(path, png_bytes(image));
}

Image read_png(const std::filesystem::path& path) {
  png_image file{};
  file.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&file, path.c_str()))
    throw UsageError("'" + path.string() + "' is no PNG: " + file.message);
  file.format = PNG_FORMAT_RGBA;
  Image image;
  image.width = static_cast<int>(file.width);
  image.height = static_cast<int>(file.height);
  image.pixels.resize(static_cast<std::size_t>(file.width) * file.height);
  if (!png_image_finish_read(&file, nullptr, image.pixels.data(), 0, nullptr))
    throw UsageError("'" + path.string() + "' is no PNG: " + file.message);
  return image;
}

Image cropped(const Image& image, int x0, int y0, int x1, int y1) {
  x0 = std::clamp(x0, 0, image.width);
  x1 = std::clamp(x1, x0, image.width);
  y0 = std::clamp(y0, 0, image.height);
  y1 = std::clamp(y1, y0, image.height);
  Image out;
  out.width = x1 - x0;
  out.height = y1 - y0;
  for (int y = y0; y < y1; ++y) {
    const auto row = image.pixels.begin() + static_cast<std::ptrdiff_t>(y) * image.width;
    out.pixels.insert(out.pixels.end(), row + x0, row + x1);
  }
  return out;
}

std::optional<std::size_t> pixels_apart(const Image& a, const Image& b, int tolerance) {
  if (a.width != b.width || a.height != b.height) return std::nullopt;
  std::size_t apart = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    int largest = 0;
    for (int shift = 0; shift < 24; shift += 8) {
      const int x = static_cast<int>((a.pixels[i] >> shift) & 0xFF);
      const int y = static_cast<int>((b.pixels[i] >> shift) & 0xFF);
      largest = std::max(largest, std::abs(x - y));
    }
    apart += largest > tolerance ? 1 : 0;
  }
  return apart;
}

}  // namespace whybits::viz
