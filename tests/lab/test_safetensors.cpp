#include <sstream>

#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;
using Shape = std::vector<std::uint64_t>;

namespace {

std::string file_with(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 255);
  return bytes + header + data;
}

// Two tensors and metadata, padded with spaces as its writers do.
const std::string good_header = R"({"__metadata__":{"format":"pt"},)"
                                R"("w":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},)"
                                R"("s":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}   )";
const std::string good_data{"\x80\x3f\x00\x40\x00\x00\x00\x80\x00\x00\x40\x40", 12};

TensorLayout layout_of(const std::string& bytes, const std::string& tensor = "w") {
  std::istringstream file(bytes);
  return safetensors_layout(file, "m.safetensors", tensor);
}

}  // namespace

TEST_CASE("safetensors tensors are found by name") {
  const std::string bytes = file_with(good_header, good_data);
  std::istringstream file(bytes);
  const TensorLayout w = safetensors_layout(file, "m", "w");
  CHECK(w.shape == Shape{2, 2});
  CHECK(w.format == formats::bf16);
  CHECK(read_all(read_tensor(file, w, *w.format, "m")) ==
        std::vector<Bits>{0x3f80, 0x4000, 0, 0x8000});
  const TensorLayout s = layout_of(bytes, "s");
  CHECK(s.elements == 1);
  CHECK(read_all(read_tensor(file, s, *s.format, "m")) == std::vector<Bits>{0x40400000});
  CHECK_THROWS_WITH(layout_of(bytes, "missing"), contains("no tensor 'missing'"));
}

TEST_CASE("a truncated safetensors file is refused at every length") {
  const std::string whole = file_with(good_header, good_data);
  CHECK_NOTHROW(layout_of(whole));
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(layout_of(whole.substr(0, length)), UsageError);
  CHECK_THROWS_WITH(layout_of(whole + "x"), contains("the file has 13"));
}

TEST_CASE("hostile safetensors headers are refused") {
  const auto tensor = [](const std::string& fields) { return R"({"w":{)" + fields + "}}"; };
  const std::string data(8, '\0');
  struct Case {
    std::string header;
    const char* message;
  };
  for (const Case& bad : {
           Case{"", "parse error"},
           Case{"[]", "not a JSON object"},
           Case{"{\"w\":1}", "must have exactly"},
           Case{tensor(R"("dtype":"F32","shape":[2])"), "must have exactly"},
           Case{tensor(R"("dtype":"F4","shape":[2],"data_offsets":[0,8])"), "'F4' is not known"},
           Case{tensor(R"("dtype":1,"shape":[2],"data_offsets":[0,8])"), "dtype is not a string"},
           Case{tensor(R"("dtype":"F32","shape":2,"data_offsets":[0,8])"), "not an array"},
           Case{tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), "unsigned"},
           Case{tensor(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), "unsigned"},
           Case{tensor(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])"),
                "beyond 64 bits"},
           Case{tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), "needs 12 bytes"},
           Case{tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), "bytes 8 to 0"},
           Case{tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), "not a pair"},
           Case{tensor(R"("dtype":"F32","shape":[4],"data_offsets":[0,16])"), "of 8 bytes of data"},
           Case{tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), "hole or an overlap"},
           Case{tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), "describes 4 bytes"},
           Case{R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                R"("v":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                "hole or an overlap"},
           Case{R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                R"("w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                "occurs twice"},
           Case{"{\"w\":[[[[[[[[1]]]]]]]]}", "levels deep"},
       }) {
    CAPTURE(bad.header);
    CHECK_THROWS_WITH(layout_of(file_with(bad.header, data)), contains(bad.message));
  }
  CHECK_THROWS_WITH(layout_of("1234567"), contains("shorter than 8 bytes"));
  CHECK_THROWS_WITH(layout_of(std::string(8, '\xff') + "{}"), contains("not a safetensors file"));
}
