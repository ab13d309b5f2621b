#include <filesystem>

#include "lab/inputs.hpp"
#include "lab/usage_error.hpp"
#include "lab/vector_source.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits;
using test::contains;

namespace {

const std::string data_folder = WHYBITS_SOURCE_DIR "/tests/lab/data/";
const std::vector<Bits> bf16_codes{0x3f80, 0xc000, 0x3f00, 0, 0x7f80, 0x8000};

std::vector<Bits> codes(const std::string& text, const Format& format, std::uint64_t count) {
  return read_all(*parse_input(text, format, count));
}

std::string safetensors_bytes() {
  std::string header = R"({"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})";
  header.resize(64, ' ');
  return std::string{64, 0, 0, 0, 0, 0, 0, 0} + header +
         std::string("\x80\x3f\x00\xc0\x00\x3f\x00\x00\x80\x7f\x00\x80", 12);
}

}  // namespace

TEST_CASE("one tensor is the same through every form that holds words") {
  const test::TemporaryFolder folder;
  const std::string raw =
      folder.write("x.bin", std::string("\x80\x3f\x00\xc0\x00\x3f\x00\x00\x80\x7f\x00\x80", 12));
  const std::string model = folder.write("m.safetensors", safetensors_bytes());
  for (const std::string& text :
       {std::string("hex:3f80,c000,3f00,0,7f80,8000"),
        std::string(R"({"base64":"gD8AwAA/AACAfwCA"})"), R"({"file":")" + raw + "\"}",
        "npy:" + data_folder + "bf16_as_u16.npy", "safetensors:" + model + "#w"}) {
    CAPTURE(text);
    CHECK(codes(text, formats::bf16, 6) == bf16_codes);
  }
  // Relative paths start at the folder that is given.
  const auto relative = open_input(FileInput{"x.bin"}, formats::bf16, {.count = 6}, folder.path());
  CHECK(read_all(*relative) == bf16_codes);
}

TEST_CASE("words of a tf32 operand keep their low bits and say that they are f32") {
  const auto source = parse_input("hex:3f80ffff", formats::tf32, 1);
  CHECK(source->format() == formats::f32);
  CHECK(read_all(*source) == std::vector<Bits>{0x3f80ffff});
  CHECK(parse_input("npy:" + data_folder + "f32_2x3.npy", formats::tf32, 6)->format() ==
        formats::f32);
}

TEST_CASE("inputs with the wrong number of elements are refused") {
  CHECK_THROWS_WITH(codes("hex:1,2", formats::bf16, 3), contains("2 elements given, 3 needed"));
  CHECK_THROWS_WITH(codes(R"({"base64":"AAA="})", formats::bf16, 3),
                    contains("2 bytes given, 6 needed"));
  CHECK_THROWS_WITH(codes("npy:" + data_folder + "f32_2x3.npy", formats::f32, 5),
                    contains("6 elements given, 5 needed"));
  const test::TemporaryFolder folder;
  const std::string raw = folder.write("x.bin", "abc");
  CHECK_THROWS_WITH(codes(R"({"file":")" + raw + "\"}", formats::bf16, 2),
                    contains("the file has 3 bytes, 4 are needed"));
  CHECK(codes("hex:", formats::bf16, 0).empty());
  CHECK(codes(R"({"base64":""})", formats::bf16, 0).empty());
}

TEST_CASE("words that are not codes of the format are refused") {
  CHECK_THROWS_WITH(codes("hex:10000", formats::bf16, 1),
                    contains("more than the 16 bits of bf16"));
  CHECK_THROWS_WITH(codes("hex:10", formats::e2m1, 1), contains("more than the 4 bits of e2m1"));
  CHECK_THROWS_WITH(codes(R"({"base64":"EA=="})", formats::e2m1, 1), contains("word 0 has bits"));
  CHECK_THROWS_WITH(codes(R"({"base64":"A=A="})", formats::bf16, 1), contains("not base64 text"));
}

TEST_CASE("a transposed matrix is refused where the shape is known") {
  const NpyInput input{data_folder + "bf16_as_u16.npy"};
  CHECK_NOTHROW(open_input(input, formats::bf16, {6, {2, 3}}));
  CHECK_NOTHROW(open_input(input, formats::bf16, {6, {}}));
  CHECK_THROWS_WITH(open_input(input, formats::bf16, {6, {3, 2}}),
                    contains("shape is [2, 3], [3, 2] is needed"));
}

TEST_CASE("sizes beyond memory are refused with the bytes they would need") {
  const std::uint64_t trillion = 1'000'000'000'000;
  CHECK_THROWS_WITH(codes(R"({"base64":""})", formats::f32, trillion),
                    contains("would need 3.6 TiB"));
  CHECK_THROWS_WITH(parse_input(R"({"file":"x"})", formats::f64, ~std::uint64_t{0}),
                    contains("more than 16 EiB"));
  // A generated operand of that size costs nothing.
  CHECK(parse_input("uniform:1", formats::f32, trillion)->size() == trillion);
}

TEST_CASE("missing files and folders say so") {
  CHECK_THROWS_WITH(codes("npy:/nowhere/x.npy", formats::f32, 1),
                    contains("/nowhere/x.npy: no such file"));
  CHECK_THROWS_WITH(codes(R"({"file":"/tmp"})", formats::f32, 1), contains("not a regular file"));
}
