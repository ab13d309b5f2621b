#include "visualizer/draw/keys.hpp"

#include <imgui.h>

#include <array>

#if IMGUI_VERSION_NUM < 18700
#include <GLFW/glfw3.h>
#endif

namespace whybits::viz {
namespace {

/// Those that are neither letters nor digits: the tables below have them in the order of Key.
constexpr std::size_t other_keys =
    static_cast<std::size_t>(Key::count) - static_cast<std::size_t>(Key::left);

std::size_t place(Key other) {
  return static_cast<std::size_t>(other) - static_cast<std::size_t>(Key::left);
}

int after(int first, Key key, Key base) {
  return first + static_cast<int>(key) - static_cast<int>(base);
}

#if IMGUI_VERSION_NUM < 18700
constexpr std::array others{GLFW_KEY_LEFT,      GLFW_KEY_RIGHT,     GLFW_KEY_UP,    GLFW_KEY_DOWN,
                            GLFW_KEY_ENTER,     GLFW_KEY_ESCAPE,    GLFW_KEY_TAB,   GLFW_KEY_SPACE,
                            GLFW_KEY_BACKSPACE, GLFW_KEY_DELETE,    GLFW_KEY_HOME,  GLFW_KEY_END,
                            GLFW_KEY_PAGE_UP,   GLFW_KEY_PAGE_DOWN, GLFW_KEY_EQUAL, GLFW_KEY_MINUS,
                            GLFW_KEY_SLASH,     GLFW_KEY_F1,        GLFW_KEY_F11};
constexpr int first_letter = GLFW_KEY_A;
constexpr int first_digit = GLFW_KEY_0;
using NativeKey = int;
#else
constexpr std::array others{
    ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Enter,
    ImGuiKey_Escape,    ImGuiKey_Tab,        ImGuiKey_Space,   ImGuiKey_Backspace, ImGuiKey_Delete,
    ImGuiKey_Home,      ImGuiKey_End,        ImGuiKey_PageUp,  ImGuiKey_PageDown,  ImGuiKey_Equal,
    ImGuiKey_Minus,     ImGuiKey_Slash,      ImGuiKey_F1,      ImGuiKey_F11};
constexpr int first_letter = ImGuiKey_A;
constexpr int first_digit = ImGuiKey_0;
using NativeKey = ImGuiKey;
#endif
static_assert(others.size() == other_keys);

NativeKey native(Key key) {
  if (key >= Key::left) return others[place(key)];
  if (key >= Key::n0) return static_cast<NativeKey>(after(first_digit, key, Key::n0));
  return static_cast<NativeKey>(after(first_letter, key, Key::a));
}

}  // namespace

std::string chord_text(const Chord& chord) {
  static constexpr std::array names{"←",     "→",         "↑",      "↓",    "Enter", "Esc",  "Tab",
                                    "Space", "Backspace", "Delete", "Home", "End",   "PgUp", "PgDn",
                                    "+",     "−",         "/",      "F1",   "F11"};
  static_assert(names.size() == other_keys);
  std::string out;
  if (chord.ctrl) out += "Ctrl+";
  if (chord.shift) out += "Shift+";
  if (chord.key >= Key::left)
    out += names[place(chord.key)];
  else if (chord.key >= Key::n0)
    out += static_cast<char>(after('0', chord.key, Key::n0));
  else if (chord.key != Key::none)
    out += static_cast<char>(after('A', chord.key, Key::a));
  return out;
}

bool key_pressed(Key key, bool repeat) {
  return key != Key::none && ImGui::IsKeyPressed(native(key), repeat);
}

void feed_key(Key key, bool down) {
  if (key == Key::none) return;
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().KeysDown[native(key)] = down;
#else
  ImGui::GetIO().AddKeyEvent(native(key), down);
#endif
}

void feed_modifiers(bool ctrl, bool shift) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
#elif IMGUI_VERSION_NUM < 18900
  io.AddKeyEvent(ImGuiKey_ModCtrl, ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, shift);
#else
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
#endif
}

void feed_mouse(float x, float y) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MousePos = {x, y};
#else
  ImGui::GetIO().AddMousePosEvent(x, y);
#endif
}

void feed_button(int button, bool down) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MouseDown[button] = down;
#else
  ImGui::GetIO().AddMouseButtonEvent(button, down);
#endif
}

void feed_wheel(float dx, float dy) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MouseWheel += dy;
  ImGui::GetIO().MouseWheelH += dx;
#else
  ImGui::GetIO().AddMouseWheelEvent(dx, dy);
#endif
}

void feed_text(const char* utf8) {
  ImGui::GetIO().AddInputCharactersUTF8(utf8);
}

void map_keys() {
#if IMGUI_VERSION_NUM < 18700
  struct Pair {
    int imgui;
    Key key;
  };
  constexpr std::array<Pair, 21> pairs{{
      {ImGuiKey_Tab, Key::tab},
      {ImGuiKey_LeftArrow, Key::left},
      {ImGuiKey_RightArrow, Key::right},
      {ImGuiKey_UpArrow, Key::up},
      {ImGuiKey_DownArrow, Key::down},
      {ImGuiKey_PageUp, Key::page_up},
      {ImGuiKey_PageDown, Key::page_down},
      {ImGuiKey_Home, Key::home},
      {ImGuiKey_End, Key::end},
      {ImGuiKey_Delete, Key::del},
      {ImGuiKey_Backspace, Key::backspace},
      {ImGuiKey_Space, Key::space},
      {ImGuiKey_Enter, Key::enter},
      {ImGuiKey_Escape, Key::escape},
      {ImGuiKey_KeyPadEnter, Key::none},
      {ImGuiKey_A, Key::a},
      {ImGuiKey_C, Key::c},
      {ImGuiKey_V, Key::v},
      {ImGuiKey_X, Key::x},
      {ImGuiKey_Y, Key::y},
      {ImGuiKey_Z, Key::z},
  }};
  for (const Pair& pair : pairs)
    ImGui::GetIO().KeyMap[pair.imgui] = pair.key == Key::none ? -1 : native(pair.key);
#endif
}

}  // namespace whybits::viz
