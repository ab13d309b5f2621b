#include "lab/commands/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most_indices = std::uint64_t{1} << 26;

std::uint64_t index(const std::string& option, std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || value > most)
    throw UsageError(fmt::format("{}: '{}' is not an index from 0 to {}", option, text, most),
                     "write indices and half-open ranges, as in 0,5,7..9");
  return value;
}

}  // namespace

Format format_option(const std::string& option, const std::string& text) {
  if (const auto format = parse_format(text)) return *format;
  std::vector<std::string> names;
  for (const NamedFormat& f : named_formats()) names.emplace_back(f.name);
  const auto near = nearest_name(text, names);
  throw UsageError(
      fmt::format("{}: unknown format '{}'{}", option, text,
                  near ? "; did you mean " + *near + "?" : ""),
      fmt::format("formats: {}, or eXmY with 2 ≤ X ≤ 11 and 1 ≤ Y ≤ 52", fmt::join(names, " ")));
}

Rounding rounding_option(const std::string& option, const std::string& text) {
  if (const auto rounding = parse_rounding(text)) return *rounding;
  std::vector<std::string> names;
  for (const Rounding rounding : all_roundings) names.emplace_back(rounding_name(rounding));
  const auto near = nearest_name(text, names);
  throw UsageError(
      fmt::format("{}: unknown rounding '{}'{}", option, text,
                  near ? "; did you mean " + *near + "?" : ""),
      fmt::format("roundings: {} (short: rne rna rz ru rd ro)", fmt::join(names, " ")));
}

SchemaPtr topology_option(const std::string& option, const std::string& text) {
  try {
    auto parsed = parse_notation(text);
    if (const auto* schema = std::get_if<SchemaPtr>(&parsed)) return *schema;
  } catch (const NotationError& error) {
    throw UsageError(option + " cannot be read\n" + error.pointed(), "see docs/notation.md");
  }
  throw UsageError(
      option +
      ": a map gives regions of an output their topologies; this command takes one topology");
}

std::vector<SchemaPtr> topology_options(const std::string& topology,
                                        const std::vector<std::string>& vs) {
  constexpr std::size_t letters = 26;
  if (vs.size() >= letters)
    throw UsageError(fmt::format("--vs: {} topologies are more than A to Z", vs.size() + 1),
                     "compare at most 26 at once");
  std::vector<SchemaPtr> all{topology_option("--topology", topology)};
  for (const std::string& text : vs) all.push_back(topology_option("--vs", text));
  return all;
}

std::optional<Conversion> leaf_option(const std::string& text) {
  if (text == "product") return std::nullopt;
  constexpr std::string_view rounded = "product >";
  if (text.substr(0, rounded.size()) == rounded) {
    try {
      return parse_conversion(std::string_view(text).substr(rounded.size()));
    } catch (const NotationError& error) {
      throw UsageError("--leaf cannot be read\n" + error.pointed());
    }
  }
  throw UsageError("--leaf: '" + text + "' is not a leaf",
                   "write product, or 'product > f32' with a format");
}

std::vector<std::uint64_t> index_list_option(const std::string& option, const std::string& text,
                                             std::uint64_t size) {
  std::vector<std::uint64_t> list;
  const auto push = [&](std::uint64_t begin, std::uint64_t end) {
    if (end - begin > most_indices - list.size())
      throw UsageError(fmt::format("{}: more than {} indices", option, most_indices),
                       "choose fewer with " + option);
    for (std::uint64_t i = begin; i < end; ++i) list.push_back(i);
  };
  if (text.empty()) {
    push(0, size);
    return list;
  }
  if (size == 0) throw UsageError(option + ": there is nothing to choose from");
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) {
      const std::uint64_t i = index(option, part, size - 1);
      push(i, i + 1);
    } else {
      const std::uint64_t begin = index(option, part.substr(0, dots), size - 1);
      const std::uint64_t end = index(option, part.substr(dots + 2), size);
      if (end <= begin)
        throw UsageError(fmt::format("{}: '{}' is an empty range", option, part),
                         "a..b begins at a and ends before b");
      push(begin, end);
    }
    if (comma == std::string_view::npos) return list;
    rest = rest.substr(comma + 1);
  }
}

std::uint64_t checked_product(const std::string& what, std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (__builtin_mul_overflow(a, b, &product) || product > most)
    throw UsageError(fmt::format("{}: {} × {} elements are more than 2^62", what, a, b));
  return product;
}

}  // namespace whybits
