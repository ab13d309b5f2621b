#include "visualizer/draw/font.hpp"

#include <imgui.h>
#include <imgui_freetype.h>

#include <algorithm>
#include <cfloat>
#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace whybits::viz {
namespace {

struct Style {
  float size;
  bool mono;
  const char* weight;  ///< as in the file's name
  const char* fallback;
};
constexpr std::array<Style, font_count> styles{{
    {16, false, "Regular", "DejaVuSans.ttf"},
    {16, false, "SemiBold", "DejaVuSans-Bold.ttf"},
    {14, false, "Regular", "DejaVuSans.ttf"},
    {18, false, "SemiBold", "DejaVuSans-Bold.ttf"},
    {15, true, "Regular", "DejaVuSansMono.ttf"},
    {13.5F, true, "Regular", "DejaVuSansMono.ttf"},
    {15, true, "Bold", "DejaVuSansMono-Bold.ttf"},
    {20, true, "Bold", "DejaVuSansMono-Bold.ttf"},
}};
// Debian's and other systems' folders.
constexpr std::array<const char*, 4> folders{
    "/usr/share/fonts/opentype/inter/", "/usr/share/fonts/truetype/jetbrains-mono/",
    "/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/truetype/"};

std::string find_font(std::initializer_list<std::string> names) {
  for (const std::string& name : names)
    for (const char* folder : folders)
      if (std::string path = folder + name; std::filesystem::exists(path)) return path;
  return {};
}

std::string path_of(const Style& style) {
  const std::string weight = style.weight;
  return style.mono
             ? find_font({"JetBrainsMono-" + weight + ".ttf", style.fallback})
             : find_font({"Inter-" + weight + ".otf", "Inter-" + weight + ".ttf", style.fallback});
}

/// What is drawn besides the text tables and Latin: numbers, marks, names of files.
constexpr const char* symbols =
    "…–—‘’“”·×÷±−√≈≠≤≥∞∑Σ∆∂≡→←↑↓⇒‹›«»•◆✓⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉αβγδελμνπρσφω½¼¾";
constexpr std::array<ImWchar, 3> latin{0x20, 0xFF, 0};

/// Noto has no weight between these two.
std::string cjk_path(const Style& style) {
  const bool regular = std::string_view(style.weight) == "Regular";
  return std::string("/usr/share/fonts/opentype/noto/NotoSansCJK-") +
         (regular ? "Regular" : "Bold") + ".ttc";
}

}  // namespace

float font_size(Font font) {
  return styles[static_cast<std::size_t>(font)].size;
}

Fonts load_fonts(ImFontAtlas& atlas, float scale, bool chinese, const std::string& characters,
                 std::string* missing) {
  Fonts fonts;
  fonts.scale = scale;
#if IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
#endif
  static ImVector<ImWchar> wanted;  // read by the atlas when it is built
  wanted.clear();
  const bool with_cjk =
      chinese && std::all_of(styles.begin(), styles.end(), [](const Style& style) {
        return std::filesystem::exists(cjk_path(style));
      });
  if (chinese && !with_cjk && missing) *missing = "fonts-noto-cjk";
  ImFontGlyphRangesBuilder builder;
  builder.AddRanges(latin.data());
  builder.AddText(symbols);
  builder.AddText(characters.c_str());
  builder.BuildRanges(&wanted);
  const std::string fallback = find_font({"DejaVuSans.ttf"});
  for (std::size_t i = 0; i < styles.size(); ++i) {
    const float size = styles[i].size * scale;
    const std::string path = path_of(styles[i]);
    ImFontConfig config;
    config.PixelSnapH = false;
    config.OversampleH = config.OversampleV = 1;
    if (path.empty()) {
      config.SizePixels = size;
      fonts.at[i] = atlas.AddFontDefault(&config);
      if (missing) *missing = "fonts-dejavu-core";
      continue;
    }
    fonts.at[i] = atlas.AddFontFromFileTTF(path.c_str(), size, &config, wanted.Data);
    config.MergeMode = true;
    if (!fallback.empty() && path != fallback)
      atlas.AddFontFromFileTTF(fallback.c_str(), size, &config, wanted.Data);
    if (with_cjk) {
      config.FontNo = 2;  // simplified Chinese
      atlas.AddFontFromFileTTF(cjk_path(styles[i]).c_str(), size, &config, wanted.Data);
    }
  }
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
#endif
  return fonts;
}

float text_width(const Fonts& fonts, Font font, std::string_view text) {
  const ImFont* f = fonts[font];
  const float size = font_size(font) * fonts.scale;
  // const_cast: newer versions bake glyphs when they are measured.
  return const_cast<ImFont*>(f)
             ->CalcTextSizeA(size, FLT_MAX, 0, text.data(), text.data() + text.size())
             .x /
         fonts.scale;
}

}  // namespace whybits::viz
