// The text and JSON forms of input specifications.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/inputs.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

using nlohmann::json;

constexpr std::string_view forms =
    "uniform:S, wide:S, outliers:S, bits:S, ones, linspace:A:B, hex:3f80,4000, npy:FILE, "
    "safetensors:FILE#NAME, {\"base64\": \"…\"}, {\"file\": \"PATH\"}";

[[noreturn]] void fail(std::string_view spec, const std::string& why) {
  // A long hex list would bury the message.
  const std::string shown =
      spec.size() <= 60 ? std::string(spec) : std::string(spec.substr(0, 57)) + "...";
  throw UsageError(fmt::format("input '{}': {}", shown, why), fmt::format("allowed: {}", forms));
}

/// The whole of `text` as a number, or a UsageError that says what was expected.
template <typename Number, typename... Base>
Number parse_number(std::string_view spec, std::string_view text, const std::string& expected,
                    Base... base) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base...);
  if (error != std::errc{} || stop != end || text.empty())
    fail(spec, fmt::format("'{}' is not {}", text, expected));
  return value;
}

std::uint64_t parse_stream(std::string_view spec, std::string_view text) {
  return parse_number<std::uint64_t>(spec, text, "a stream number from 0 to 2^64 - 1");
}

LinspaceInput parse_linspace(std::string_view spec, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) fail(spec, "two numbers needed, linspace:A:B");
  LinspaceInput input;
  input.first = parse_number<double>(spec, text.substr(0, colon), "a number");
  input.last = parse_number<double>(spec, text.substr(colon + 1), "a number");
  if (!std::isfinite(input.last - input.first))
    fail(spec, "both ends and their distance must be finite");
  return input;
}

HexInput parse_hex(std::string_view spec, std::string_view text) {
  HexInput input;
  const auto is_separator = [](char c) { return c == ',' || c == ' '; };
  for (std::size_t i = 0; i < text.size();) {
    if (is_separator(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !is_separator(text[end])) ++end;
    std::string_view word = text.substr(i, end - i);
    if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
    input.words.push_back(
        parse_number<Bits>(spec, word, "a hexadecimal word of at most 64 bits", 16));
    i = end;
  }
  return input;
}

SafetensorsInput parse_safetensors(std::string_view spec, std::string_view text) {
  const auto hash = text.rfind('#');
  if (hash == std::string_view::npos || hash == 0 || hash + 1 == text.size())
    fail(spec, "a file and a tensor needed, safetensors:FILE#NAME");
  return {std::string(text.substr(0, hash)), std::string(text.substr(hash + 1))};
}

/// `streams` + 64-bit text forms, shared by the command line and recordings.
InputSpec parse_text(std::string_view spec) {
  if (spec == "ones") return OnesInput{};
  const auto colon = spec.find(':');
  if (colon == std::string_view::npos) fail(spec, "not an input form");
  const std::string_view form = spec.substr(0, colon);
  const std::string_view rest = spec.substr(colon + 1);
  if (form == "uniform") return UniformInput{parse_stream(spec, rest)};
  if (form == "wide") return WideInput{parse_stream(spec, rest)};
  if (form == "outliers") return OutliersInput{parse_stream(spec, rest)};
  if (form == "bits") return BitsInput{parse_stream(spec, rest)};
  if (form == "linspace") return parse_linspace(spec, rest);
  if (form == "hex") return parse_hex(spec, rest);
  if (form == "safetensors") return parse_safetensors(spec, rest);
  if (form == "npy") {
    if (rest.empty()) fail(spec, "a file needed, npy:FILE");
    return NpyInput{std::string(rest)};
  }
  fail(spec, fmt::format("form '{}' is not known", form));
}

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

InputSpec parse_input_spec(std::string_view text) {
  if (text.starts_with('{'))
    return input_spec_from_json(
        parse_strict_json(text, "input", JsonLimits{.depth = 2, .values = 16}));
  return parse_text(text);
}

InputSpec input_spec_from_json(const json& value) {
  if (value.is_string()) return parse_text(value.get_ref<const std::string&>());
  if (value.is_object() && value.size() == 1) {
    const auto entry = value.begin();
    if (entry.value().is_string()) {
      const auto& text = entry.value().get_ref<const std::string&>();
      if (entry.key() == "base64") return Base64Input{text};
      if (entry.key() == "file") return FileInput{text};
    }
  }
  fail(value.dump(), "an object must be {\"base64\": \"…\"} or {\"file\": \"PATH\"}");
}

json input_spec_to_json(const InputSpec& spec) {
  if (const auto* input = std::get_if<Base64Input>(&spec)) return {{"base64", input->text}};
  if (const auto* input = std::get_if<FileInput>(&spec)) return {{"file", input->path}};
  return input_spec_text(spec);
}

std::string input_spec_text(const InputSpec& spec) {
  return std::visit(
      Overloaded{
          [](const UniformInput& in) { return fmt::format("uniform:{}", in.stream); },
          [](const WideInput& in) { return fmt::format("wide:{}", in.stream); },
          [](const OutliersInput& in) { return fmt::format("outliers:{}", in.stream); },
          [](const BitsInput& in) { return fmt::format("bits:{}", in.stream); },
          [](const OnesInput&) { return std::string("ones"); },
          // {} prints the shortest decimal that reads back as the same double.
          [](const LinspaceInput& in) { return fmt::format("linspace:{}:{}", in.first, in.last); },
          [](const HexInput& in) {
            std::string text = "hex:";
            for (const Bits word : in.words)
              text += fmt::format("{}{:x}", text.back() == ':' ? "" : ",", word);
            return text;
          },
          [](const NpyInput& in) { return "npy:" + in.path; },
          [](const SafetensorsInput& in) { return "safetensors:" + in.path + "#" + in.tensor; },
          [&](const auto&) { return input_spec_to_json(spec).dump(); }},
      spec);
}

InputSpec input_spec_for_rank(const InputSpec& spec, std::uint64_t rank) {
  return std::visit(
      [&](auto input) -> InputSpec {
        if constexpr (requires { input.stream; }) input.stream += rank;
        return input;
      },
      spec);
}

}  // namespace whybits
