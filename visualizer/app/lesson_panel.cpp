#include "visualizer/app/lesson_panel.hpp"

#include <algorithm>

#include "lab/files.hpp"
#include "lab/usage_error.hpp"
#include "visualizer/draw/widgets.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t largest_text = std::uint64_t{1} << 20;
constexpr float code_padding = 8;
constexpr float line_step = 48;  ///< of the wheel and the arrow keys

Font font_of(LessonBlock::Kind kind) {
  if (kind == LessonBlock::Kind::heading) return Font::title;
  return kind == LessonBlock::Kind::code ? Font::mono_small : Font::body;
}

float space_above(LessonBlock::Kind kind) {
  return kind == LessonBlock::Kind::heading ? 18 : 9;
}

}  // namespace

LessonPanel::LessonPanel(std::filesystem::path file) : file_(std::move(file)) {
  read();
}

void LessonPanel::read() {
  text_ = read_text_file(file_, largest_text);
  std::error_code gone;
  time_ = std::filesystem::last_write_time(file_, gone);
  blocks_ = lesson_blocks(text_);
  tops_.clear();
}

bool LessonPanel::refresh() {
  std::error_code gone;
  const auto time = std::filesystem::last_write_time(file_, gone);
  if (gone || time == time_) return false;
  try {
    read();
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

void LessonPanel::lay_out(Canvas& canvas, float width) {
  if (!tops_.empty() && width == width_ && canvas.fonts().scale == scale_) return;
  width_ = width;
  scale_ = canvas.fonts().scale;
  tops_.clear();
  shown_.clear();
  const float letter = canvas.width("0", Font::mono_small);
  const float room = std::max(0.F, width - 2 * code_padding);
  float y = 0;
  for (const LessonBlock& block : blocks_) {
    const bool code = block.kind == LessonBlock::Kind::code;
    shown_.push_back(code ? broken_lines(block.text, static_cast<std::size_t>(room / letter))
                          : block.text);
    if (y > 0) y += space_above(block.kind);
    tops_.push_back(y);
    // Lines of code are broken already: nothing is left for the paragraph to break.
    y = canvas.paragraph({0, y}, code ? 1e6F : width, shown_.back(), 0, font_of(block.kind), false);
    if (code) y += 2 * code_padding;
  }
  tops_.push_back(y);
}

void LessonPanel::draw(Ui& ui, std::map<std::string, Rect>& panels, Rect& area) {
  const Rect column = area.take_left(std::clamp(area.width() * 0.34F, 260.F, 620.F));
  area.take_left(gap);
  panels["lesson"] = column;
  const Id id = make_id("lesson");
  const Response response = ui.region(id, column);
  const Rect inside = panel(ui, column);
  ui.focus_ring(id, column);
  Canvas& c = ui.canvas;
  lay_out(c, inside.width());
  const float hidden = std::max(0.F, tops_.back() - inside.height());
  if (response.hovered) scroll_ -= ui.in.wheel * line_step;
  scroll_ -= response.drag.y;
  scroll_ += static_cast<float>(ui.arrow_y(id)) * line_step;
  scroll_ = std::clamp(scroll_, 0.F, hidden);

  c.push_clip(inside);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const float top = inside.y0 + tops_[i] - scroll_;
    const float bottom = inside.y0 + tops_[i + 1] - scroll_;
    if (bottom < inside.y0 || top > inside.y1) continue;
    const LessonBlock::Kind kind = blocks_[i].kind;
    if (kind == LessonBlock::Kind::code) {
      const float height =
          c.paragraph({0, 0}, 1e6F, shown_[i], 0, font_of(kind), false) + 2 * code_padding;
      c.fill({inside.x0, top, inside.x1, top + height}, ui.theme.raised, 4);
      c.paragraph({inside.x0 + code_padding, top + code_padding}, 1e6F, shown_[i], ui.theme.text,
                  font_of(kind));
    } else {
      c.paragraph({inside.x0, top}, inside.width(), shown_[i], ui.theme.text, font_of(kind));
    }
  }
  c.pop_clip();
  if (hidden > 0) {  // how much there is, and where
    const float track = inside.height();
    const float thumb = std::max(24.F, track * track / tops_.back());
    const float y = inside.y0 + (track - thumb) * scroll_ / hidden;
    c.fill({column.x1 - 7, y, column.x1 - 4, y + thumb}, ui.theme.line, 2);
  }
}

}  // namespace whybits::viz
