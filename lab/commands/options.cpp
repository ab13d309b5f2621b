#include "lab/commands/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "lab/memory_limit.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"

namespace whybits {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

namespace {

std::uint64_t index(const std::string& option, std::string_view text, std::uint64_t most) {
  const std::optional<std::uint64_t> value = whole_number(text);
  if (!value || *value > most)
    throw UsageError(fmt::format("{}: '{}' is not an index from 0 to {}", option, text, most),
                     "write indices and half-open ranges, as in 0,5,7..9");
  return *value;
}

void refuse_repeats(const std::string& option, std::vector<std::uint64_t> list) {
  std::sort(list.begin(), list.end());
  const auto twice = std::adjacent_find(list.begin(), list.end());
  if (twice != list.end())
    throw UsageError(fmt::format("{}: {} is chosen twice", option, *twice),
                     "name each index once; ranges must not overlap");
}

}  // namespace

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

std::uint64_t index_option(const std::string& option, std::string_view text, std::uint64_t size) {
  const std::optional<std::uint64_t> value = whole_number(text);
  if (value && *value < size) return *value;
  throw UsageError(fmt::format("{}: '{}' is not {}", option, text,
                               size == 0 ? "possible: there is nothing to choose from"
                                         : fmt::format("an index from 0 to {}", size - 1)));
}

std::pair<std::uint64_t, std::uint64_t> range_option(const std::string& option,
                                                     const std::string& text) {
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos) {
    const std::uint64_t first = index_option(option, text.substr(0, dots), most + 1);
    const std::uint64_t last = index_option(option, text.substr(dots + 2), most + 1);
    if (first > 0 && first <= last) return {first, last};
  }
  throw UsageError(fmt::format("{}: '{}' is not a range from at least 1 up", option, text),
                   "write FIRST..LAST, as in 1..256");
}

std::vector<std::uint64_t> index_list_option(const std::string& option, const std::string& text,
                                             std::uint64_t size) {
  std::vector<std::uint64_t> list;
  const auto push = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t count = list.size() + (end - begin);
    require_memory(fmt::format("{}: a list of {} indices", option, count),
                   saturating_product(count, 2 * sizeof(std::uint64_t)),
                   "choose fewer with " + option);
    for (std::uint64_t i = begin; i < end; ++i) list.push_back(i);
  };
  if (text.empty()) {
    push(0, size);
    return list;
  }
  if (size == 0) throw UsageError(option + ": there is nothing to choose from");
  std::string_view rest = text;
  for (bool more = true; more;) {
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
    more = comma != std::string_view::npos;
    if (more) rest = rest.substr(comma + 1);
  }
  refuse_repeats(option, list);
  return list;
}

CommandOption add_count_option(Command command, const std::string& name, std::uint64_t& value,
                               std::uint64_t most, const std::string& description) {
  const auto read = [&value, name, most](const std::string& text) {
    const std::optional<std::uint64_t> number = whole_number(text);
    if (!number || *number > most)
      throw UsageError(fmt::format("{}: '{}' is not a whole number from 0 to {}", name, text, most),
                       "write it in decimal digits");
    value = *number;
  };
  return command.add_read_option(name, read, description)->type_name("N");
}

void require_runnable(const std::vector<SchemaPtr>& topologies, std::uint64_t n,
                      const LeafTypes& types, const std::string& operands) {
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    try {
      make_reduction(topologies[i], n, types);
    } catch (const TopologyError& error) {
      const std::string message = error.what();
      throw UsageError(fmt::format("{} '{}': {}", i == 0 ? "--topology" : "--vs",
                                   print(*topologies[i]), message),
                       message.find("no operand") == std::string::npos ? "" : operands);
    }
  }
}

}  // namespace whybits
