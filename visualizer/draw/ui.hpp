// One frame of the interface: input, focus, tooltips, clickable regions, on a canvas. Views draw
// with `canvas`; what they want to react to are regions. Everything clickable can be reached with
// Tab and pressed with Enter or Space.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/draw/canvas.hpp"
#include "visualizer/draw/keys.hpp"

namespace whybits::viz {

struct Input {
  Point mouse{-1e6F, -1e6F};
  bool down = false, pressed = false, released = false, double_click = false;
  float wheel = 0, wheel_x = 0;
  bool ctrl = false, shift = false;
  float seconds = 1.F / 60;  ///< since the last frame
};

using Id = std::uint64_t;
/// The name of a region: a text and a number, the same in each frame.
Id make_id(std::string_view name, std::uint64_t number = 0);

struct Response {
  bool hovered = false, pressed = false, clicked = false, held = false, focused = false;
  bool double_clicked = false;
  Point drag;  ///< since the last frame, while held
};

/// What lasts from frame to frame.
struct UiMemory {
  Id active = 0, focus = 0;
  bool focus_visible = false;  ///< the keyboard moved it last
  Point last_mouse;
  std::vector<Id> order;  ///< focusable regions of the last frame
  std::string tip;        ///< shown now
  float tip_wait = 0;
  std::string panel_focus;
};

class Ui {
 public:
  Ui(Canvas& canvas, const Theme& theme, const Input& input, UiMemory& memory);
  /// Ends the frame: Tab, tooltips.
  void finish(const Rect& screen);

  Canvas& canvas;
  const Theme& theme;
  const Input& in;

  Response region(Id id, const Rect& r, bool focusable = true);
  /// The mouse is over it and nothing lies above.
  bool hovered(const Rect& r) const;
  /// A sentence shown while the mouse rests on r.
  void tip(const Rect& r, std::string_view sentence);
  /// An explained word: draws nothing, adds the tooltip "tip.NAME" of the text table.
  void term(const Rect& r, std::string_view name);
  void focus_ring(Id id, const Rect& r, float rounding = 6);
  void focus(Id id) { memory_.focus = id; }
  /// The focused region may use arrow keys; -1, 0 or +1.
  int arrow_x(Id id) const;
  int arrow_y(Id id) const;

  /// Regions below do not react while something covers them. `modal_layer` draws above.
  void set_layer(int layer) { layer_ = layer; }
  void set_top_layer(int layer) { top_layer_ = layer; }
  bool reacts() const { return layer_ >= top_layer_; }
  /// While typing into a field, letters are not commands.
  bool typing = false;

 private:
  UiMemory& memory_;
  std::vector<Id> order_;
  std::string wanted_tip_;
  int layer_ = 0, top_layer_ = 0;
};

}  // namespace whybits::viz
