// Reading atlas files: lines "# name: value", a line of column names, then rows; cells are
// separated by tabs, "-" is an empty cell.
#include <algorithm>
#include <array>
#include <charconv>

#include "sim/libraries/cublaslt/atlas.hpp"
#include "sim/notation.hpp"

namespace whybits::cublaslt {
namespace {

constexpr std::string_view first_line = "# cuBLASLt choice atlas, version 1";
constexpr std::size_t key_cells = 4, range_cells = 2, field_cells = algorithm_fields.size();
constexpr std::size_t all_cells = key_cells + range_cells + field_cells + 2;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A line of a file; every complaint names it.
class Line {
 public:
  Line(std::string_view name, std::size_t number) : name_(name), number_(number) {}
  [[noreturn]] void fail(const std::string& what) const {
    throw AtlasError(std::string(name_) + ": line " + std::to_string(number_) + ": " + what);
  }
  std::uint64_t number(std::string_view cell, std::string_view column) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
      fail(std::string(column) + " '" + std::string(cell) + "' is no number");
    return value;
  }

 private:
  std::string_view name_;
  std::size_t number_;
};

AtlasKey read_key(const Line& line, std::span<const std::string_view> cells) {
  AtlasKey key{line.number(cells[0], "n"), line.number(cells[1], "k"), {}, {}};
  const auto layout = std::ranges::find(layout_names, cells[2]);
  if (layout == layout_names.end())
    line.fail("layout '" + std::string(cells[2]) + "' is neither NN nor TN");
  key.storage_b = static_cast<StorageB>(layout - layout_names.begin());
  const auto types = find_type_kind(cells[3]);
  if (!types) line.fail("types '" + std::string(cells[3]) + "' are not known");
  key.types = *types;
  return key;
}

std::optional<Algorithm> read_fields(const Line& line, std::span<const std::string_view> cells) {
  if (std::ranges::count(cells, "-") == static_cast<std::ptrdiff_t>(cells.size()))
    return std::nullopt;
  Algorithm algorithm;
  for (std::size_t i = 0; i < field_cells; ++i) {
    const auto& [name, field] = algorithm_fields[i];
    if (field == &Algorithm::split_k && cells[i] == "-1") {
      algorithm.split_k = decided_by_kernel;
      continue;
    }
    const std::uint64_t value = line.number(cells[i], name);
    if (value > decided_by_kernel) line.fail(std::string(name) + " is too large");
    algorithm.*field = static_cast<std::uint32_t>(value);
  }
  return algorithm;
}

SchemaPtr read_topology(const Line& line, std::string_view cell) {
  if (cell == "-") return nullptr;
  try {
    return parse_topology(cell);
  } catch (const NotationError& error) {
    line.fail(std::string("topology: ") + error.what());
  }
}

void read_header(AtlasFile& file, std::string_view text) {
  const std::pair<std::string_view, std::string AtlasFile::*> names[] = {
      {"device", &AtlasFile::device},
      {"capability", &AtlasFile::capability},
      {"library", &AtlasFile::library},
      {"settings", &AtlasFile::settings}};
  for (const auto& [name, member] : names)
    if (const std::string start = "# " + std::string(name) + ": "; text.starts_with(start))
      file.*member = text.substr(start.size());
}

std::string column_names() {
  std::string names = "n\tk\tlayout\ttypes\tfirst_m\tlast_m";
  for (const FieldName& field : algorithm_fields) names += '\t' + std::string(field.name);
  return names + "\ttopology\tevidence";
}

}  // namespace

void Atlas::add(std::string_view name, std::string_view text) {
  AtlasFile file{
      .name = std::string(name), .device = {}, .capability = {}, .library = {}, .settings = {}};
  const std::string columns = column_names();
  bool in_rows = false;
  std::size_t number = 0;
  std::vector<std::pair<AtlasKey, Choice>> rows;
  for (const std::string_view content : split(text, '\n')) {
    const Line line(name, ++number);
    if (number == 1 && content != first_line)
      line.fail("must be '" + std::string(first_line) + "'");
    if (content.empty() || content.starts_with('#')) {
      read_header(file, content);
      continue;
    }
    if (!in_rows) {
      if (content != columns) line.fail("columns must be " + columns);
      in_rows = true;
      continue;
    }
    const std::vector<std::string_view> cells = split(content, '\t');
    if (cells.size() != all_cells)
      line.fail(std::to_string(cells.size()) + " cells, not " + std::to_string(all_cells));
    const std::span all(cells);
    Choice choice;
    choice.first_m = line.number(cells[key_cells], "first_m");
    choice.last_m = line.number(cells[key_cells + 1], "last_m");
    if (choice.first_m == 0 || choice.last_m < choice.first_m)
      line.fail("batch sizes must ascend from 1");
    choice.algorithm = read_fields(line, all.subspan(key_cells + range_cells, field_cells));
    choice.measured = read_topology(line, cells[all_cells - 2]);
    if (!choice.algorithm && !choice.measured) line.fail("needs the reported fields or a topology");
    choice.evidence = cells[all_cells - 1];
    choice.file = files_.size();
    rows.emplace_back(read_key(line, all), std::move(choice));
  }
  if (file.library.empty() || file.capability.empty())
    throw AtlasError(file.name + ": must say '# library:' and '# capability:'");
  files_.push_back(std::move(file));
  for (auto& [key, choice] : rows) {
    std::vector<Choice>& list = entry(key).choices;
    const auto place = std::ranges::upper_bound(list, choice.first_m, {}, &Choice::first_m);
    const bool before = place != list.begin() && std::prev(place)->last_m >= choice.first_m;
    const bool behind = place != list.end() && choice.last_m >= place->first_m;
    if (before || behind)
      throw AtlasError(std::string(name) + ": two rows cover m " + std::to_string(choice.first_m) +
                       " of " + text_of(key));
    list.insert(place, std::move(choice));
  }
}

}  // namespace whybits::cublaslt
