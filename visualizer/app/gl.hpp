// The few things done with OpenGL itself: textures of heat maps, a frame buffer off screen, reading
// pixels back. A context must be current.
#pragma once

#include <cstdint>
#include <map>

#include "visualizer/draw/im_canvas.hpp"

namespace whybits::viz {

class GlTextures final : public Textures {
 public:
  GlTextures() = default;
  GlTextures(const GlTextures&) = delete;
  GlTextures& operator=(const GlTextures&) = delete;
  ~GlTextures() override;
  std::uintptr_t handle(const Image& image) override;

 private:
  struct Entry {
    unsigned name = 0;
    std::uint64_t version = 0;
    std::uint64_t used = 0;
  };
  std::map<const Image*, Entry> entries_;
  std::uint64_t clock_ = 0;
};

class GlFrameBuffer {
 public:
  GlFrameBuffer(int width, int height);
  GlFrameBuffer(const GlFrameBuffer&) = delete;
  GlFrameBuffer& operator=(const GlFrameBuffer&) = delete;
  ~GlFrameBuffer();
  void bind() const;

 private:
  int width_, height_;
  unsigned frame_ = 0, color_ = 0;
};

void gl_clear(int width, int height, Color color);
/// The current frame buffer, rows from the top.
Image gl_read(int width, int height);
void gl_finish();

}  // namespace whybits::viz
