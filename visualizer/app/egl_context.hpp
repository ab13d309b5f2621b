// An OpenGL context without a display: EGL on Mesa's surfaceless platform.
#pragma once

#include <string>

namespace whybits::viz {

class EglContext {
 public:
  /// Made current. Throws std::runtime_error with the reason where there is none.
  EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;
  ~EglContext();

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace whybits::viz
