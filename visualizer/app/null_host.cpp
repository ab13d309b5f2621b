#include "visualizer/app/null_host.hpp"

#include <imgui.h>

#include <utility>

#include "visualizer/draw/keys.hpp"

namespace whybits::viz {

NullHost::NullHost(Application& application, int width, int height) : application_(application) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  map_keys();
}

void NullHost::frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = 1.F / 60;
  if (imgui_.prepare(application_.settings())) {
#if IMGUI_VERSION_NUM < 19200
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    io.Fonts->SetTexID(nullptr);
#endif
  }
  ImGui::NewFrame();
  run_frame(application_, imgui_.fonts(), nullptr);
  ImGui::Render();
  keys_.frame_drawn();
  ++frames_;
}

void NullHost::move(float x, float y) {
  const float scale = application_.settings().scale;
  feed_mouse(x * scale, y * scale);
}

void NullHost::press(const Chord& chord) {
  feed_modifiers(chord.ctrl, chord.shift);
  feed_key(chord.key, true);
  frame();
  feed_key(chord.key, false);
  feed_modifiers(false, false);
  frame();
}

void NullHost::type(const char* utf8) {
  feed_text(utf8);
  frame();
}

void NullHost::click(float x, float y) {
  move(x, y);
  frame();
  feed_button(0, true);
  frame();
  feed_button(0, false);
  frame();
}

void NullHost::double_click(float x, float y) {
  click(x, y);
  click(x, y);
}

void NullHost::drag(float x0, float y0, float x1, float y1) {
  move(x0, y0);
  frame();
  feed_button(0, true);
  frame();
  for (const float t : {0.25F, 0.5F, 0.75F, 1.F}) {
    move(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t);
    frame();
  }
  feed_button(0, false);
  frame();
}

void NullHost::wheel(float x, float y, float by) {
  move(x, y);
  frame();
  feed_wheel(0, by);
  frame();
}

void NullHost::key_goes(Key key, bool down) {
  keys_.happened({down ? KeyEvent::What::press : KeyEvent::What::release, static_cast<int>(key),
                  false, [=] { feed_key(key, down); }});
}

void NullHost::ctrl_goes(bool down) {
  keys_.happened({down ? KeyEvent::What::press : KeyEvent::What::release,
                  static_cast<int>(Key::count), true, [=] { feed_modifiers(down, false); }});
}

void NullHost::character_comes(std::string utf8) {
  keys_.happened(
      {KeyEvent::What::character, 0, false, [utf8 = std::move(utf8)] { feed_text(utf8.c_str()); }});
}

void NullHost::settle() {
  do frame();
  while (keys_.told());
  frame();
  frame();
}

}  // namespace whybits::viz
