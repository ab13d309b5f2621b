#include <mutex>
#include <stop_token>
#include <thread>

#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/recordings_model.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {
namespace {

/// What the hardware gave, checked against the prediction one file after another.
class Recordings final : public Overlay {
 public:
  explicit Recordings(const std::filesystem::path& folder)
      : folder_(folder),
        rows_(list_recordings(folder)),
        thread_([this](const std::stop_token& s) { check(s); }) {}

  Rect area(const Rect& screen) const override { return screen.inset(40, 40); }

  void draw(Ui& ui, Application&, const Rect& area) override {
    const std::lock_guard lock(mutex_);
    Rect r = area.inset(22, 18);
    const RecordingCounts counts = count(rows_);
    heading(ui, r, text("recordings.title"),
            text("recordings.counts", counts.all, counts.every_bit, counts.differs,
                 number(counts.outputs)));
    r.take_top(4);
    if (rows_.empty()) {
      ui.canvas.paragraph({r.x0, r.y0}, r.width(), text("recordings.empty", folder_.string()),
                          ui.theme.dim);
      return;
    }
    constexpr float line = 26;
    const int visible = std::max(1, static_cast<int>((r.height() - line) / line));
    const auto n = static_cast<int>(rows_.size());
    if (ui.in.wheel != 0) top_ -= static_cast<int>(ui.in.wheel * 3);
    if (key_pressed(Key::down, true)) ++top_;
    if (key_pressed(Key::up, true)) --top_;
    if (key_pressed(Key::page_down, true)) top_ += visible;
    if (key_pressed(Key::page_up, true)) top_ -= visible;
    top_ = std::clamp(top_, 0, std::max(0, n - visible));
    const float x_shape = r.x0 + std::min(430.F, r.width() * 0.36F);
    const float x_result = r.x1 - std::min(250.F, r.width() * 0.24F);
    const Rect head = r.take_top(line);
    ui.canvas.text({head.x0 + 24, head.y0}, text("recordings.file"), ui.theme.dim, Font::small);
    ui.canvas.text({x_shape, head.y0}, text("recordings.what"), ui.theme.dim, Font::small);
    ui.canvas.text({x_result, head.y0}, text("recordings.result"), ui.theme.dim, Font::small);
    for (int i = 0; i < visible && top_ + i < n; ++i)
      row(ui, r.take_top(line), rows_[static_cast<std::size_t>(top_ + i)], x_shape, x_result);
  }

 private:
  static void row(Ui& ui, const Rect& r, const RecordingRow& row, float x_shape, float x_result) {
    Canvas& c = ui.canvas;
    const Theme& t = ui.theme;
    if (ui.hovered(r)) c.fill(r, t.raised, 4);
    const float y = r.center().y;
    Color color = t.dim;
    std::string result = text("recordings.unchecked");
    switch (row.state) {
      case RecordingState::every_bit:
        c.tick({r.x0 + 10, y}, 5, t.agrees);
        color = t.agrees;
        result = text("recordings.every_bit", number(row.verification->compared));
        break;
      case RecordingState::differs:
        c.diamond({r.x0 + 10, y}, 5, t.differs);
        color = t.differs;
        result = text("recordings.differs", number(row.verification->wrong),
                      number(row.verification->compared));
        break;
      case RecordingState::refused:
      case RecordingState::not_checked:
        result = row.message;
        break;
      case RecordingState::unread:
      case RecordingState::unchecked:
        break;
    }
    const auto cell = [&](float x, float end, const std::string& value, Color ink, Font font) {
      c.text_mid({x, y}, elided(c.fonts(), font, value, end - x - 12), ink, font);
    };
    cell(r.x0 + 24, x_shape, row.name, t.text, Font::mono_small);
    std::string what = row.shape;
    if (!row.types.empty()) what += "  " + row.types;
    if (!row.kernel.empty()) what += "  " + row.kernel;
    cell(x_shape, x_result, what, t.dim, Font::mono_small);
    cell(x_result, r.x1, result, color, Font::small);
    std::string tip = row.device;
    if (!row.library.empty()) tip += ", " + row.library;
    if (!row.topology.empty()) tip += "\n" + row.topology;
    if (!row.message.empty()) tip += "\n" + row.message;
    ui.tip(r, tip);
  }

  void check(const std::stop_token& stop) {
    for (std::size_t i = 0; !stop.stop_requested(); ++i) {
      std::filesystem::path path;
      {
        const std::lock_guard lock(mutex_);
        if (i >= rows_.size()) return;
        path = rows_[i].path;
      }
      RecordingRow checked = check_recording(path, stop);
      const std::lock_guard lock(mutex_);
      if (!stop.stop_requested()) rows_[i] = std::move(checked);
    }
  }

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::vector<RecordingRow> rows_;
  int top_ = 0;
  std::jthread thread_;  // last: it uses the above
};

}  // namespace

std::unique_ptr<Overlay> make_recordings_browser(const std::filesystem::path& folder) {
  return std::make_unique<Recordings>(folder);
}

}  // namespace whybits::viz
