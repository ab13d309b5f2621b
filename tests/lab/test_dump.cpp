#include "lab/dump.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits;
using test::contains;
using Shape = std::vector<std::uint64_t>;

namespace {

const std::string source_folder = WHYBITS_SOURCE_DIR;
const std::string npy = source_folder + "/tests/lab/data/f32_2x3.npy";
const std::string recording = source_folder + "/tests/recordings/mma-bf16-steps1-dist0.json";

}  // namespace

TEST_CASE("dumps are read from every kind of file") {
  const Dump array = read_dump(npy, {});
  CHECK(array.codes.format() == formats::f32);
  CHECK(array.shape == Shape{2, 3});
  CHECK(read_dump("npy:" + npy, formats::f32).codes[1] == 0xc0000000);
  CHECK(read_dump(source_folder + "/tests/lab/data/bf16_as_u16.npy", formats::bf16).codes[1] ==
        0xc000);

  const Dump recorded = read_dump(recording, {});
  CHECK(recorded.codes.format() == formats::f32);
  CHECK(recorded.shape == Shape{32, 16, 8});
  CHECK(recorded.codes[1] == 0xff800000);

  const test::TemporaryFolder folder;
  const Dump raw =
      read_dump(folder.write("x.bin", std::string("\x80\x3f\x00\x40", 4)), formats::bf16);
  CHECK(raw.shape == Shape{2});
  CHECK(raw.codes[0] == 0x3f80);
  std::string header = R"({"w":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}})";
  header.resize(64, ' ');
  const std::string model =
      folder.write("m.safetensors", std::string{64, 0, 0, 0, 0, 0, 0, 0} + header +
                                        std::string("\x80\x3f\x00\x40", 4));
  CHECK(read_dump(model + "#w", {}).shape == Shape{1, 2});
  CHECK(read_dump("safetensors:" + model + "#w", formats::bf16).codes[1] == 0x4000);
  CHECK_THROWS_WITH(read_dump(model, {}), contains("which tensor?"));
}

TEST_CASE("dumps that cannot be read say what to do") {
  const test::TemporaryFolder folder;
  const std::string odd = folder.write("odd.bin", "abc");
  CHECK_THROWS_WITH(read_dump(odd, {}), contains("raw words need a format"));
  CHECK_THROWS_WITH(read_dump(odd, formats::bf16), contains("not a whole number of 2-byte words"));
  CHECK_THROWS_WITH(read_dump(folder.file("none.npy"), {}), contains("no such file"));
  CHECK_THROWS_WITH(read_dump(recording, formats::bf16), contains("the output is f32, not bf16"));
}
