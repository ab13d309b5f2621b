// Reading recordings: every field by its own rule, sizes before allocations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/base64.hpp"
#include "lab/files.hpp"
#include "lab/generators.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/json_field.hpp"
#include "lab/recording.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t element_limit = std::uint64_t{1} << 48;
constexpr std::uint64_t rank_limit = 65536;

/// The index of a name in a list of names, which is also the enumerator's value.
template <typename Enum, std::size_t Count>
Enum read_enum(const JsonField& field, const std::array<std::string_view, Count>& names) {
  const auto found = std::find(names.begin(), names.end(), field.text());
  if (found == names.end())
    field.fail(fmt::format("'{}' is not known", field.text()),
               fmt::format("allowed: {}", fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

Format read_format(const JsonField& field) {
  const auto format = parse_format(field.text());
  if (format) return *format;
  std::vector<std::string_view> names;
  for (const NamedFormat& named : named_formats()) names.push_back(named.name);
  field.fail(fmt::format("'{}' is not a number format", field.text()),
             fmt::format("allowed: {}, or eXmY", fmt::join(names, ", ")));
}

std::map<std::string, std::string> read_source(const JsonField& field) {
  for (const std::string_view key : {"device", "date"}) field.at(key).text();
  std::map<std::string, std::string> source;
  for (const std::string& key : field.keys()) source[key] = field.at(key).text();
  return source;
}

RecordedLibrary read_library(const JsonField& field) {
  field.allow_only({"name", "version", "through"});
  RecordedLibrary library{field.at("name").text(), field.at("version").text(), {}};
  if (const auto through = field.find("through")) library.through = through->text();
  return library;
}

/// Settings and algorithm fields are the library's own words: names for scalars or lists of them.
json read_fields(const JsonField& field) {
  for (const std::string& key : field.keys()) {
    const JsonField member = field.at(key);
    const bool list = member.value().is_array();
    const auto is_scalar = [](const JsonField& f) { return f.value().is_primitive(); };
    if (!list && !is_scalar(member)) member.fail("not a text, number, truth value or list of them");
    if (!list) continue;
    for (const JsonField& element : member.elements())
      if (!is_scalar(element)) element.fail("not a text, number or truth value");
  }
  return field.value();
}

RecordedShape read_shape(const JsonField& field, RecordedComputation computation) {
  RecordedShape shape;
  const auto dimension = [&](std::string_view key) {
    return field.at(key).number(0, dimension_limit);
  };
  if (computation == RecordedComputation::all_reduce) {
    field.allow_only({"ranks", "count", "ranks_per_node"});
    shape.ranks = field.at("ranks").number(1, rank_limit);
    shape.count = dimension("count");
    if (field.value().contains("ranks_per_node")) {
      shape.ranks_per_node = field.at("ranks_per_node").number(1, shape.ranks);
      if (shape.ranks % shape.ranks_per_node != 0)
        field.at("ranks_per_node").fail("must divide the number of ranks");
    }
    return shape;
  }
  const bool tiled = computation == RecordedComputation::mma;
  const bool sums = computation == RecordedComputation::row_sums;
  if (tiled) {
    field.allow_only({"tiles", "m", "n", "k"});
    shape.tiles = dimension("tiles");
  } else if (sums) {
    field.allow_only({"m", "k"});
  } else {
    field.allow_only({"m", "n", "k"});
  }
  shape.m = dimension("m");
  shape.n = sums ? 1 : dimension("n");
  shape.k = dimension("k");
  // Each factor is below 2^32, so that two of them cannot overflow.
  const std::uint64_t tiles = tiled ? shape.tiles : 1;
  for (const std::uint64_t matrix : {shape.m * shape.k, shape.n * shape.k, shape.m * shape.n})
    if (matrix > element_limit || (matrix != 0 && tiles > element_limit / matrix))
      field.fail(fmt::format("an operand would have more than {} elements", element_limit));
  return shape;
}

RecordedLayout read_layout(const JsonField& field) {
  field.allow_only({"a", "b"});
  RecordedLayout layout{field.at("a").text(), field.at("b").text()};
  if (layout.a != "mk" && layout.a != "km") field.at("a").fail("must be \"mk\" or \"km\"");
  if (layout.b != "kn" && layout.b != "nk") field.at("b").fail("must be \"kn\" or \"nk\"");
  return layout;
}

RecordedTypes read_types(const JsonField& field, RecordedComputation computation) {
  RecordedTypes types;
  types.a = read_format(field.at("a"));
  types.accumulate = read_format(field.at("accumulate"));
  types.out = read_format(field.at("out"));
  if (computation == RecordedComputation::all_reduce ||
      computation == RecordedComputation::row_sums) {
    field.allow_only({"a", "accumulate", "out"});
    return types;
  }
  if (computation == RecordedComputation::gemm) {
    field.allow_only({"a", "b", "c", "accumulate", "out", "product"});
    if (const auto product = field.find("product")) types.product = read_format(*product);
  } else {
    field.allow_only({"a", "b", "c", "accumulate", "out"});
  }
  types.b = read_format(field.at("b"));
  if (computation == RecordedComputation::mma || field.find("c"))
    types.c = read_format(field.at("c"));
  return types;
}

/// A path inside the recording's own folder: a recording moves with its files, and one from
/// a stranger must not read others.
void require_inside(const JsonField& field, const fs::path& path) {
  const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  if (path.is_absolute() || climbs || path.empty())
    field.fail(fmt::format("'{}' is not a file inside the recording's folder", path.string()),
               "give a relative path without '..'");
}

/// Does `action` and puts the field's place in front of what goes wrong.
template <typename Action>
auto at_field(const JsonField& field, Action action) {
  try {
    return action();
  } catch (const UsageError& error) {
    field.fail(error.what(), error.remedy);
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

InputSpec read_input(const JsonField& field, const Recording& recording,
                     const std::string& operand) {
  const InputSpec spec = at_field(field, [&] { return input_spec_from_json(field.value()); });
  if (const auto* file = std::get_if<FileInput>(&spec)) require_inside(field, file->path);
  if (std::holds_alternative<NpyInput>(spec) || std::holds_alternative<SafetensorsInput>(spec))
    field.fail("npy and safetensors files are for the command line",
               "store the words: {\"file\": …} or {\"base64\": …}");
  // Words that the recording itself holds are checked now, files when they are opened.
  if (std::holds_alternative<Base64Input>(spec) || std::holds_alternative<HexInput>(spec))
    at_field(field, [&] {
      return open_input(spec, recording.operand_format(operand), recording.operand_extent(operand));
    });
  return spec;
}

void read_inputs(const JsonField& field, Recording& recording) {
  const std::vector<std::string> names = recording.operand_names();
  for (const std::string& key : field.keys())
    if (std::find(names.begin(), names.end(), key) == names.end())
      field.fail(fmt::format("'{}' is not an operand here", key),
                 fmt::format("operands: {}", fmt::join(names, ", ")));
  for (const std::string& operand : names)
    recording.inputs.emplace(operand, read_input(field.at(operand), recording, operand));
}

std::vector<std::uint8_t> read_words(const JsonField& field, const Recording& recording) {
  const Format format = stored_format(recording.types.out);
  const auto word_bytes = format.word_bytes();
  const std::uint64_t elements = recording.output_elements();
  const std::uint64_t needed = elements * word_bytes;  // elements ≤ 2^48
  field.allow_only({"base64", "file"});
  if (field.keys().size() != 1) field.fail("must have one of \"base64\" and \"file\"");
  if (const auto file = field.find("file")) {
    require_inside(*file, file->text());
    if (needed > largest_operand_bytes) file->fail(human_bytes(needed) + " of output is too much");
    return read_sized_file(recording.folder / file->text(), needed);
  }
  const JsonField base64 = field.at("base64");
  const std::uint64_t given = base64_decoded_size(base64.text());
  if (given != needed)
    base64.fail(fmt::format("{} given, {} needed for {} of {}", counted_plainly(given, "byte"),
                            needed, counted_plainly(elements, "word"), format_name(format)));
  auto words = base64_decode(base64.text());
  if (!words) base64.fail("not base64 text", "use the standard alphabet with padding");
  return *std::move(words);
}

void read_output(const JsonField& field, Recording& recording) {
  field.allow_only({"rows", "xxh3_128", "bits"});
  RecordedOutput& output = recording.output;
  if (const auto rows = field.find("rows")) {
    if (recording.computation != RecordedComputation::gemm) rows->fail("only a gemm has rows");
    if (recording.shape.m == 0) rows->fail("the output has no rows");
    for (const JsonField& row : rows->elements()) {
      output.rows.push_back(row.number(0, recording.shape.m - 1));
      const std::size_t count = output.rows.size();
      if (count > 1 && output.rows[count - 1] <= output.rows[count - 2])
        row.fail("rows must ascend");
    }
    if (output.rows.empty()) rows->fail("no rows", "leave the key out for all rows");
  }
  const JsonField hash = field.at("xxh3_128");
  output.xxh3_128 = hash.text();
  if (output.xxh3_128.size() != 32 ||
      output.xxh3_128.find_first_not_of("0123456789abcdef") != std::string::npos)
    hash.fail("not 32 lower-case hexadecimal digits");
  if (const auto bits = field.find("bits")) {
    output.words = read_words(*bits, recording);
    at_field(*bits, [&] { return recording.output_codes(); });  // refuses bits above the code
    const std::string actual = xxh3_128_hex(*output.words);
    if (actual != output.xxh3_128)
      hash.fail(fmt::format("the words hash to {}, not to {}", actual, output.xxh3_128),
                "the file was damaged or edited: record it again");
  }
}

Recording read_document(const JsonField& root, const std::string& name, const fs::path& folder) {
  root.at("whybits_recording").number(1, 1);
  root.allow_only({"whybits_recording", "source", "library", "settings", "kernel", "guarantee",
                   "computation", "shape", "layout", "types", "note", "inputs", "algorithm",
                   "topology", "output"});
  Recording recording;
  recording.name = name;
  recording.folder = folder;
  recording.source = read_source(root.at("source"));
  recording.library = read_library(root.at("library"));
  if (const auto settings = root.find("settings")) recording.settings = read_fields(*settings);
  recording.kernel = root.at("kernel").text();
  recording.guarantee = read_enum<Guarantee>(root.at("guarantee"), guarantee_names);
  recording.computation = read_enum<RecordedComputation>(root.at("computation"), computation_names);
  recording.shape = read_shape(root.at("shape"), recording.computation);
  if (const auto layout = root.find("layout")) {
    if (recording.computation != RecordedComputation::gemm)
      layout->fail("only a gemm has a layout");
    recording.layout = read_layout(*layout);
  }
  recording.types = read_types(root.at("types"), recording.computation);
  if (const auto note = root.find("note")) recording.note = note->text();
  read_inputs(root.at("inputs"), recording);
  if (const auto algorithm = root.find("algorithm")) recording.algorithm = read_fields(*algorithm);
  if (const auto topology = root.find("topology")) recording.topology = topology->text();
  read_output(root.at("output"), recording);
  return recording;
}

}  // namespace

Recording parse_recording(std::string_view text, const std::string& name, const fs::path& folder) {
  const json document = parse_strict_json(
      text, name, {}, "recordings are JSON files as docs/recordings.md describes them");
  return read_document(JsonField(document, name), name, folder);
}

Recording read_recording(const fs::path& path) {
  return parse_recording(read_text_file(path, largest_recording_bytes), path.string(),
                         path.parent_path());
}

}  // namespace whybits
