// NumPy's .npy: magic, version, header length, a Python dictionary, raw data. Described in NEP 1
// and numpy.lib.format.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "lab/files.hpp"
#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
// numpy itself refuses headers above 10,000 characters unless told to trust the file.
constexpr std::uint64_t npy_header_limit = 65536;
constexpr std::size_t npy_rank_limit = 32;

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Parses the one form of dictionary that numpy writes: the keys descr (a string), fortran_order
/// (True or False) and shape (a tuple of integers), each once, in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        header.descr = string();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = tuple();
      } else {
        fail(fmt::format("unknown key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text after the dictionary");
    if (!has_descr || !has_order || !has_shape) fail("descr, fortran_order or shape is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(fmt::format("{}: npy header, byte {}: {}", name_, at_, what),
                     "write the file with numpy.save of one plain array");
  }
  void once(bool& seen, const std::string& key) const {
    if (seen) fail(fmt::format("key '{}' occurs twice", key));
    seen = true;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' expected", wanted));
  }
  std::string string() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      fail("a string expected (structured types are not read)");
    const char quote = text_[at_];
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string without end");
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("True or False expected");
  }
  std::uint64_t number() {
    skip_space();
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("a dimension of at most 64 bits expected");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      if (values.size() == npy_rank_limit)
        fail(fmt::format("more than {} dimensions", npy_rank_limit));
      values.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// Reads exactly `size` bytes or throws.
std::string take(std::istream& file, std::uint64_t size, const std::string& name) {
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw UsageError(fmt::format("{}: the file ends inside the npy header", name));
  return bytes;
}

/// Fills dtype, format and word size from a descr such as "<f4", "|u1", "<V2".
void read_dtype(const std::string& descr, TensorLayout& layout, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: dtype '{}': {}", name, descr, why),
                     "save the words as little-endian floats or unsigned integers");
  };
  if (descr.size() != 3) refuse("not a plain number type");
  const char order = descr[0], kind = descr[1], bytes = descr[2];
  if (order == '>') refuse("big endian");
  if (order != '<' && order != '|') refuse("unknown byte order");
  if (bytes != '1' && bytes != '2' && bytes != '4' && bytes != '8') refuse("unknown width");
  layout.dtype = descr;
  layout.word_bits = (bytes - '0') * 8;
  if (kind == 'f') {
    if (bytes == '1') refuse("a float of one byte has no one meaning");
    layout.format = bytes == '2' ? formats::f16 : bytes == '4' ? formats::f32 : formats::f64;
  } else if (kind != 'u' && kind != 'i' && kind != 'V') {
    refuse("not a float, an integer or raw bytes");
  }
}

}  // namespace

TensorLayout npy_layout(std::istream& file, const std::string& name) {
  const std::uint64_t file_size = stream_size(file);
  const std::string start = take(file, magic.size() + 2, name);
  if (!start.starts_with(magic))
    throw UsageError(fmt::format("{}: not an .npy file", name), "write it with numpy.save");
  const int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3 || start[7] != 0)
    throw UsageError(fmt::format("{}: npy format version {}.{} is not known", name, major,
                                 static_cast<int>(static_cast<unsigned char>(start[7]))));
  const std::uint64_t length_bytes = major == 1 ? 2 : 4;
  std::uint64_t length = 0;
  const std::string length_text = take(file, length_bytes, name);
  for (std::size_t i = length_text.size(); i-- > 0;)
    length = length << 8 | static_cast<std::uint8_t>(length_text[i]);
  if (length > npy_header_limit)
    throw UsageError(fmt::format("{}: npy header of {}, more than {}", name, human_bytes(length),
                                 human_bytes(npy_header_limit)));
  const std::string text = take(file, length, name);

  const NpyHeader header = HeaderParser(text, name).parse();
  TensorLayout layout;
  layout.shape = header.shape;
  read_dtype(header.descr, layout, name);
  if (header.fortran_order && header.shape.size() > 1)
    throw UsageError(fmt::format("{}: the array is in Fortran order", name),
                     "save numpy.ascontiguousarray(x)");
  const auto elements = element_count(header.shape);
  if (!elements)
    throw UsageError(fmt::format("{}: shape {} is beyond 64 bits", name, shape_text(header.shape)));
  layout.elements = *elements;
  layout.data_offset = magic.size() + 2 + length_bytes + length;
  const std::uint64_t have = file_size - layout.data_offset;
  if (have != layout.data_bytes())
    throw UsageError(fmt::format("{}: shape {} of '{}' needs {} of data, the file has {}", name,
                                 shape_text(header.shape), layout.dtype,
                                 counted_plainly(layout.data_bytes(), "byte"), have),
                     have < layout.data_bytes() ? "the file is truncated: copy it again"
                                                : "the file has something after the array");
  return layout;
}

}  // namespace whybits
