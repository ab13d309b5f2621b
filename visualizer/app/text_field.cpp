#include <imgui.h>
#include <imgui_stdlib.h>

#include "visualizer/app/overlay.hpp"

namespace whybits::viz {
namespace {

int caret = -1;

int remember_caret(ImGuiInputTextCallbackData* data) {
  caret = data->CursorPos;
  return 0;
}

ImVec4 color(Color c) {
  return ImGui::ColorConvertU32ToFloat4(c);
}

}  // namespace

int caret_of_field() {
  return caret;
}

bool text_field(Ui& ui, Id id, const Rect& r, std::string& value, bool take_focus,
                const std::string& hint, Font font) {
  const Theme& t = ui.theme;
  const float scale = ui.canvas.fonts().scale;
  ui.canvas.fill(r, t.field, 6);
  if (!ui.reacts()) {  // something lies above: shown, not edited
    ui.canvas.outline(r, t.line, 6, 1);
    ui.canvas.push_clip(r.inset(8, 0));
    ui.canvas.text_mid({r.x0 + 10, r.center().y}, value.empty() ? hint : value,
                       value.empty() ? t.faint : t.text, font);
    ui.canvas.pop_clip();
    return false;
  }
  const float pad = std::max(2.F, (r.height() - font_size(font) * 1.2F) / 2);
  ImGui::SetCursorScreenPos({(r.x0 + 2) * scale, r.y0 * scale});
  ImGui::PushID(static_cast<int>(id & 0x7FFFFFFF));
  ImGui::PushFont(ui.canvas.fonts()[font]);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * scale, pad * scale));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleColor(ImGuiCol_Text, color(t.text));
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, color(t.faint));
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, color(fade(t.focus, 0.35F)));
  ImGui::SetNextItemWidth((r.width() - 4) * scale);
  if (take_focus) ImGui::SetKeyboardFocusHere();
  const bool changed = ImGui::InputTextWithHint("##field", hint.c_str(), &value,
                                                ImGuiInputTextFlags_CallbackAlways, remember_caret);
  const bool active = ImGui::IsItemActive();
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  ImGui::PopID();
  ui.canvas.outline(r, active ? t.focus : t.line, 6, active ? 2.F : 1.F);
  if (active) ui.typing = true;
  return changed;
}

}  // namespace whybits::viz
