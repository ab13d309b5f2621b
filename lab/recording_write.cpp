// Writing recordings, in the order in which a person reads them.
#include <nlohmann/json.hpp>

#include "lab/base64.hpp"
#include "lab/files.hpp"
#include "lab/recording.hpp"

namespace whybits {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered shape_json(const Recording& recording) {
  const RecordedShape& s = recording.shape;
  switch (recording.computation) {
    case RecordedComputation::gemm:
      return {{"m", s.m}, {"n", s.n}, {"k", s.k}};
    case RecordedComputation::mma:
      return {{"tiles", s.tiles}, {"m", s.m}, {"n", s.n}, {"k", s.k}};
    case RecordedComputation::all_reduce:
      if (s.ranks_per_node != 0)
        return {{"ranks", s.ranks}, {"ranks_per_node", s.ranks_per_node}, {"count", s.count}};
      return {{"ranks", s.ranks}, {"count", s.count}};
    case RecordedComputation::row_sums:
      return {{"m", s.m}, {"k", s.k}};
  }
  return {};
}

Ordered types_json(const RecordedTypes& types) {
  Ordered json{{"a", format_name(types.a)}};
  if (types.b) json["b"] = format_name(*types.b);
  if (types.c) json["c"] = format_name(*types.c);
  json["accumulate"] = format_name(types.accumulate);
  json["out"] = format_name(types.out);
  if (types.product) json["product"] = format_name(*types.product);
  return json;
}

Ordered output_json(const RecordedOutput& output) {
  Ordered json = Ordered::object();
  if (!output.rows.empty()) json["rows"] = output.rows;
  json["xxh3_128"] = output.xxh3_128;
  if (output.words) json["bits"] = {{"base64", base64_encode(*output.words)}};
  return json;
}

}  // namespace

std::string recording_text(const Recording& recording) {
  Ordered json;
  json["whybits_recording"] = 1;
  json["source"] = recording.source;
  json["library"] = {{"name", recording.library.name}, {"version", recording.library.version}};
  if (!recording.library.through.empty()) json["library"]["through"] = recording.library.through;
  if (!recording.settings.empty()) json["settings"] = recording.settings;
  json["kernel"] = recording.kernel;
  json["guarantee"] = guarantee_names[static_cast<std::size_t>(recording.guarantee)];
  json["computation"] = computation_names[static_cast<std::size_t>(recording.computation)];
  json["shape"] = shape_json(recording);
  if (recording.layout) json["layout"] = {{"a", recording.layout->a}, {"b", recording.layout->b}};
  json["types"] = types_json(recording.types);
  if (!recording.note.empty()) json["note"] = recording.note;
  for (const std::string& operand : recording.operand_names())
    json["inputs"][operand] = input_spec_to_json(recording.inputs.at(operand));
  if (!recording.algorithm.is_null()) json["algorithm"] = recording.algorithm;
  if (recording.topology) json["topology"] = *recording.topology;
  json["output"] = output_json(recording.output);
  return json.dump(1) + "\n";
}

void write_recording(const std::filesystem::path& path, const Recording& recording) {
  write_file_atomically(path, recording_text(recording));
}

}  // namespace whybits
