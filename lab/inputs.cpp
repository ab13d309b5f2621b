#include "lab/inputs.hpp"

#include <fmt/format.h>

#include "lab/base64.hpp"
#include "lab/files.hpp"
#include "lab/generators.hpp"
#include "lab/option_values.hpp"
#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"
#include "lab/vector_source.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

namespace fs = std::filesystem;

/// Opens one kind of input after the other; holds what they share.
class Opener {
 public:
  Opener(const Format& format, const OperandExtent& extent, const fs::path& folder)
      : format_(format), stored_(stored_format(format)), extent_(extent), folder_(folder) {}

  std::unique_ptr<CodeSource> operator()(const UniformInput& in) const {
    return uniform_source(format_, extent_.count, in.stream);
  }
  std::unique_ptr<CodeSource> operator()(const WideInput& in) const {
    return wide_source(format_, extent_.count, in.stream);
  }
  std::unique_ptr<CodeSource> operator()(const OutliersInput& in) const {
    return outliers_source(format_, extent_.count, in.stream);
  }
  std::unique_ptr<CodeSource> operator()(const BitsInput& in) const {
    return bits_source(format_, extent_.count, in.stream);
  }
  std::unique_ptr<CodeSource> operator()(const OnesInput&) const {
    return ones_source(format_, extent_.count);
  }
  std::unique_ptr<CodeSource> operator()(const LinspaceInput& in) const {
    return linspace_source(format_, extent_.count, in.first, in.last);
  }

  std::unique_ptr<CodeSource> operator()(const HexInput& in) const {
    require_count(in.words.size(), "hex");
    for (std::size_t i = 0; i < in.words.size(); ++i)
      if ((in.words[i] & ~stored_.code_mask()) != 0)
        throw UsageError(fmt::format("hex: word {} is {:#x}, more than the {} bits of {}", i,
                                     in.words[i], stored_.code_bits(), format_name(stored_)));
    return make(words_from_codes(stored_, in.words), "hex");
  }

  std::unique_ptr<CodeSource> operator()(const Base64Input& in) const {
    const std::uint64_t needed = needed_bytes();
    const std::uint64_t given = base64_decoded_size(in.text);
    if (in.text.size() % 4 == 0 && given != needed)
      throw UsageError(fmt::format("base64: {} given, {} needed for {} of {}",
                                   counted_plainly(given, "byte"), needed,
                                   counted_plainly(extent_.count, "word"), format_name(stored_)));
    auto bytes = base64_decode(in.text);
    if (!bytes)
      throw UsageError("base64: not base64 text",
                       "use the standard alphabet with padding, without line breaks");
    return make(std::move(*bytes), "base64");
  }

  std::unique_ptr<CodeSource> operator()(const FileInput& in) const {
    const fs::path path = folder_ / in.path;
    return make(read_sized_file(path, needed_bytes()), path.string());
  }
  std::unique_ptr<CodeSource> operator()(const NpyInput& in) const {
    const fs::path path = folder_ / in.path;
    std::ifstream file = open_for_reading(path);
    return read_checked(file, npy_layout(file, path.string()), path.string());
  }
  std::unique_ptr<CodeSource> operator()(const SafetensorsInput& in) const {
    const fs::path path = folder_ / in.path;
    const std::string name = path.string() + "#" + in.tensor;
    std::ifstream file = open_for_reading(path);
    return read_checked(file, safetensors_layout(file, path.string(), in.tensor), name);
  }

 private:
  void require_count(std::uint64_t given, const std::string& name) const {
    if (given != extent_.count)
      throw UsageError(fmt::format("{}: {} given, {} needed", name,
                                   counted_plainly(given, "element"), extent_.count));
  }

  std::uint64_t needed_bytes() const {
    const auto word_bytes = stored_.word_bytes();
    if (extent_.count > largest_operand_bytes / word_bytes)
      throw UsageError(fmt::format("{} elements of {} would need {} of memory, more than {}",
                                   extent_.count, format_name(stored_),
                                   extent_.count <= ~std::uint64_t{0} / word_bytes
                                       ? human_bytes(extent_.count * word_bytes)
                                       : "more than 16 EiB",
                                   human_bytes(largest_operand_bytes)),
                       "use a smaller shape, or a generated input, which needs no memory");
    return extent_.count * word_bytes;
  }

  std::unique_ptr<CodeSource> read_checked(std::istream& file, const TensorLayout& layout,
                                           const std::string& name) const {
    const Format format = tensor_format(layout, format_, name);
    require_count(layout.elements, name);
    needed_bytes();
    if (!extent_.shape.empty() && layout.shape.size() > 1 && layout.shape != extent_.shape)
      throw UsageError(fmt::format("{}: shape is {}, {} is needed", name, shape_text(layout.shape),
                                   shape_text(extent_.shape)),
                       "transpose or reshape the tensor: operands are row-major");
    return std::make_unique<VectorSource>(read_tensor(file, layout, format, name));
  }

  std::unique_ptr<CodeSource> make(std::vector<std::uint8_t> words, const std::string& name) const {
    try {
      return std::make_unique<VectorSource>(stored_, std::move(words));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("{}: {}", name, error.what()));
    }
  }

  Format format_, stored_;
  const OperandExtent& extent_;
  const fs::path& folder_;
};

/// Does `action`; what it refuses is told with the option in front.
template <class Action>
auto for_option(const std::string& option, Action action) {
  try {
    return action();
  } catch (const UsageError& error) {
    throw UsageError(option + ": " + error.what(), error.remedy);
  }
}

}  // namespace

std::unique_ptr<CodeSource> open_input(const InputSpec& spec, const Format& format,
                                       const OperandExtent& extent, const fs::path& folder) {
  return std::visit(Opener(format, extent, folder), spec);
}

std::unique_ptr<CodeSource> open_operand(const std::string& option, const std::string& text,
                                         const Format& format, const OperandExtent& extent) {
  return for_option(option, [&] { return open_input(parse_input_spec(text), format, extent); });
}

std::unique_ptr<CodeSource> open_tensor(const std::string& option, const std::string& text,
                                        const Format& format, std::vector<std::uint64_t> shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t n : shape)
    count = checked_product(option + " with this shape", count, n);
  return open_operand(option, text, format, {count, std::move(shape)});
}

std::vector<std::unique_ptr<CodeSource>> open_messages(const std::string& option,
                                                       const std::string& text,
                                                       const Format& format, std::uint64_t ranks,
                                                       std::uint64_t count) {
  return for_option(option, [&] {
    const InputSpec spec = parse_input_spec(text);
    std::vector<std::unique_ptr<CodeSource>> messages;
    for (std::uint64_t r = 0; r < ranks; ++r)
      messages.push_back(open_input(input_spec_for_rank(spec, r), format, {count, {}}));
    return messages;
  });
}

std::unique_ptr<CodeSource> parse_input(std::string_view text, const Format& format,
                                        std::uint64_t count) {
  return open_input(parse_input_spec(text), format, {.count = count});
}

}  // namespace whybits
