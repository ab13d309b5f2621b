#include "visualizer/app/egl_context.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <stdexcept>

namespace whybits::viz {

EglContext::EglContext() {
  const auto get_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (!get_display) throw std::runtime_error("EGL has no platforms");
  display_ = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (!display_ || !eglInitialize(display_, nullptr, nullptr))
    throw std::runtime_error("EGL has no surfaceless platform");
  eglBindAPI(EGL_OPENGL_API);
  constexpr std::array<EGLint, 3> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  eglChooseConfig(display_, wanted.data(), &config, 1, &count);
  constexpr std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                          3,
                                          EGL_CONTEXT_MINOR_VERSION,
                                          3,
                                          EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                          EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                          EGL_NONE};
  context_ =
      eglCreateContext(display_, count > 0 ? config : nullptr, EGL_NO_CONTEXT, version.data());
  if (!context_ || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
    eglTerminate(display_);
    throw std::runtime_error("EGL gives no OpenGL 3.3 context");
  }
}

EglContext::~EglContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

}  // namespace whybits::viz
