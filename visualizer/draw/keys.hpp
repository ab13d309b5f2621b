// Keys by name, whichever Dear ImGui is there: up to 1.86 keys are indices of the platform (GLFW's
// everywhere here), from 1.87 on they are named and come as events.
#pragma once

#include <string>

namespace whybits::viz {

enum class Key : unsigned char {
  none,
  a,
  b,
  c,
  d,
  e,
  f,
  g,
  h,
  i,
  j,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  u,
  v,
  w,
  x,
  y,
  z,
  n0,
  n1,
  n2,
  n3,
  n4,
  n5,
  n6,
  n7,
  n8,
  n9,
  left,
  right,
  up,
  down,
  enter,
  escape,
  tab,
  space,
  backspace,
  del,
  home,
  end,
  page_up,
  page_down,
  plus,
  minus,
  slash,
  f1,
  f11,
  count
};

/// Keys with modifiers: "Ctrl+Shift+Z".
struct Chord {
  Key key = Key::none;
  bool ctrl = false, shift = false;
  bool operator==(const Chord&) const = default;
};
std::string chord_text(const Chord& chord);

/// Went down in this frame; with `repeat` also when it repeats while held.
bool key_pressed(Key key, bool repeat = false);

/// Input from elsewhere than a window: tests.
void feed_key(Key key, bool down);
void feed_modifiers(bool ctrl, bool shift);
void feed_mouse(float x, float y);  ///< physical pixels
void feed_button(int button, bool down);
void feed_wheel(float dx, float dy);
void feed_text(const char* utf8);
/// What a window's back end does for text fields. To call once where there is no window.
void map_keys();

}  // namespace whybits::viz
