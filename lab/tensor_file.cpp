#include "lab/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "lab/generators.hpp"
#include "lab/usage_error.hpp"

namespace whybits {

Format tensor_format(const TensorLayout& layout, const std::optional<Format>& wanted,
                     const std::string& name) {
  if (!wanted) {
    if (layout.format) return *layout.format;
    throw UsageError(fmt::format("{}: dtype '{}' names raw {}-bit words, not a number format", name,
                                 layout.dtype, layout.word_bits),
                     "say the format, for example --format bf16");
  }
  const Format stored = stored_format(*wanted);
  const bool fits =
      layout.format ? *layout.format == stored : layout.word_bits == stored.word_bits();
  if (!fits)
    throw UsageError(
        fmt::format("{}: dtype '{}' where {} is needed", name, layout.dtype, format_name(stored)),
        fmt::format("convert the tensor, or save its words as {}-bit integers",
                    stored.word_bits()));
  return stored;
}

VectorSource read_tensor(std::istream& file, const TensorLayout& layout, const Format& format,
                         const std::string& name) {
  std::vector<std::uint8_t> words(layout.data_bytes());
  file.clear();
  file.seekg(static_cast<std::streamoff>(layout.data_offset));
  if (!file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size())))
    throw UsageError(fmt::format("{}: the file ends inside the data", name));
  try {
    return {format, std::move(words)};
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", name, error.what()));
  }
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape) {
  constexpr std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / 8;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && count > limit / extent) return std::nullopt;
    count *= extent;
  }
  return count;
}

}  // namespace whybits
