// Recordings of an H200, bit for bit, each with neighbours that fail in a stated count.
#include <map>

#include "lab/usage_error.hpp"
#include "lab/verify.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

const std::string folder = WHYBITS_SOURCE_DIR "/tests/recordings/";

Recording recorded(const std::string& name) {
  return read_recording(folder + name);
}

using Counts = std::map<std::string, std::uint64_t>;

struct Expected {
  const char* file;
  std::uint64_t outputs;
  std::uint64_t not_finite;
  Counts controls;  ///< outputs that each neighbour gets wrong
};

void check(const Expected& expected) {
  CAPTURE(expected.file);
  const Verification v = verify(recorded(expected.file), true);
  CHECK(v.passed());
  CHECK(v.compared == expected.outputs);
  CHECK(v.wrong == 0);
  CHECK(v.not_finite == expected.not_finite);
  CHECK(v.device == "NVIDIA H200");
  Counts counts;
  for (const ControlCount& control : v.controls) counts[control.name] = control.wrong;
  CHECK(counts == expected.controls);
}

const Expected instructions[] = {
    {"mma-bf16-steps1-dist0.json",
     4096,
     3724,
     {{"one fraction bit less", 29},
      {"one fraction bit more", 16},
      {"the other rounding of a step", 95},
      {"steps half as wide", 374},
      {"c added last instead of first", 21}}},
    {"mma-bf16-steps2-dist1.json",
     4096,
     0,
     {{"one fraction bit less", 1760},
      {"one fraction bit more", 1111},
      {"the other rounding of a step", 2113},
      {"steps half as wide", 1956},
      {"a seam in the middle", 1596},
      {"c added last instead of first", 997}}},
    {"mma-e4m3-steps1-dist1.json",
     4096,
     0,
     {{"products in first and second half", 1206}, {"products even and odd", 1166}}},
    {"mma-tf32-steps1-dist2.json",
     4096,
     0,
     {{"one fraction bit less", 963},
      {"one fraction bit more", 517},
      {"the other rounding of a step", 1545},
      {"steps half as wide", 1300},
      {"c added last instead of first", 1195}}},
    {"wgmma-e4m3-steps1-dist1.json",
     8192,
     0,
     {{"one fraction bit less", 6085},
      {"one fraction bit more", 4763},
      {"the other rounding of a step", 931},
      {"steps half as wide", 2982},
      {"c added last instead of first", 5860}}},
    {"wgmma-f16-steps2-dist0.json",
     8192,
     7056,
     {{"one fraction bit less", 312},
      {"one fraction bit more", 221},
      {"the other rounding of a step", 402},
      {"steps half as wide", 351},
      {"a seam in the middle", 309},
      {"c added last instead of first", 106}}},
    {"wgmma-f16-steps2-dist1.json",
     8192,
     0,
     {{"one fraction bit less", 3884},
      {"one fraction bit more", 2425},
      {"the other rounding of a step", 4386},
      {"steps half as wide", 3975},
      {"a seam in the middle", 3268},
      {"c added last instead of first", 1931}}},
};

const Expected layers[] = {
    // Four slices merged in reverse: no bf16 output of this row tells. (f32 sums would.)
    {"cublas-bf16-m1-n4096-k14336.json",
     4096,
     0,
     {{"one fraction bit less", 3},
      {"one fraction bit more", 1},
      {"the other rounding of a step", 10},
      {"steps half as wide", 4},
      {"seams 64 later", 6},
      {"slices merged from the last", 0}}},
    {"cublas-bf16-m128-n4096-k14336.json",
     4096,
     0,
     {{"one fraction bit less", 5},
      {"one fraction bit more", 5},
      {"the other rounding of a step", 22},
      {"steps half as wide", 8},
      {"seams 64 later", 3}}},
    {"cublas-bf16-m1024-n4096-k14336.json",
     4096,
     0,
     {{"one fraction bit less", 9},
      {"one fraction bit more", 4},
      {"the other rounding of a step", 24},
      {"steps half as wide", 13},
      {"a seam in the middle", 29}}},
};

const std::string mma = "mma-bf16-steps2-dist1.json";

}  // namespace

TEST_CASE("Single matrix instructions: every bit of the H200, and wrong neighbours fail") {
  for (const Expected& expected : instructions) check(expected);
}

TEST_CASE("cuBLAS's layer at three batch sizes: every bit of the H200", "[.full]") {
  for (const Expected& expected : layers) check(expected);
}

TEST_CASE("A single flipped bit is found, wherever it is") {
  const Recording sound = recorded(mma);
  for (const std::size_t index : {std::size_t{0}, std::size_t{1234}, std::size_t{4095}})
    for (const std::size_t byte : {0U, 3U}) {
      Recording flipped = sound;
      std::vector<std::uint8_t> words = *flipped.output.words;
      words[4 * index + byte] ^= 0x40;
      set_output(flipped, words);
      const Verification v = verify(flipped, false);
      CHECK_FALSE(v.passed());
      CHECK(v.wrong == 1);
      CHECK(v.first_wrong == index);
      CHECK((v.recorded ^ v.predicted) == Bits{0x40} << (8 * byte));
    }
}

TEST_CASE("The first wrong output is named by its place") {
  Recording flipped = recorded(mma);  // 32 tiles of 16 × 8
  std::vector<std::uint8_t> words = *flipped.output.words;
  words[4 * (3 * 128 + 5 * 8 + 6)] ^= 1;
  set_output(flipped, words);
  CHECK(verify(flipped, false).first_wrong_place == "tile 3, [5,6]");
}

TEST_CASE("A recording without its words is compared by their hash") {
  Recording by_hash = recorded(mma);
  by_hash.output.words.reset();
  const Verification same = verify(by_hash, true);
  CHECK(same.passed());
  CHECK(same.hash_only);
  for (const ControlCount& control : same.controls) CHECK(control.wrong == 4096);
  by_hash.output.xxh3_128[31] ^= 1;
  const Verification other = verify(by_hash, false);
  CHECK_FALSE(other.passed());
  CHECK(other.wrong == 4096);
}

TEST_CASE("What cannot be checked yet is no pass") {
  for (const char* name :
       {"nccl-ring-f32-n4-count7.json", "cublaslt-f32-m128-n1024-k8192-NN-ws32m.json"}) {
    CAPTURE(name);
    const Verification v = verify(recorded(name), true);
    CHECK(v.unsupported);
    CHECK_FALSE(v.passed());
    CHECK(v.compared == 0);
  }
  Recording no_topology = recorded(mma);
  no_topology.topology.reset();
  CHECK_THAT(*verify(no_topology, true).unsupported, contains("no model of"));
}

TEST_CASE("A recording without outputs is refused: nothing would pass for everything") {
  Recording nothing = recorded(mma);
  nothing.shape.tiles = 0;
  set_output(nothing, {});
  CHECK_THROWS_WITH(verify(nothing, true), contains("no elements"));
}

TEST_CASE("Topologies that do not fit the recording are refused by file and reason") {
  const auto refused = [](const char* topology, const char* reason) {
    Recording recording = recorded(mma);
    recording.topology = topology;
    CAPTURE(topology);
    CHECK_THROWS_AS(verify(recording, true), UsageError);
    CHECK_THROWS_WITH(verify(recording, true), contains(mma) && contains(reason));
  };
  refused("fold(", "column 6");
  refused("fold(sm99.mma.bf16)", "unknown unit");
  refused("fold(f32)", "topology: ");
  refused("fold(sm90.mma.f16)", "takes operands of f16, not bf16");
  refused("fold(sm90.mma.bf16) + bias", "operand");
  refused("fold(sm90.mma.bf16, from=0) > f64", "topology gives f64, but types.out is f32");
  refused("{ [0,4096): fold(sm90.mma.bf16) }", "a map");
  refused("order(0 1, fold(sm90.mma.bf16))", "2 places");
}

TEST_CASE("k = 0 gives c, and no control divides by it") {
  Recording empty_sums = recorded(mma);
  empty_sums.shape.k = 0;
  empty_sums.inputs.at("a") = UniformInput{1};
  empty_sums.inputs.at("b") = UniformInput{2};
  empty_sums.inputs.at("c") = OnesInput{};
  std::vector<std::uint8_t> ones;
  for (int i = 0; i < 4096; ++i)
    ones.insert(ones.end(), {0x00, 0x00, 0x80, 0x3f});
  set_output(empty_sums, ones);
  CHECK(verify(empty_sums, true).passed());
}

TEST_CASE("Verification gives the same counts for any number of threads") {
  const Recording gemm = recorded("cublas-bf16-m1-n4096-k14336.json");
  Recording narrow = gemm;
  narrow.shape = {};
  narrow.shape.m = 2;
  narrow.shape.n = 100;
  narrow.shape.k = 64;
  narrow.output.rows.clear();
  set_output(narrow, std::vector<std::uint8_t>(400, 0));
  const std::uint64_t wrong = verify(narrow, false, {.threads = 1}).wrong;
  CHECK(wrong > 190);
  for (const unsigned threads : {0U, 3U, 50U})
    CHECK(verify(narrow, false, {.threads = threads}).wrong == wrong);
}
