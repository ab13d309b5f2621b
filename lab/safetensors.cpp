// safetensors: eight bytes of header length, a JSON header, raw data. Described in the README of
// huggingface/safetensors. We check what its own reader checks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lab/files.hpp"
#include "lab/strict_json.hpp"
#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

using nlohmann::json;

constexpr std::uint64_t safetensors_header_limit = 100'000'000;  // that of the format's own reader
constexpr JsonLimits json_limits{.depth = 4, .values = 4'000'000};

struct Dtype {
  std::string_view name;
  int word_bits;
  std::optional<Format> format;
};
const std::array<Dtype, 15> dtypes{{{"F64", 64, formats::f64},
                                    {"F32", 32, formats::f32},
                                    {"F16", 16, formats::f16},
                                    {"BF16", 16, formats::bf16},
                                    {"F8_E5M2", 8, formats::e5m2},
                                    {"F8_E4M3", 8, formats::e4m3},
                                    {"BOOL", 8, {}},
                                    {"U8", 8, {}},
                                    {"I8", 8, {}},
                                    {"U16", 16, {}},
                                    {"I16", 16, {}},
                                    {"U32", 32, {}},
                                    {"I32", 32, {}},
                                    {"U64", 64, {}},
                                    {"I64", 64, {}}}};

/// The header as a whole, and errors that name the tensor.
class SafetensorsHeader {
 public:
  SafetensorsHeader(const json& root, std::uint64_t data_start, std::uint64_t data_bytes,
                    std::string name)
      : root_(root), data_start_(data_start), data_bytes_(data_bytes), name_(std::move(name)) {
    if (!root_.is_object()) fail("the header is not a JSON object");
  }

  /// Every tensor is checked, also those that nobody asked for: a file with one hole or overlap
  /// was written by something broken or hostile.
  TensorLayout checked_layout_of(const std::string& wanted) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
    std::optional<TensorLayout> found;
    for (const auto& [tensor, entry] : root_.items()) {
      if (tensor == "__metadata__") continue;
      const TensorLayout layout = layout_of(tensor, entry);
      extents.emplace_back(layout.data_offset - data_start_, layout.data_bytes());
      if (tensor == wanted) found = layout;
    }
    std::sort(extents.begin(), extents.end());
    std::uint64_t end = 0;
    for (const auto& [offset, bytes] : extents) {
      if (offset != end) fail(fmt::format("data has a hole or an overlap at byte {}", end));
      end += bytes;
    }
    if (end != data_bytes_)
      fail(fmt::format("the header describes {} of data, the file has {}",
                       counted_plainly(end, "byte"), data_bytes_));
    if (!found)
      throw UsageError(fmt::format("{}: no tensor '{}'", name_, wanted), "it has " + names());
    return *found;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(fmt::format("{}: safetensors: {}", name_, what));
  }

  std::uint64_t number(const json& value, const std::string& where) const {
    if (!value.is_number_unsigned()) fail(where + ": not an unsigned integer");
    return value.get<std::uint64_t>();
  }

  TensorLayout layout_of(const std::string& tensor, const json& entry) const {
    const std::string where = "tensor '" + tensor + "'";
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets"))
      fail(where + ": must have exactly dtype, shape and data_offsets");
    TensorLayout layout;
    const json& dtype = entry["dtype"];
    if (!dtype.is_string()) fail(where + ": dtype is not a string");
    layout.dtype = dtype.get<std::string>();
    const auto known = std::find_if(dtypes.begin(), dtypes.end(),
                                    [&](const Dtype& d) { return d.name == layout.dtype; });
    if (known == dtypes.end())
      fail(fmt::format("{}: dtype '{}' is not known", where, layout.dtype));
    layout.format = known->format;
    layout.word_bits = known->word_bits;

    if (!entry["shape"].is_array()) fail(where + ": shape is not an array");
    for (const json& extent : entry["shape"])
      layout.shape.push_back(number(extent, where + ": shape"));
    const auto elements = element_count(layout.shape);
    if (!elements) fail(where + ": shape " + shape_text(layout.shape) + " is beyond 64 bits");
    layout.elements = *elements;

    const json& offsets = entry["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2) fail(where + ": data_offsets is not a pair");
    const std::uint64_t begin = number(offsets[0], where + ": data_offsets");
    const std::uint64_t end = number(offsets[1], where + ": data_offsets");
    if (begin > end || end > data_bytes_)
      fail(fmt::format("{}: bytes {} to {} of {} of data", where, begin, end,
                       counted_plainly(data_bytes_, "byte")));
    if (end - begin != layout.data_bytes())
      fail(fmt::format("{}: shape {} of {} needs {}, data_offsets give {}", where,
                       shape_text(layout.shape), layout.dtype,
                       counted_plainly(layout.data_bytes(), "byte"), end - begin));
    layout.data_offset = data_start_ + begin;
    return layout;
  }

  std::string names() const {
    std::string list;
    std::size_t shown = 0;
    for (const auto& [tensor, entry] : root_.items()) {
      if (tensor == "__metadata__") continue;
      if (shown++ == 8) return list + ", …";
      list += (list.empty() ? "" : ", ") + tensor;
    }
    return list.empty() ? "no tensors" : list;
  }

  const json& root_;
  std::uint64_t data_start_;
  std::uint64_t data_bytes_;
  std::string name_;
};

}  // namespace

TensorLayout safetensors_layout(std::istream& file, const std::string& name,
                                const std::string& tensor) {
  const std::uint64_t file_size = stream_size(file);
  std::array<char, 8> length_bytes{};
  if (!file.read(length_bytes.data(), length_bytes.size()))
    throw UsageError(fmt::format("{}: not a safetensors file: shorter than 8 bytes", name));
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes.size(); i-- > 0;)
    length = length << 8 | static_cast<std::uint8_t>(length_bytes[i]);
  if (length > safetensors_header_limit || length > file_size - 8)
    throw UsageError(
        fmt::format("{}: not a safetensors file, or truncated: header of {} in a file "
                    "of {}",
                    name, human_bytes(length), human_bytes(file_size)));
  std::string text(length, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(length)))
    throw UsageError(fmt::format("{}: the file ends inside the header", name));
  const json root = parse_strict_json(text, name + ": safetensors header", json_limits);
  return SafetensorsHeader(root, 8 + length, file_size - 8 - length, name)
      .checked_layout_of(tensor);
}

}  // namespace whybits
