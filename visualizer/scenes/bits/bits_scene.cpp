// The Bits scene on screen: numbers whose bits can be turned over, an operation taken apart.
#include <array>

#include "visualizer/app/application.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/reason_text.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/code_cells.hpp"
#include "visualizer/views/number_line.hpp"
#include "visualizer/views/pair_frame.hpp"
#include "visualizer/views/pair_scene.hpp"
#include "visualizer/views/step_grid.hpp"

namespace whybits::viz {
namespace {

std::string symbol(Arithmetic operation) {
  switch (operation) {
    case Arithmetic::add:
      return "+";
    case Arithmetic::sub:
      return "−";
    case Arithmetic::mul:
      return "×";
    case Arithmetic::div:
      return "÷";
    case Arithmetic::sqrt:
      return "√";
    case Arithmetic::convert:
      return "→";
    case Arithmetic::fma:
      break;
  }
  return std::string(operation_name(operation));
}

std::vector<std::string> symbols_of(const std::vector<std::string>& operations) {
  std::vector<std::string> out;
  for (const std::string& name : operations) {
    const std::optional<Arithmetic> operation = operation_named(name);
    out.push_back(operation ? symbol(*operation) : text("bits.number"));
  }
  return out;
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const NamedFormat& named : named_formats()) out.emplace_back(named.name);
  return out;
}

std::vector<std::string> rounding_names() {
  std::vector<std::string> out;
  for (const Rounding rounding : all_roundings) out.emplace_back(rounding_name(rounding));
  return out;
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
    PairScene::guidance(frame, left, false);
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
    static const std::vector<std::string> operations = operation_choices();
    const std::vector<std::string> symbols = symbols_of(operations);
    static const std::vector<std::string> formats = format_names();
    static const std::vector<std::string> roundings = rounding_names();
    std::vector<std::string> rounding_labels;
    for (const std::string& name : roundings) rounding_labels.push_back(text("rounding." + name));
    if (const auto name = chosen(ui, "operation", r, operations, symbols, state.operation, 4))
      next = change_operation(state, *name);
    r.take_top(10);
    column_title(ui, r, text("bits.format"), "format");
    if (const auto name = chosen(ui, "format", r, formats, formats, state.format, 4))
      next = change_format(state, *name);
    if (state.operation == operation_name(Arithmetic::convert)) {
      r.take_top(10);
      column_title(ui, r, text("bits.to"), "format");
      const auto name = chosen(ui, "to", r, formats, formats, state.result_format, 4);
      if (name && next.operation == state.operation) next.result_format = *name;
    }
    r.take_top(10);
    column_title(ui, r, text("bits.rounding"), "rounding");
    if (const auto name = chosen(ui, "rounding", r, roundings, rounding_labels, state.rounding, 2))
      next.rounding = *name;
    static constexpr std::array commands{"copy_command", "save",    "open",
                                         "recordings",   "palette", "help"};
    go_on(frame, r, commands);
    ui.canvas.pop_clip();
  }

  /// A grid of buttons, lettered with labels, of which one is chosen. Returns the name that was
  /// pressed, if it is another one.
  static std::optional<std::string> chosen(Ui& ui, std::string_view what, Rect& r,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string>& labels,
                                           const std::string& now, std::size_t columns) {
    std::optional<std::string> pressed;
    const float w = (r.width() - 4 * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t column = i % columns;
      if (column == 0 && i > 0) r.take_top(32);
      const float x = r.x0 + (w + 4) * static_cast<float>(column);
      const Rect cell{x, r.y0, x + w, r.y0 + 28};
      const Id id = make_id(what, i);
      const Response response = ui.region(id, cell);
      const bool on = names[i] == now;
      ui.canvas.fill(cell, on ? ui.theme.raised : ui.theme.field, 5);
      ui.canvas.outline(cell, on ? ui.theme.focus : ui.theme.line, 5, on ? 2.F : 1.F);
      ui.canvas.text_mid(cell.center(), elided(ui.canvas.fonts(), Font::small, labels[i], w - 6),
                         on || response.hovered ? ui.theme.text : ui.theme.dim, Font::small,
                         Align::center);
      ui.focus_ring(id, cell, 5);
      if (response.clicked && !on) pressed = names[i];
    }
    r.take_top(32);
    return pressed;
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
    if (result.line && r.height() > number_line_height(ui, *result.line, r.width()) + 40) {
      r.take_top(12);
      ui.canvas.text({r.x0, r.y0}, text("bits.line"), ui.theme.text, Font::strong);
      r.take_top(26);
      draw_number_line(ui, *result.line,
                       r.take_top(number_line_height(ui, *result.line, r.width())));
    }
    if (!result.places.empty()) places(ui, result, r);
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
          fit_cells(in.width(), 46, row.format.exponent_bits, row.format.fraction_bits);
      const auto bit = draw_code(ui, g, {in.x0, in.y0}, row, ui.theme.focus, make_id("bit", i),
                                 selected ? state.bit : std::nullopt, true);
      if (bit) {
        next = flip_bit(mine, *bit);
        next.bit = bit;
      }
      in.take_top(g.height + 6);
      std::string about = text("class." + row.number.class_name);
      if (row.number.finite())
        about += "   ·   " +
                 text("bits.about", row.number.hex_float, power_text(row.number.ulp_exponent));
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
        c.text_mid(cell.center(), one ? "1" : "0", one ? t.text : t.dim, Font::mono_bold,
                   Align::center);
        ui.term(cell, name);
        x += 25;
      }
      c.text_mid({x + 8, line.center().y},
                 "· " + power_text(v.step.exponent) + "     " + text("bits.grs_legend"), t.dim,
                 Font::small);
    }
    r.y0 = c.paragraph({r.x0, r.y0 + 4}, r.width(), reason_text(v), t.text, Font::body) + 8;
    const CodeRow& row = *result.result;
    const CellGeometry g =
        fit_cells(r.width() * 0.62F, 30, row.format.exponent_bits, row.format.fraction_bits);
    const Rect line = r.take_top(g.height + 6);
    draw_code(ui, g, {line.x0, line.y0}, row, t.focus, make_id("result"));
    const float x = line.x0 + g.width() + 16;
    c.text_mid({x, line.y0 + g.height / 2},
               elided(c.fonts(), Font::mono_large, "= " + row.number.display, line.x1 - x), t.text,
               Font::mono_large);
  }

  /// The ones of the significand as a sum of powers of two, as many as there is room for.
  static void places(Ui& ui, const BitsResult& result, Rect& r) {
    constexpr float pitch = 24;
    constexpr float head = 14 + 26 + 24;
    Canvas& c = ui.canvas;
    const Theme& t = ui.theme;
    const auto room = static_cast<std::size_t>(std::max(0.F, (r.height() - head) / pitch));
    const std::size_t count = result.places.size();
    const std::size_t shown = count <= room ? count : std::max<std::size_t>(room, 1) - 1;
    if (shown == 0) return;
    r.take_top(14);
    const Rect title = r.take_top(26);
    c.text({title.x0, title.y0}, text("bits.places"), t.text, Font::strong);
    const float value_x = r.x0 + 110, sum_x = r.x0 + std::max(360.F, r.width() * 0.5F);
    const Rect names = r.take_top(24);
    c.text({value_x, names.y0}, text("bits.worth"), t.dim, Font::small);
    c.text_within({sum_x, names.y0}, r.x1 - sum_x, text("bits.so_far"), t.dim, Font::small);
    const NumberView& number = result.rows[0].number;
    const bool stored = unpack(number.format, number.code).cls == FpClass::subnormal;
    for (std::size_t i = 0; i < shown; ++i) {
      const PlaceValue& place = result.places[i];
      const Rect row = r.take_top(pitch);
      c.text({row.x0, row.y0}, power_text(place.exponent), t.text, Font::mono);
      c.text_within({value_x, row.y0}, sum_x - value_x - 12, place.value, t.text, Font::mono);
      const float end =
          c.text_within({sum_x, row.y0}, row.x1 - sum_x, place.so_far, t.dim, Font::mono) + 16;
      if (i == 0 && !stored)
        c.text_within({end, row.y0 + 1}, row.x1 - end, text("bits.implied"), t.dim, Font::small);
    }
    if (shown < count)
      c.text({r.x0, r.y0}, text("bits.more_ones", std::to_string(count - shown)), t.dim,
             Font::small);
  }

  static std::string operand_label(const BitsState& state, const BitsResult& result) {
    return state.selected < result.operands.size() ? result.operands[state.selected].input.label
                                                   : std::string();
  }

  /// The selected number in every format.
  static void formats(SceneFrame& frame, const BitsState& state, BitsState& next,
                      const Rect& area) {
    Ui& ui = frame.ui;
    frame.panels["formats"] = area;
    Rect r = panel(ui, area);
    ui.canvas.push_clip(area);
    heading(ui, r, text("bits.in_formats", operand_label(state, frame.document.bits())));
    r.take_top(2);
    constexpr float least = 52;
    constexpr float most = 84;
    constexpr float code_height = 14;
    const auto count = static_cast<float>(frame.document.bits().in_formats.size());
    const float pitch = std::clamp(r.height() / std::max(1.F, count), least, most);
    for (std::size_t i = 0; i < frame.document.bits().in_formats.size(); ++i) {
      const InputNumber& entry = frame.document.bits().in_formats[i];
      if (r.height() < least) break;
      Rect row = r.take_top(pitch);
      row.y1 = row.y0 + std::min(pitch, least + code_height + 8);
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
          was_finite && (!entry.number.finite() || entry.input.flags.overflow)
              ? text("bits.too_large", entry.number.display)
          : entry.input.rounded && !entry.input.error_short.empty()
              ? text("bits.error", entry.input.error_short, entry.input.error_ulp)
              : text("bits.exactly");
      ui.canvas.text_within({in.x0 + 56, in.y0 + 22}, in.width() - 56, error, ui.theme.dim,
                            Font::small);
      if (row.height() < least + code_height) continue;
      const CodeRow code = code_row(entry.number.format, entry.number.code);
      const CellGeometry g = fit_cells(in.width() - 56, code_height, code.format.exponent_bits,
                                       code.format.fraction_bits);
      draw_code(ui, g, {in.x0 + 56, in.y0 + 44}, code, ui.theme.focus, make_id("format.bits", i));
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
