#include <bit>
#include <charconv>

#include "sim/arith.hpp"
#include "sim/notation.hpp"
#include "sim/recipe.hpp"

namespace whybits {
namespace {

std::string comma_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The shortest decimal that reads back as the value, and the code: "0.125 (f32 0x3e000000)".
std::string number(const Scalar& value) {
  char decimal[40];
  const bool narrow = widens_exactly(value.format, formats::f32);
  const Format wide = narrow ? formats::f32 : formats::f64;
  const Bits code = convert(value.format, wide, value.code);
  char* const end = decimal + sizeof decimal;
  const auto written =
      narrow ? std::to_chars(decimal, end, std::bit_cast<float>(static_cast<std::uint32_t>(code)))
             : std::to_chars(decimal, end, std::bit_cast<double>(code));
  constexpr const char* digits = "0123456789abcdef";
  std::string hex;
  for (int shift = (value.format.code_bits() - 1) / 4 * 4; shift >= 0; shift -= 4)
    hex += digits[value.code >> shift & 15];
  return std::string(decimal, written.ptr) + " (" + format_name(value.format) + " 0x" + hex + ")";
}

struct RecipePrinter {
  std::string indent;

  std::string of(const Recipe& recipe) const {
    std::string text = indent + "inputs " + comma_list(recipe.inputs) + "\n";
    for (const RecipeStep& step : recipe.steps)
      text += indent + comma_list(step.names) + " = " + std::visit(*this, step.work) + "\n";
    return text + indent + "outputs " + comma_list(recipe.outputs) + "\n";
  }

  std::string operator()(const Constant& step) const { return number(step.value); }
  std::string operator()(const Map& step) const {
    return step.operation.name + "(" + comma_list(step.operands) + ")";
  }

  std::string operator()(const Reduce& step) const {
    std::string text = "reduce " + leaves(step);
    if (!step.c.empty()) text += " from " + step.c;
    for (const Reduce::Operand& operand : step.operands)
      text += ", " + operand.name + "=" + operand.tensor;
    return text + " by " + by(step.by);
  }

  std::string operator()(const Scan& step) const {
    std::string text = "scan blocks of " + std::to_string(step.block);
    if (step.descending) text += ", last first";
    for (const Scan::Block& block : step.blocks)
      text += ", " + block.name + " = " + (block.axis == Along::rows ? "rows of " : "columns of ") +
              block.tensor;
    for (const Scan::Whole& whole : step.whole)
      if (whole.name != whole.tensor) text += ", " + whole.name + " = " + whole.tensor;
    for (const Scan::State& state : step.state)
      text += ", " + state.name + " from " + state.initial;
    if (!step.body) return text;
    text += "\n" + RecipePrinter{indent + "  "}.of(*step.body);
    text.pop_back();
    return text;
  }

 private:
  static std::string leaves(const Reduce& step) {
    std::string text = step.a;
    switch (step.along) {
      case Along::columns:
      case Along::rows:
        if (!step.b.empty()) text += "*" + step.b;
        break;
      case Along::matrix:
        text += " @ " + step.b;
        break;
      case Along::matrix_transposed:
        text += " @ " + step.b + "^T";
        break;
    }
    if (step.product) text = "(" + text + " > " + conversion_name(*step.product) + ")";
    if (step.along == Along::columns) text = "columns of " + text;
    if (step.along == Along::rows) text = "rows of " + text;
    return text;
  }

  static std::string by(const ReduceBy& by) {
    if (const auto* topology = std::get_if<SchemaPtr>(&by))
      return *topology ? print(**topology) : "nothing";
    if (const auto* map = std::get_if<TopologyMap>(&by)) return print(*map);
    return std::get<MapOperation>(by).name;
  }
};

}  // namespace

std::string print(const Recipe& recipe) {
  return RecipePrinter{}.of(recipe);
}

}  // namespace whybits
