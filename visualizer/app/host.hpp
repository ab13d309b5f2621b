// Runs the application's frames in a Dear ImGui context. A host knows where pixels go (a window, a
// frame buffer off screen, nowhere); the application does not.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "visualizer/app/settings.hpp"
#include "visualizer/draw/im_canvas.hpp"

namespace whybits::viz {

class Application;

/// The context of Dear ImGui with its fonts; loads them again when scale, language or the
/// characters of texts from outside change.
class ImContext {
 public:
  ImContext();
  ImContext(const ImContext&) = delete;
  ImContext& operator=(const ImContext&) = delete;
  ~ImContext();

  /// Before a frame. Returns true if the fonts were loaded anew: a renderer must take them again.
  bool prepare(const Settings& settings);
  const Fonts& fonts() const { return fonts_; }
  const std::string& missing_font() const { return missing_; }

 private:
  Fonts fonts_;
  float loaded_scale_ = 0;
  Language loaded_language_ = Language::english;
  std::string loaded_characters_;
  std::string missing_;
};

/// Everything between NewFrame and Render of a frame.
void run_frame(Application& application, const Fonts& fonts, Textures* textures);

}  // namespace whybits::viz
