// Draws one scene. Views read the document's results and change its state; they compute nothing.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "visualizer/app/document.hpp"
#include "visualizer/draw/ui.hpp"

namespace whybits::viz {

class Application;

struct SceneFrame {
  Ui& ui;
  Application& application;
  Document& document;
  Rect area;
  std::map<std::string, Rect>& panels;  ///< filled by name: for pictures of one panel
  bool reduced_motion;
  bool& moving;  ///< set while something is animated
};

class SceneView {
 public:
  virtual ~SceneView() = default;
  virtual std::string_view name() const = 0;
  virtual void draw(SceneFrame& frame) = 0;
};

std::unique_ptr<SceneView> make_gemm_scene();
std::unique_ptr<SceneView> make_sum_scene();
std::unique_ptr<SceneView> make_bits_scene();

}  // namespace whybits::viz
