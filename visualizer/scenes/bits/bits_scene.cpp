// The Bits scene on screen: numbers whose bits can be turned over, an operation taken apart.
#include <array>
#include <cstdlib>

#include "visualizer/app/application.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/code_cells.hpp"
#include "visualizer/views/number_line.hpp"
#include "visualizer/views/pair_frame.hpp"
#include "visualizer/views/pair_scene.hpp"
#include "visualizer/views/step_grid.hpp"

namespace whybits::viz {
namespace {

constexpr std::array<const char*, 8> operations{"none", "add", "sub",  "mul",
                                                "fma",  "div", "sqrt", "convert"};
constexpr std::array<const char*, 8> symbols{"·", "+", "−", "×", "fma", "÷", "√", "→"};
constexpr std::array<const char*, 7> format_names{"f64",  "f32",  "tf32", "f16",
                                                  "bf16", "e5m2", "e4m3"};
constexpr std::array<const char*, 5> roundings{"nearest-even", "zero", "up", "down",
                                               "nearest-away"};

std::size_t operands_of(const std::string& operation) {
  if (operation == "none" || operation == "sqrt" || operation == "convert") return 1;
  return operation == "fma" ? 3 : 2;
}

template <std::size_t N>
int index_of(const std::array<const char*, N>& list, const std::string& name) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == list[i]) return static_cast<int>(i);
  return -1;
}

template <std::size_t N>
std::vector<std::string> labels_of(const std::array<const char*, N>& list) {
  return {list.begin(), list.end()};
}

class BitsScene final : public SceneView {
 public:
  std::string_view name() const override { return "bits"; }

  void draw(SceneFrame& frame) override {
    const auto& state = std::get<BitsState>(frame.document.state());
    BitsState next = state;
    Rect rest = frame.area;
    const bool narrow = rest.width() < 1400;
    Rect left = rest.take_left(narrow ? 252.F : 300.F);
    rest.take_left(gap);
    Rect right = rest.take_right(narrow ? 330.F : 400.F);
    rest.take_right(gap);
    PairScene::guidance(frame, left);
    controls(frame, state, next, left);
    center(frame, state, next, rest);
    formats(frame, state, next, right);
    if (!(next == state)) frame.document.change(std::move(next), gesture_);
    gesture_.clear();
  }

 private:
  void controls(SceneFrame& frame, const BitsState& state, BitsState& next, const Rect& area) {
    Ui& ui = frame.ui;
    frame.panels["controls"] = area;
    Rect r = panel(ui, area);
    ui.canvas.push_clip(area);
    heading(ui, r, text("bits.title"));
    column_title(ui, r, text("bits.operation"));
    const int operation =
        choices(ui, "operation", r, labels_of(symbols), index_of(operations, state.operation), 4);
    if (operation >= 0 && operations[static_cast<std::size_t>(operation)] != state.operation)
      next = with_operation(state, operations[static_cast<std::size_t>(operation)]);
    r.take_top(10);
    column_title(ui, r, text("bits.format"), "format");
    const int format =
        choices(ui, "format", r, labels_of(format_names), index_of(format_names, state.format), 4);
    if (format >= 0 && format_names[static_cast<std::size_t>(format)] != state.format)
      next = change_format(state, format_names[static_cast<std::size_t>(format)]);
    if (state.operation == "convert") {
      r.take_top(10);
      column_title(ui, r, text("bits.to"), "format");
      const int to = choices(ui, "to", r, labels_of(format_names),
                             index_of(format_names, state.result_format), 4);
      if (to >= 0 && next.operation == "convert")
        next.result_format = format_names[static_cast<std::size_t>(to)];
    }
    r.take_top(10);
    column_title(ui, r, text("bits.rounding"), "rounding");
    const int rounding =
        choices(ui, "rounding", r, labels_of(roundings), index_of(roundings, state.rounding), 2);
    if (rounding >= 0) next.rounding = roundings[static_cast<std::size_t>(rounding)];
    ui.canvas.pop_clip();
  }

  /// A grid of buttons of which one is chosen.
  static int choices(Ui& ui, std::string_view name, Rect& r, const std::vector<std::string>& labels,
                     int chosen, int columns) {
    const float w = (r.width() - 4 * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto column = static_cast<int>(i) % columns;
      if (column == 0 && i > 0) r.take_top(32);
      const Rect cell{r.x0 + (w + 4) * static_cast<float>(column), r.y0,
                      r.x0 + (w + 4) * static_cast<float>(column) + w, r.y0 + 28};
      const Id id = make_id(name, i);
      const Response response = ui.region(id, cell);
      const bool on = chosen == static_cast<int>(i);
      ui.canvas.fill(cell, on ? ui.theme.raised : ui.theme.field, 5);
      ui.canvas.outline(cell, on ? ui.theme.focus : ui.theme.line, 5, on ? 2.F : 1.F);
      ui.canvas.text_mid(cell.center(), elided(ui.canvas.fonts(), Font::small, labels[i], w - 6),
                         on || response.hovered ? ui.theme.text : ui.theme.dim, Font::small,
                         Align::center);
      ui.focus_ring(id, cell, 5);
      if (response.clicked) chosen = static_cast<int>(i);
    }
    r.take_top(32);
    return chosen;
  }

  static BitsState with_operation(BitsState state, const std::string& operation) {
    state.operation = operation;
    static constexpr std::array<const char*, 3> start{"1", "1", "1"};
    while (state.operands.size() < operands_of(operation))
      state.operands.emplace_back(start[state.operands.size()]);
    state.operands.resize(operands_of(operation));
    state.selected = std::min(state.selected, state.operands.size() - 1);
    state.result_format = operation == "convert" ? "bf16" : "";
    return state;
  }

  void center(SceneFrame& frame, const BitsState& state, BitsState& next, const Rect& area) {
    Ui& ui = frame.ui;
    frame.panels["numbers"] = area;
    const BitsResult& result = frame.document.bits();
    Rect r = panel(ui, area);
    ui.canvas.push_clip(area);
    heading(ui, r, text("bits.numbers"), text("bits.hint"));
    r.take_top(4);
    for (std::size_t i = 0; i < state.operands.size(); ++i) operand(frame, state, next, i, r);
    if (!result.valid()) {
      r.take_top(8);
      float y =
          ui.canvas.paragraph({r.x0, r.y0}, r.width(), result.error, ui.theme.text, Font::mono);
      ui.canvas.paragraph({r.x0, y + 6}, r.width(), result.remedy, ui.theme.dim, Font::body);
      ui.canvas.pop_clip();
      return;
    }
    if (result.operation && result.result) operation(ui, result, r);
    if (result.line && r.height() > number_line_height(*result.line) + 40) {
      r.take_top(12);
      ui.canvas.text({r.x0, r.y0}, text("bits.line"), ui.theme.text, Font::strong);
      r.take_top(26);
      draw_number_line(ui, *result.line, r.take_top(number_line_height(*result.line)));
    }
    if (result.aligned && r.height() > 150) {
      r.take_top(14);
      const Rect title = r.take_top(26);
      ui.canvas.text({title.x0, title.y0}, text("bits.aligned"), ui.theme.text, Font::strong);
      StepGrid grid = step_grid(*result.aligned, 0);
      draw_step_grid(ui, grid, r);
    }
    ui.canvas.pop_clip();
  }

  void operand(SceneFrame& frame, const BitsState& state, BitsState& next, std::size_t i, Rect& r) {
    Ui& ui = frame.ui;
    const BitsResult& result = frame.document.bits();
    const bool selected = i == state.selected;
    Rect box = r.take_top(136);
    r.take_top(10);
    ui.canvas.fill(box, selected ? ui.theme.raised : ui.theme.panel, 8);
    ui.canvas.outline(box, ui.theme.line, 8, 1);
    Rect in = box.inset(14, 10);
    Rect top = in.take_top(32);
    const Rect field = top.take_left(std::min(240.F, top.width() * 0.4F));
    std::string& typed = next.operands[i];
    if (text_field(ui, make_id("operand", i), field, typed, false)) {
      next.selected = i;
      gesture_ = "operand." + std::to_string(i);
    }
    top.take_left(10);
    if (i < result.rows.size()) {
      const Rect minus = top.take_left(30);
      top.take_left(4);
      const Rect plus = top.take_left(30);
      top.take_left(14);
      BitsState mine = state;
      mine.selected = i;
      ui.tip(minus, text("bits.down"));
      ui.tip(plus, text("bits.up"));
      if (button(ui, make_id("number.down", i), minus, "−")) next = step_number(mine, -1);
      if (button(ui, make_id("number.up", i), plus, "+")) next = step_number(mine, 1);
      const CodeRow& row = result.rows[i];
      const float code_w = ui.canvas.width(row.number.code_text, Font::mono);
      ui.canvas.text_mid({top.x1, top.center().y}, row.number.code_text, ui.theme.dim, Font::mono,
                         Align::right);
      ui.canvas.text_mid({top.x0, top.center().y},
                         elided(ui.canvas.fonts(), Font::mono_large, row.number.display,
                                top.width() - code_w - 16),
                         ui.theme.text, Font::mono_large);
      in.take_top(8);
      const CellGeometry g =
          fit_cells(in.width(), 46, exponent_bits(row.format), fraction_bits(row.format));
      const auto bit = draw_code(ui, g, {in.x0, in.y0}, row, ui.theme.focus, make_id("bit", i),
                                 selected ? state.bit : std::nullopt, true);
      if (bit) {
        next = flip_bit(mine, *bit);
        next.bit = bit;
      }
      in.take_top(g.height + 6);
      std::string about = row.number.class_name;
      if (row.number.finite())
        about += "   ·   " + text("bits.about", row.number.hex_float, row.number.ulp_exponent);
      if (!row.number.exact.empty() && row.number.exact.size() < 60)
        about += "   ·   = " + row.number.exact;
      ui.canvas.text_within({in.x0, in.y0}, in.width(), about, ui.theme.dim, Font::small);
    }
    const Id id = make_id("operand.box", i);
    const Response response = ui.region(id, box, false);
    if (response.pressed) next.selected = i;
  }

  /// Exact result, what rounding kept, what it looked at, the result.
  static void operation(Ui& ui, const BitsResult& result, Rect& r) {
    const OperationView& v = *result.operation;
    Canvas& c = ui.canvas;
    const Theme& t = ui.theme;
    r.take_top(4);
    const Rect title = r.take_top(26);
    c.text_within({title.x0, title.y0}, title.width(), v.expression + " = " + v.exact_label, t.text,
                  Font::mono);
    if (v.rounded) {
      const Rect line = r.take_top(30);
      float x = c.text_mid({line.x0, line.center().y}, v.step.kept, t.text, Font::mono_bold);
      x += 8;
      c.line({x, line.y0 + 3}, {x, line.y1 - 3}, t.text, 1.5F);
      x += 8;
      const std::array<std::pair<const char*, bool>, 3> looks{
          {{"guard", v.step.guard}, {"round", v.step.round}, {"sticky", v.step.sticky}}};
      for (const auto& [name, one] : looks) {
        const Rect cell{x, line.y0 + 3, x + 22, line.y1 - 3};
        c.fill(cell, one ? mix(t.cell, t.focus, 0.4F) : t.cell, 3);
        c.text_mid(cell.center(), one ? "1" : "0", one ? t.text : t.faint, Font::mono_bold,
                   Align::center);
        ui.term(cell, name);
        x += 25;
      }
      c.text_mid({x + 8, line.center().y},
                 "· " + power_text(v.step.exponent) + "     " + text("bits.grs_legend"), t.dim,
                 Font::small);
    }
    r.y0 = c.paragraph({r.x0, r.y0 + 4}, r.width(), v.explanation, t.text, Font::body) + 8;
    const CodeRow& row = *result.result;
    const CellGeometry g =
        fit_cells(r.width() * 0.62F, 30, exponent_bits(row.format), fraction_bits(row.format));
    const Rect line = r.take_top(g.height + 6);
    draw_code(ui, g, {line.x0, line.y0}, row, t.focus, make_id("result"));
    const float x = line.x0 + g.width() + 16;
    c.text_mid({x, line.y0 + g.height / 2},
               elided(c.fonts(), Font::mono_large, "= " + row.number.display, line.x1 - x), t.text,
               Font::mono_large);
  }

  /// The number in every format.
  static void formats(SceneFrame& frame, const BitsState& state, BitsState& next,
                      const Rect& area) {
    Ui& ui = frame.ui;
    frame.panels["formats"] = area;
    Rect r = panel(ui, area);
    ui.canvas.push_clip(area);
    heading(ui, r, text("bits.in_formats"));
    r.take_top(2);
    for (std::size_t i = 0; i < frame.document.bits().in_formats.size(); ++i) {
      const InputNumber& entry = frame.document.bits().in_formats[i];
      if (r.height() < 52) break;
      const Rect row = r.take_top(52);
      const bool here = entry.number.format_name == state.format;
      const Response response = ui.region(make_id("format.row", i), row);
      if (here || response.hovered) ui.canvas.fill(row, ui.theme.raised, 5);
      ui.focus_ring(make_id("format.row", i), row, 5);
      if (response.clicked && !here) next = change_format(state, entry.number.format_name);
      const Rect in = row.inset(8, 5);
      ui.canvas.text({in.x0, in.y0}, entry.number.format_name, here ? ui.theme.text : ui.theme.dim,
                     Font::strong);
      const float code_w = ui.canvas.width(entry.number.code_text, Font::mono_small);
      ui.canvas.text({in.x1, in.y0 + 2}, entry.number.code_text, ui.theme.dim, Font::mono_small,
                     Align::right);
      ui.canvas.text_within({in.x0 + 56, in.y0 + 1}, in.width() - 64 - code_w, entry.number.display,
                            ui.theme.text, Font::mono);
      const auto& rows = frame.document.bits().rows;
      const bool was_finite = state.selected < rows.size() && rows[state.selected].number.finite();
      const std::string error =
          was_finite && !entry.number.finite() ? text("bits.too_large", entry.number.display)
          : entry.input.rounded && !entry.input.error_short.empty()
              ? text("bits.error", entry.input.error_short, entry.input.error_ulp)
              : text("bits.exactly");
      ui.canvas.text_within({in.x0 + 56, in.y0 + 22}, in.width() - 56, error, ui.theme.faint,
                            Font::small);
    }
    ui.canvas.pop_clip();
  }

  std::string gesture_;
};

}  // namespace

std::unique_ptr<SceneView> make_bits_scene() {
  return std::make_unique<BitsScene>();
}

}  // namespace whybits::viz
