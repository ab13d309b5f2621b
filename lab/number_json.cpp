#include "lab/number_json.hpp"

namespace whybits {

using nlohmann::ordered_json;

namespace {

/// null for what an infinity or NaN does not have.
ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json flags_json(const Flags& flags) {
  return {{"invalid", flags.invalid},
          {"divide_by_zero", flags.divide_by_zero},
          {"overflow", flags.overflow},
          {"underflow", flags.underflow},
          {"inexact", flags.inexact}};
}

ordered_json neighbour_json(const std::optional<NeighbourView>& view) {
  if (!view) return nullptr;
  return {{"code", view->code},
          {"shortest", view->shortest},
          {"distance", text_or_null(view->distance)}};
}

}  // namespace

ordered_json to_json(const NumberView& number) {
  ordered_json json = {{"format", number.format_name},
                       {"code", number.code_text},
                       {"sign", number.sign_bits},
                       {"exponent", number.exponent_bits},
                       {"fraction", number.fraction_bits},
                       {"class", number.class_name},
                       {"shortest", number.shortest},
                       {"hex", number.hex_float},
                       {"exact", text_or_null(number.exact)},
                       {"ulp", text_or_null(number.ulp)}};
  json["ulp_exponent"] =
      number.finite() ? ordered_json(number.ulp_exponent) : ordered_json(nullptr);
  json["below"] = neighbour_json(number.below);
  json["above"] = neighbour_json(number.above);
  return json;
}

ordered_json to_json(const InputNumber& entry) {
  ordered_json json = to_json(entry.number);
  json["input"] = {{"text", entry.input.text},
                   {"rounded", entry.input.rounded},
                   {"rounding", rounding_name(entry.input.rounding)},
                   {"tie", entry.input.tie},
                   {"flags", flags_json(entry.input.flags)},
                   {"replaced", entry.input.replaced},
                   {"error", text_or_null(entry.input.error)},
                   {"error_ulp", text_or_null(entry.input.error_ulp)}};
  return json;
}

ordered_json to_json(const OperationView& view) {
  ordered_json json = {{"operation", operation_name(view.operation)},
                       {"rounding", rounding_name(view.rounding)}};
  json["operands"] = ordered_json::array();
  for (const InputNumber& operand : view.operands) json["operands"].push_back(to_json(operand));
  json["result"] = to_json(view.result);
  json["exact"] = {{"decimal", text_or_null(view.exact)}, {"all_digits", view.exact_ends}};
  json["step"] = nullptr;
  if (view.rounded)
    json["step"] = {{"kept", view.step.kept},
                    {"exponent", view.step.exponent},
                    {"guard", view.step.guard ? 1 : 0},
                    {"round", view.step.round ? 1 : 0},
                    {"sticky", view.step.sticky ? 1 : 0},
                    {"incremented", view.step.incremented},
                    {"inner", view.step.inner},
                    {"outer", view.step.outer}};
  json["flags"] = flags_json(view.flags);
  json["error"] = {{"decimal", text_or_null(view.error)},
                   {"all_digits", view.error_ends},
                   {"ulp", text_or_null(view.error_ulp)}};
  json["explanation"] = view.explanation;
  return json;
}

}  // namespace whybits
