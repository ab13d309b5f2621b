#include <fstream>
#include <sstream>

#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;
using Shape = std::vector<std::uint64_t>;

namespace {

std::string sample(const std::string& name) {
  std::ifstream file(WHYBITS_SOURCE_DIR "/tests/lab/data/" + name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

TensorLayout layout_of(const std::string& bytes) {
  std::istringstream file(bytes);
  return npy_layout(file, "x.npy");
}

std::vector<Bits> codes_of(const std::string& bytes, const std::optional<Format>& wanted = {}) {
  std::istringstream file(bytes);
  const TensorLayout layout = npy_layout(file, "x.npy");
  return read_all(read_tensor(file, layout, tensor_format(layout, wanted, "x.npy"), "x.npy"));
}

/// A version 1.0 file with this header text and this many bytes of data.
std::string file_with(const std::string& header, std::size_t data_bytes) {
  std::string text = "\x93NUMPY";
  text +=
      {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return text + header + std::string(data_bytes, '\0');
}

const std::vector<Bits> f32_codes{0x3f800000, 0xc0000000, 0x3f000000, 0, 0x7f800000, 0x80000000};
const std::vector<Bits> bf16_codes{0x3f80, 0xc000, 0x3f00, 0, 0x7f80, 0x8000};

}  // namespace

TEST_CASE("npy files of NumPy are read as they were written") {
  CHECK(layout_of(sample("f32_2x3.npy")).shape == Shape{2, 3});
  CHECK(codes_of(sample("f32_2x3.npy")) == f32_codes);
  CHECK(codes_of(sample("version2.npy")) == f32_codes);
  CHECK(codes_of(sample("f16_2x3.npy")) ==
        std::vector<Bits>{0x3c00, 0xc000, 0x3800, 0, 0x7c00, 0x8000});
  CHECK(codes_of(sample("f64_3.npy")) ==
        std::vector<Bits>{0x3ff0000000000000, 0xc000000000000000, 0x3fe0000000000000});
  CHECK(layout_of(sample("scalar.npy")).shape.empty());
  CHECK(codes_of(sample("scalar.npy")) == std::vector<Bits>{0x40400000});
  CHECK(layout_of(sample("empty_0x5.npy")).shape == Shape{0, 5});
  CHECK(codes_of(sample("empty_0x5.npy")).empty());
}

TEST_CASE("raw words in npy take the format that is asked for") {
  CHECK(codes_of(sample("bf16_as_u16.npy"), formats::bf16) == bf16_codes);
  CHECK(codes_of(sample("bf16_as_void.npy"), formats::bf16) == bf16_codes);
  CHECK(codes_of(sample("u8_4.npy"), formats::e4m3) == std::vector<Bits>{0, 0x38, 0x7f, 0xff});
  CHECK(codes_of(sample("f32_2x3.npy"), formats::tf32) == f32_codes);
  CHECK_THROWS_WITH(codes_of(sample("bf16_as_u16.npy")), contains("raw 16-bit words"));
  CHECK_THROWS_WITH(codes_of(sample("bf16_as_u16.npy"), formats::f32),
                    contains("where f32 is needed"));
  CHECK_THROWS_WITH(codes_of(sample("f16_2x3.npy"), formats::bf16),
                    contains("dtype '<f2' where bf16 is needed"));
}

TEST_CASE("npy files that would be misread are refused") {
  CHECK_THROWS_WITH(layout_of(sample("fortran_2x3.npy")), contains("Fortran order"));
  CHECK_THROWS_WITH(layout_of(sample("big_endian.npy")), contains("big endian"));
  CHECK_THROWS_WITH(layout_of(sample("structured.npy")), contains("structured types"));
}

TEST_CASE("a truncated npy file is refused at every length") {
  const std::string whole = sample("f32_2x3.npy");
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(layout_of(whole.substr(0, length)), UsageError);
  CHECK_THROWS_WITH(layout_of(whole.substr(0, whole.size() - 1)),
                    contains("needs 24 bytes of data, the file has 23"));
  CHECK_THROWS_WITH(layout_of(whole + "x"), contains("the file has 25"));
}

TEST_CASE("hostile npy headers are refused before anything is allocated") {
  const auto header = [](const std::string& shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  CHECK_NOTHROW(layout_of(file_with(header("(2,)"), 8)));
  CHECK_NOTHROW(layout_of(file_with("{'shape':(2,3),'descr':\"<f4\",'fortran_order':False}", 24)));
  struct Case {
    std::string header;
    const char* message;
  };
  for (const Case& bad : {
           Case{header("(4294967296, 4294967296)"), "beyond 64 bits"},
           Case{header("(99999999999999999999,)"), "at most 64 bits"},
           Case{header("(1000000000000,)"), "needs 4000000000000 bytes"},
           Case{header("(-1,)"), "dimension"},
           Case{header("(2 3)"), "')' expected"},
           Case{header("(2"), "dimension"},
           Case{header("2"), "'(' expected"},
           Case{header("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
                "more than 32 dimensions"},
           Case{"", "'{' expected"},
           Case{"{}", "is missing"},
           Case{"{'descr': '<f4'", "'}' expected"},
           Case{"{'descr': '<f4', 'descr': '<f4'}", "occurs twice"},
           Case{"{'descr': '<f4', 'order': 1}", "unknown key"},
           Case{"{'descr': '<f4', 'fortran_order': 0}", "True or False"},
           Case{"{'descr': '<f4}", "without end"},
           Case{header("(2,)") + " x", "text after"},
           Case{"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "not a float"},
           Case{"{'descr': '=f4', 'fortran_order': False, 'shape': (1,)}", "byte order"},
           Case{"{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", "width"},
           Case{"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "plain number"},
           Case{"{'descr': '|f1', 'fortran_order': False, 'shape': (1,)}", "one byte"},
       }) {
    CAPTURE(bad.header);
    CHECK_THROWS_WITH(layout_of(file_with(bad.header, 8)), contains(bad.message));
  }
  std::string long_header = "\x93NUMPY";
  long_header += {'\2', '\0', '\xff', '\xff', '\xff', '\xff'};
  CHECK_THROWS_WITH(layout_of(long_header), contains("4.0 GiB"));
  CHECK_THROWS_WITH(layout_of("\x93NUMPY\x07\x01"
                              "aaaa"),
                    contains("version 7.1"));
  CHECK_THROWS_WITH(layout_of("PK\x03\x04 is a zip, npz"), contains("not an .npy file"));
}
