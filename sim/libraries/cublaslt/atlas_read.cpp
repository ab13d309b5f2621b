// Adding files to the atlas. Scans: atlas_scan.hpp. Points are a table: lines "# name: value", a
// line of column names, then rows; cells are separated by tabs, "-" is an empty cell.
#include <algorithm>

#include "sim/libraries/cublaslt/atlas_line.hpp"
#include "sim/libraries/cublaslt/atlas_scan.hpp"
#include "sim/notation.hpp"

namespace whybits::cublaslt {
namespace {

constexpr std::string_view points_first_line = "# cuBLASLt choice atlas, version 1";
constexpr std::size_t key_cells = 4, range_cells = 2, field_cells = algorithm_fields.size();
constexpr std::size_t all_cells = key_cells + range_cells + field_cells + 2;

std::optional<Algorithm> read_fields(const Line& line, std::span<const std::string_view> cells) {
  if (std::ranges::count(cells, "-") == static_cast<std::ptrdiff_t>(cells.size()))
    return std::nullopt;
  return line.fields(cells);
}

SchemaPtr read_topology(const Line& line, std::string_view cell) {
  if (cell == "-") return nullptr;
  try {
    return parse_topology(cell);
  } catch (const NotationError& error) {
    line.fail(std::string("topology: ") + error.what());
  }
}

using Rows = std::vector<std::pair<AtlasKey, Choice>>;

void read_row(const Line& line, std::string_view content, std::optional<TypeKind> types,
              Rows& rows) {
  const std::vector<std::string_view> cells = split(content, '\t');
  if (cells.size() != all_cells)
    line.fail(std::to_string(cells.size()) + " cells, not " + std::to_string(all_cells));
  const AtlasKey key{line.number(cells[0], "n"), line.number(cells[1], "k"), line.layout(cells[2]),
                     line.types(cells[3])};
  if (types && key.types != *types) return;
  Choice choice;
  choice.first_m = line.number(cells[key_cells], "first_m");
  choice.last_m = line.number(cells[key_cells + 1], "last_m");
  if (choice.first_m == 0 || choice.last_m < choice.first_m)
    line.fail("batch sizes must ascend from 1");
  choice.algorithm =
      read_fields(line, std::span(cells).subspan(key_cells + range_cells, field_cells));
  choice.measured = read_topology(line, cells[all_cells - 2]);
  if (!choice.algorithm && !choice.measured) line.fail("needs the reported fields or a topology");
  choice.evidence = cells[all_cells - 1];
  rows.emplace_back(key, std::move(choice));
}

Rows read_points(std::string_view name, std::string_view text, std::optional<TypeKind> types) {
  const std::string columns =
      "n\tk\tlayout\ttypes\tfirst_m\tlast_m\t" + field_columns() + "\ttopology\tevidence";
  bool in_rows = false;
  std::size_t number = 0;
  Rows rows;
  for (const std::string_view content : split(text, '\n')) {
    const Line line(name, ++number);
    if (content.empty() || content.starts_with('#')) continue;
    if (in_rows)
      read_row(line, content, types, rows);
    else if (content != columns)
      line.fail("columns must be " + columns);
    in_rows = true;
  }
  return rows;
}

std::vector<Choice> as_choices(const ScannedLayer& layer) {
  std::vector<Choice> choices;
  std::uint64_t first = 1;
  for (const ScannedLayer::Range& range : layer.ranges) {
    if (range.algorithm) choices.push_back({first, range.last_m, range.algorithm, nullptr, {}, 0});
    first = range.last_m + 1;
  }
  return choices;
}

bool overlaps(const std::vector<Choice>& list, const Choice& choice) {
  return std::ranges::any_of(list, [&](const Choice& other) {
    return other.first_m <= choice.last_m && choice.first_m <= other.last_m;
  });
}

}  // namespace

void Atlas::add(std::string_view name, std::string_view text, std::optional<TypeKind> types) {
  const std::string_view first_line = text.substr(0, text.find('\n'));
  Atlas grown = *this;
  const std::size_t file = files_.size();
  if (first_line == scan_first_line) {
    grown.files_.push_back(read_head(name, text));
    for (const ScannedLayer& layer : read_scan(name, text)) {
      std::vector<Choice>& scan = grown.entry(layer.key).scan;
      if (!scan.empty())
        throw AtlasError(std::string(name) + ": " + text_of(layer.key) + " was scanned before");
      scan = as_choices(layer);
      for (Choice& choice : scan) choice.file = file;
    }
  } else if (first_line == points_first_line) {
    grown.files_.push_back(read_head(name, text));
    for (auto& [key, choice] : read_points(name, text, types)) {
      std::vector<Choice>& list = grown.entry(key).points;
      if (overlaps(list, choice))
        throw AtlasError(std::string(name) + ": two rows cover m " +
                         std::to_string(choice.first_m) + " of " + text_of(key));
      choice.file = file;
      const auto place = std::ranges::upper_bound(list, choice.first_m, {}, &Choice::first_m);
      list.insert(place, std::move(choice));
    }
  } else {
    Line(name, 1).fail("must be '" + std::string(scan_first_line) + "' or '" +
                       std::string(points_first_line) + "'");
  }
  *this = std::move(grown);
}

}  // namespace whybits::cublaslt
