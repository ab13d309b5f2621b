#include "sim/libraries/cublaslt/atlas_scan.hpp"

#include <algorithm>

#include "sim/libraries/cublaslt/atlas_line.hpp"

namespace whybits::cublaslt {
namespace {

constexpr std::pair<std::string_view, std::string AtlasFile::*> head_names[] = {
    {"device", &AtlasFile::device},   {"capability", &AtlasFile::capability},
    {"library", &AtlasFile::library}, {"driver", &AtlasFile::driver},
    {"date", &AtlasFile::date},       {"settings", &AtlasFile::settings}};
constexpr std::string_view layer_word = "layer\t", no_choice = "-";

class ScanReader {
 public:
  explicit ScanReader(std::string_view name, std::string_view text)
      : name_(name), types_(Line(name, 1).types(head_value(text, "types"))) {}

  void line(std::size_t number, std::string_view content) {
    const Line line(name_, number);
    if (content.starts_with(layer_word))
      layer(line, content.substr(layer_word.size()));
    else if (!layers_.empty())
      ranges(line, content);
    else
      choice(line, content);
  }
  std::vector<ScannedLayer> layers() && { return std::move(layers_); }

 private:
  void choice(const Line& line, std::string_view content) {
    const std::vector<std::string_view> cells = split(content, '\t');
    if (cells.size() != 1 + algorithm_fields.size())
      line.fail(std::to_string(cells.size()) + " cells, not " +
                std::to_string(1 + algorithm_fields.size()));
    if (line.number(cells[0], "choice") != choices_.size() + 1)
      line.fail("choices must be numbered 1, 2, …");
    choices_.push_back(line.fields(std::span(cells).subspan(1)));
  }

  void layer(const Line& line, std::string_view content) {
    const std::vector<std::string_view> cells = split(content, '\t');
    if (cells.size() != 3) line.fail("a layer has n, k and layout");
    const AtlasKey key{line.number(cells[0], "n"), line.number(cells[1], "k"),
                       line.layout(cells[2]), types_};
    if (std::ranges::find(layers_, key, &ScannedLayer::key) != layers_.end())
      line.fail(text_of(key) + " is there twice");
    layers_.push_back({key, {}});
  }

  void ranges(const Line& line, std::string_view content) {
    auto& ranges = layers_.back().ranges;
    for (const std::string_view cell : split(content, ' ')) {
      const std::size_t colon = cell.find(':');
      if (colon == std::string_view::npos)
        line.fail("'" + std::string(cell) + "' is not LAST_M:CHOICE");
      const std::uint64_t last = line.number(cell.substr(0, colon), "last m");
      if (last <= (ranges.empty() ? 0 : ranges.back().last_m) || last > largest_scanned_m)
        line.fail("batch sizes must ascend from 1 to at most " + std::to_string(largest_scanned_m));
      ranges.push_back({last, {}});
      const std::string_view chosen = cell.substr(colon + 1);
      if (chosen == no_choice) continue;
      const std::uint64_t number = line.number(chosen, "choice");
      if (number == 0 || number > choices_.size())
        line.fail("choice " + std::to_string(number) + " is not among the " +
                  std::to_string(choices_.size()) + " of the file");
      ranges.back().algorithm = choices_[number - 1];
    }
  }

  std::string_view name_;
  TypeKind types_;
  std::vector<Algorithm> choices_;
  std::vector<ScannedLayer> layers_;
};

std::string fields_text(const Algorithm& algorithm) {
  std::string text;
  for (const FieldName& field : algorithm_fields) {
    const std::uint32_t value = algorithm.*field.field;
    const bool open = field.field == &Algorithm::split_k && value == decided_by_kernel;
    text += '\t' + (open ? "-1" : std::to_string(value));
  }
  return text;
}

}  // namespace

std::string_view head_value(std::string_view text, std::string_view name) {
  const std::string start = "# " + std::string(name) + ": ";
  while (text.starts_with('#')) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(start)) return line.substr(start.size());
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

AtlasFile read_head(std::string_view name, std::string_view text) {
  AtlasFile file;
  file.name = name;
  for (const auto& [value, member] : head_names) file.*member = head_value(text, value);
  if (file.library.empty() || file.capability.empty())
    throw AtlasError(file.name + ": must say '# library:' and '# capability:'");
  return file;
}

std::string field_columns() {
  std::string names;
  for (const FieldName& field : algorithm_fields)
    names += (names.empty() ? "" : "\t") + std::string(field.name);
  return names;
}

std::vector<ScannedLayer> read_scan(std::string_view name, std::string_view text) {
  const std::string columns = "choice\t" + field_columns();
  ScanReader reader(name, text);
  bool in_rows = false;
  std::size_t number = 0;
  for (const std::string_view content : split(text, '\n')) {
    ++number;
    if (content.empty() || content.starts_with('#')) continue;
    if (in_rows)
      reader.line(number, content);
    else if (content != columns)
      Line(name, number).fail("columns must be " + columns);
    in_rows = true;
  }
  return std::move(reader).layers();
}

std::string scan_text(const AtlasFile& head, std::vector<ScannedLayer> scanned) {
  constexpr std::size_t line_width = 100;
  std::ranges::sort(scanned, {}, &ScannedLayer::key);
  std::string text = std::string(scan_first_line) + '\n';
  for (const auto& [name, member] : head_names)
    text += "# " + std::string(name) + ": " + head.*member + '\n';
  text += "# types: " + std::string(name_of(scanned.at(0).key.types)) + "\nchoice\t" +
          field_columns() + '\n';
  std::vector<Algorithm> choices;
  std::string body;
  for (const ScannedLayer& layer : scanned) {
    body += std::string(layer_word) + std::to_string(layer.key.n) + '\t' +
            std::to_string(layer.key.k) + '\t' +
            std::string(layout_names[static_cast<std::size_t>(layer.key.storage_b)]) + '\n';
    std::string line;
    for (const ScannedLayer::Range& range : layer.ranges) {
      std::string cell = std::to_string(range.last_m) + ':';
      if (range.algorithm) {
        const auto found = std::ranges::find(choices, *range.algorithm);
        cell += std::to_string(found - choices.begin() + 1);
        if (found == choices.end()) choices.push_back(*range.algorithm);
      } else {
        cell += no_choice;
      }
      if (line.size() + 1 + cell.size() > line_width) {
        body += line + '\n';
        line.clear();
      }
      line += (line.empty() ? "" : " ") + cell;
    }
    body += line + '\n';
  }
  for (std::size_t i = 0; i < choices.size(); ++i)
    text += std::to_string(i + 1) + fields_text(choices[i]) + '\n';
  return text + body;
}

}  // namespace whybits::cublaslt
