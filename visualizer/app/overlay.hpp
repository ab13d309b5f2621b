// What lies over a scene until it is closed: the palette, the notation editor, help, recordings.
#pragma once

#include <string>

#include "visualizer/draw/ui.hpp"

namespace whybits::viz {

class Application;

class Overlay {
 public:
  virtual ~Overlay() = default;
  /// Escape and a click beside it close it.
  virtual Rect area(const Rect& screen) const = 0;
  virtual void draw(Ui& ui, Application& application, const Rect& area) = 0;
};

/// A single line of text, edited by Dear ImGui; returns whether it changed. The field takes the
/// keyboard when `take_focus` is set.
bool text_field(Ui& ui, Id id, const Rect& r, std::string& value, bool take_focus,
                const std::string& hint = {}, Font font = Font::mono);
/// The byte offset of the caret of the field that is edited; −1 if none is.
int caret_of_field();

}  // namespace whybits::viz
