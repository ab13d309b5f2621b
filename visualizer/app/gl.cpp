#include "visualizer/app/gl.hpp"

#include <GL/gl.h>
#include <GL/glext.h>

#include <stdexcept>

namespace whybits::viz {

GlTextures::~GlTextures() {
  for (const auto& [image, entry] : entries_) glDeleteTextures(1, &entry.name);
}

std::uintptr_t GlTextures::handle(const Image& image) {
  Entry& entry = entries_[&image];
  entry.used = ++clock_;
  if (!entry.name || entry.version != image.version) {
    if (!entry.name) glGenTextures(1, &entry.name);
    entry.version = image.version;
    glBindTexture(GL_TEXTURE_2D, entry.name);
    // Cells stay sharp when they are large and are averaged when they are small.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 image.pixels.data());
  }
  const unsigned name = entry.name;
  if (entries_.size() > 32) {  // images that are gone: drop what was used longest ago
    auto oldest = entries_.begin();
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
      if (it->second.used < oldest->second.used) oldest = it;
    glDeleteTextures(1, &oldest->second.name);
    entries_.erase(oldest);
  }
  return name;
}

GlFrameBuffer::GlFrameBuffer(int width, int height) : width_(width), height_(height) {
  glGenFramebuffers(1, &frame_);
  glGenRenderbuffers(1, &color_);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glBindRenderbuffer(GL_RENDERBUFFER, color_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw std::runtime_error("OpenGL gives no frame buffer of this size");
}

GlFrameBuffer::~GlFrameBuffer() {
  glDeleteFramebuffers(1, &frame_);
  glDeleteRenderbuffers(1, &color_);
}

void GlFrameBuffer::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glViewport(0, 0, width_, height_);
}

void gl_clear(int width, int height, Color color) {
  const auto channel = [&](int shift) { return static_cast<float>((color >> shift) & 0xFF) / 255; };
  glViewport(0, 0, width, height);
  glClearColor(channel(0), channel(8), channel(16), 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

Image gl_read(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  std::vector<Color> rows(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
  image.pixels.reserve(rows.size());
  for (int y = height - 1; y >= 0; --y) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(y) * width;
    for (int x = 0; x < width; ++x) image.pixels.push_back(row[x] | 0xFF000000);
  }
  return image;
}

void gl_finish() {
  glFinish();
}

}  // namespace whybits::viz
