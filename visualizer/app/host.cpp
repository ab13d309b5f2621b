#include "visualizer/app/host.hpp"

#include <imgui.h>

#include <algorithm>

#include "visualizer/app/application.hpp"
#include "visualizer/model/session.hpp"

namespace whybits::viz {
namespace {

Input read_input(float scale, const Point& last_mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  Input in;
  in.mouse =
      ImGui::IsMousePosValid() ? Point{io.MousePos.x / scale, io.MousePos.y / scale} : last_mouse;
  in.down = io.MouseDown[0];
  in.pressed = ImGui::IsMouseClicked(0);
  in.released = ImGui::IsMouseReleased(0);
  in.double_click = ImGui::IsMouseDoubleClicked(0);
  in.wheel = io.MouseWheel;
  in.wheel_x = io.MouseWheelH;
  in.ctrl = io.KeyCtrl;
  in.shift = io.KeyShift;
  in.seconds = io.DeltaTime;
  return in;
}

std::string all_characters() {
  std::string out;
  for (const std::string_view key : text_keys(language())) out += text(key);
  for (const Session& preset : presets()) {
    const PresetWords& words = preset.preset->words();
    out += words.title;
    for (const std::string& sentence : words.guidance) out += sentence;
  }
  return out;
}

bool has_chinese(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char byte) {
    const auto lead = static_cast<unsigned char>(byte);  // of U+3000 to U+9FFF
    return lead >= 0xe3 && lead <= 0xe9;
  });
}

}  // namespace

ImContext::ImContext() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
}

ImContext::~ImContext() {
  ImGui::DestroyContext();
}

bool ImContext::prepare(const Settings& settings) {
  if (settings.scale == loaded_scale_ && settings.language == loaded_language_ &&
      settings.characters == loaded_characters_)
    return false;
  loaded_scale_ = settings.scale;
  loaded_language_ = settings.language;
  loaded_characters_ = settings.characters;
  set_language(settings.language);
  const bool chinese = settings.language == Language::chinese || has_chinese(settings.characters);
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  missing_.clear();
  fonts_ =
      load_fonts(atlas, settings.scale, chinese, all_characters() + settings.characters, &missing_);
  return true;
}

void run_frame(Application& application, const Fonts& fonts, Textures* textures) {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale = fonts.scale;
  const Rect screen{0, 0, io.DisplaySize.x / scale, io.DisplaySize.y / scale};
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("whybits", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavInputs |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImCanvas canvas(*ImGui::GetWindowDrawList(), fonts, textures);
  application.frame(canvas, read_input(scale, application.last_mouse()), screen);
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace whybits::viz
