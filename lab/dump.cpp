#include "lab/dump.hpp"

#include <fmt/format.h>

#include "lab/files.hpp"
#include "lab/generators.hpp"
#include "lab/inputs.hpp"
#include "lab/recording.hpp"
#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

Dump read_checked(std::istream& file, const TensorLayout& layout, const std::string& name,
                  const std::optional<Format>& format) {
  const Format read_as = tensor_format(layout, format, name);
  if (layout.data_bytes() > largest_operand_bytes)
    throw UsageError(fmt::format("{}: {} of data, more than {}", name,
                                 human_bytes(layout.data_bytes()),
                                 human_bytes(largest_operand_bytes)));
  return {name, layout.shape, read_tensor(file, layout, read_as, name)};
}

Dump read_npy_dump(const std::string& path, const std::optional<Format>& format) {
  std::ifstream file = open_for_reading(path);
  return read_checked(file, npy_layout(file, path), path, format);
}

Dump read_safetensors_dump(const std::string& path, const std::string& tensor,
                           const std::optional<Format>& format) {
  std::ifstream file = open_for_reading(path);
  return read_checked(file, safetensors_layout(file, path, tensor), path + "#" + tensor, format);
}

Dump read_recorded_output(const std::string& path, const std::optional<Format>& format) {
  const Recording recording = read_recording(path);
  auto codes = recording.output_codes();
  if (!codes)
    throw UsageError(fmt::format("{}: the recording has a hash of its output, not the bits", path),
                     "record it again with the bits of the rows to compare");
  if (format && stored_format(*format) != codes->format())
    throw UsageError(fmt::format("{}: the output is {}, not {}", path, format_name(codes->format()),
                                 format_name(*format)),
                     "leave --format out");
  const RecordedShape& s = recording.shape;
  std::vector<std::uint64_t> shape;
  switch (recording.computation) {
    case RecordedComputation::gemm:
      shape = {recording.output_rows().size(), s.n};
      break;
    case RecordedComputation::mma:
      shape = {s.tiles, s.m, s.n};
      break;
    case RecordedComputation::all_reduce:
      shape = {s.count};
      break;
    case RecordedComputation::row_sums:
      shape = {s.m};
      break;
  }
  return {path, shape, *std::move(codes)};
}

Dump read_raw(const std::string& path, const std::optional<Format>& format) {
  std::uint64_t size = 0;
  {
    std::ifstream file = open_for_reading(path);
    size = stream_size(file);
  }
  if (!format)
    throw UsageError(fmt::format("{}: raw words need a format", path),
                     "add --format, for example --format bf16");
  if (size > largest_operand_bytes)
    throw UsageError(fmt::format("{}: {}, more than {}", path, human_bytes(size),
                                 human_bytes(largest_operand_bytes)));
  try {
    VectorSource codes(stored_format(*format), read_sized_file(path, size));
    return {path, {codes.size()}, std::move(codes)};
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", path, error.what()), "check --format");
  }
}

}  // namespace

Dump read_dump(const std::string& text, const std::optional<Format>& format) {
  if (text.starts_with("npy:") || text.starts_with("safetensors:")) {
    const InputSpec spec = parse_input_spec(text);
    if (const auto* npy = std::get_if<NpyInput>(&spec)) return read_npy_dump(npy->path, format);
    const auto& tensor = std::get<SafetensorsInput>(spec);
    return read_safetensors_dump(tensor.path, tensor.tensor, format);
  }
  const auto hash = text.rfind('#');
  if (hash != std::string::npos && std::string_view(text).substr(0, hash).ends_with(".safetensors"))
    return read_safetensors_dump(text.substr(0, hash), text.substr(hash + 1), format);
  if (text.ends_with(".npy")) return read_npy_dump(text, format);
  if (text.ends_with(".json")) return read_recorded_output(text, format);
  if (text.ends_with(".safetensors"))
    throw UsageError(fmt::format("{}: which tensor?", text), fmt::format("write {}#NAME", text));
  return read_raw(text, format);
}

}  // namespace whybits
