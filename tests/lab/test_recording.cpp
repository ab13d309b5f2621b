#include <algorithm>

#include "exact/measure.hpp"
#include "lab/files.hpp"
#include "lab/generators.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/recording.hpp"
#include "lab/usage_error.hpp"
#include "sim/superaccumulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits;
using nlohmann::json;
using test::contains;

namespace {

namespace fs = std::filesystem;
const fs::path recordings = WHYBITS_SOURCE_DIR "/tests/recordings";

std::vector<fs::path> recorded_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(recordings))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// A gemm of 2 × 3 outputs of which row 1 is recorded: 1, 2, −0 in bf16.
const std::string small_text = R"({
 "whybits_recording": 1,
 "source": {"device": "NVIDIA H200", "compute_capability": "9.0", "date": "2026-11-29"},
 "library": {"name": "cublasLt", "version": "13.1.0"},
 "settings": {"workspace_bytes": 33554432, "fast": false, "ring": [0, 2, 1]},
 "kernel": "cublaslt.matmul", "guarantee": "run_to_run",
 "computation": "gemm", "shape": {"m": 2, "n": 3, "k": 1}, "layout": {"a": "mk", "b": "nk"},
 "types": {"a": "bf16", "b": "bf16", "accumulate": "f32", "out": "bf16"},
 "inputs": {"a": "hex:0,3f80", "b": {"base64": "gD8AQACA"}},
 "algorithm": {"id": 66, "split_k": 4},
 "topology": "fold(sm90.wgmma.bf16) > bf16",
 "output": {"rows": [1], "xxh3_128": "HASH", "bits": {"base64": "gD8AQACA"}}
})";

json small() {
  std::string text = small_text;
  const std::vector<std::uint8_t> words{0x80, 0x3f, 0x00, 0x40, 0x00, 0x80};
  text.replace(text.find("HASH"), 4, xxh3_128_hex(words));
  return json::parse(text);
}

Recording parse(const json& document) {
  return parse_recording(document.dump(), "x.json");
}

/// The small recording with the value at a JSON pointer replaced, added, or (null) removed.
json changed(const std::string& pointer, const json& value) {
  json document = small();
  const json::json_pointer place(pointer);
  if (value.is_null()) {
    document[place.parent_pointer()].erase(place.back());
  } else {
    document[place] = value;
  }
  return document;
}

}  // namespace

TEST_CASE("every recording of the collection loads, its hash is that of its words") {
  const auto files = recorded_files();
  CHECK(files.size() >= 26);
  for (const fs::path& file : files) {
    CAPTURE(file.string());
    const Recording recording = read_recording(file);
    const bool hash_only = file.stem().string().ends_with("-hash");
    REQUIRE(recording.output.words.has_value() != hash_only);
    if (!hash_only) {
      CHECK(xxh3_128_hex(*recording.output.words) == recording.output.xxh3_128);
      CHECK(recording.output_codes()->size() == recording.output_elements());
    }
    for (const std::string& operand : recording.operand_names()) {
      const auto source = recording.open(operand);
      CHECK(source->size() == recording.operand_extent(operand).count);
    }
  }
}

TEST_CASE("reading, writing and reading again gives the same recording") {
  const test::TemporaryFolder folder;
  for (const fs::path& file : recorded_files()) {
    CAPTURE(file.string());
    const Recording first = read_recording(file);
    const std::string copy = folder.file("copy.json");
    write_recording(copy, first);
    CHECK(json::parse(read_text_file(copy, largest_recording_bytes)) ==
          json::parse(read_text_file(file, largest_recording_bytes)));
    CHECK(recording_text(read_recording(copy)) == recording_text(first));
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("the fields of a recording") {
  const Recording gemm = read_recording(recordings / "cublas-bf16-m128-n4096-k14336.json");
  CHECK(gemm.source.at("device") == "NVIDIA H200");
  CHECK(gemm.library == RecordedLibrary{"cublas", "13.1.0", "torch 2.11.0+cu130"});
  CHECK(gemm.guarantee == Guarantee::run_to_run);
  CHECK(gemm.computation == RecordedComputation::gemm);
  CHECK(gemm.shape == RecordedShape{.m = 128, .n = 4096, .k = 14336});
  CHECK(gemm.types.accumulate == formats::f32);
  CHECK(gemm.inputs.at("b") == InputSpec{UniformInput{12}});
  CHECK(gemm.topology == "slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16");
  CHECK(gemm.operand_extent("b").shape == std::vector<std::uint64_t>{14336, 4096});
  CHECK(gemm.output_rows() == std::vector<std::uint64_t>{0});

  const Recording lt = read_recording(recordings / "cublaslt-bf16-m16-n777-k1544-NN-ws32m.json");
  CHECK(lt.algorithm.at("split_k") == 16);
  CHECK(lt.settings.at("workspace_bytes") == 33554432);
  CHECK_FALSE(lt.topology.has_value());

  const Recording mma = read_recording(recordings / "mma-tf32-steps1-dist2.json");
  CHECK(mma.types.a == formats::tf32);
  CHECK(mma.open("a")->format() == formats::f32);  // words as given to the instruction
  CHECK(mma.operand_extent("b").shape == std::vector<std::uint64_t>{32, 8, 8});

  const Recording reduce = read_recording(recordings / "nccl-ring-f32-n4-count7.json");
  CHECK(reduce.operand_names() == std::vector<std::string>{"rank0", "rank1", "rank2", "rank3"});
  CHECK(reduce.settings.at("NCCL_ALGO") == "Ring");
}

TEST_CASE("a recording may keep only the hash of its output") {
  json document = small();
  document["output"].erase("bits");
  const Recording recording = parse(document);
  CHECK_FALSE(recording.output_codes().has_value());
  CHECK(json::parse(recording_text(recording)) == document);
}

TEST_CASE("words may lie in a file beside the recording") {
  const test::TemporaryFolder folder;
  folder.write("out.bin", std::string("\x80\x3f\x00\x40\x00\x80", 6));
  const std::string path =
      folder.write("r.json", changed("/output/bits", {{"file", "out.bin"}}).dump());
  CHECK((*read_recording(path).output_codes())[1] == 0x4000);
  folder.write("out.bin", "short");
  CHECK_THROWS_WITH(read_recording(path), contains("the file has 5 bytes, 6 are needed"));
}

TEST_CASE("a changed bit of the output is noticed") {
  CHECK_THROWS_WITH(parse(changed("/output/bits/base64", "gT8AQACA")),
                    contains("output.xxh3_128: the words hash to"));
}

TEST_CASE("every fault of a recording is told with file and place") {
  struct Case {
    const char* pointer;
    json value;
    const char* message;
  };
  const std::vector<Case> cases{
      {"/whybits_recording", nullptr, "x.json: the document: 'whybits_recording' is missing"},
      {"/whybits_recording", 2, "whybits_recording: 2 is not between 1 and 1"},
      {"/whybits_recording", "1", "whybits_recording: not an unsigned integer"},
      {"/topolgy", "fold(f32)", "'topolgy' is not a known key"},
      {"/source", nullptr, "'source' is missing"},
      {"/source", "H200", "source: not an object"},
      {"/source/device", nullptr, "source: 'device' is missing"},
      {"/source/device", 1, "source.device: not a string"},
      {"/library/version", nullptr, "library: 'version' is missing"},
      {"/library/build", "x", "library: 'build' is not a known key"},
      {"/settings", 1, "settings: not an object"},
      {"/settings/deep", {{"a", 1}}, "settings.deep: not a text"},
      {"/settings/ring", {{1}}, "settings.ring[0]: not a text"},
      {"/kernel", nullptr, "'kernel' is missing"},
      {"/guarantee", "always", "guarantee: 'always' is not known"},
      {"/computation", "conv", "computation: 'conv' is not known"},
      {"/shape/m", nullptr, "shape: 'm' is missing"},
      {"/shape/m", -1, "shape.m: not an unsigned integer"},
      {"/shape/m", 1.5, "shape.m: not an unsigned integer"},
      {"/shape/m", 4294967296, "shape.m: 4294967296 is not between"},
      {"/shape/tiles", 1, "shape: 'tiles' is not a known key"},
      {"/shape", {{"m", 4294967295}, {"n", 4294967295}, {"k", 1}}, "more than 281474976710656"},
      {"/layout/a", "nk", "layout.a: must be"},
      {"/types/a", "bfloat16", "types.a: 'bfloat16' is not a number format"},
      {"/types/b", nullptr, "types: 'b' is missing"},
      {"/types/d", "f32", "types: 'd' is not a known key"},
      {"/inputs/b", nullptr, "inputs: 'b' is missing"},
      {"/inputs/c", "ones", "inputs: 'c' is not an operand here"},
      {"/inputs/a", "uniform", "inputs.a: input 'uniform': not an input form"},
      {"/inputs/a", 5, "inputs.a: input '5'"},
      {"/inputs/a", "hex:1", "inputs.a: hex: 1 element given, 2 needed"},
      {"/inputs/a", {{"base64", "AAAA"}}, "inputs.a: base64: 3 bytes given, 4 needed"},
      {"/inputs/a", {{"base64", "A-A="}}, "inputs.a: base64:"},
      {"/inputs/a", {{"file", "/etc/passwd"}}, "inputs.a: '/etc/passwd' is not a file inside"},
      {"/inputs/a", {{"file", "x/../../y"}}, "is not a file inside"},
      {"/inputs/a", "npy:x.npy", "inputs.a: npy and safetensors files are for the command line"},
      {"/algorithm", {1, 2}, "algorithm: not an object"},
      {"/topology", 1, "topology: not a string"},
      {"/output", nullptr, "'output' is missing"},
      {"/output/rows", {2}, "output.rows[0]: 2 is not between 0 and 1"},
      {"/output/rows", {1, 0}, "output.rows[1]: rows must ascend"},
      {"/output/rows", {1, 1}, "output.rows[1]: rows must ascend"},
      {"/output/rows", json::array(), "output.rows: no rows"},
      {"/output/rows", {0, 1}, "output.bits.base64: 6 bytes given, 12 needed"},
      {"/output/xxh3_128", "00", "output.xxh3_128: not 32 lower-case"},
      {"/output/xxh3_128", std::string(32, 'F'), "output.xxh3_128: not 32 lower-case"},
      {"/output/bits", json::object(), "output.bits: must have one of"},
      {"/output/bits/base64", "gD8AQAC*", "output.bits.base64: not base64 text"},
      {"/output/bits", {{"file", "../x"}}, "output.bits.file: '../x' is not a file inside"},
  };
  CHECK_NOTHROW(parse(small()));
  for (const Case& bad : cases) {
    CAPTURE(bad.pointer, bad.value.dump());
    const json document = changed(bad.pointer, bad.value);
    CHECK_THROWS_AS(parse(document), UsageError);
    CHECK_THROWS_WITH(parse(document), contains("x.json: "));
    CHECK_THROWS_WITH(parse(document), contains(bad.message));
  }
}

TEST_CASE("sizes are compared before anything is allocated") {
  json document = small();
  document["shape"] = {{"m", 65536}, {"n", 65536}, {"k", 1}};
  document["output"] = {{"xxh3_128", std::string(32, '0')}, {"bits", {{"base64", "AAAA"}}}};
  document["inputs"] = {{"a", "ones"}, {"b", "ones"}};
  CHECK_THROWS_WITH(parse(document), contains("3 bytes given, 8589934592 needed"));
}

TEST_CASE("a truncated recording is refused at every length") {
  const std::string whole = small().dump(1);
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(parse_recording(whole.substr(0, length), "x.json"), UsageError);
}

TEST_CASE("types that a computation does not have are refused") {
  json document = json::parse(read_text_file(recordings / "nccl-ring-f32-n4-count7.json", 1 << 20));
  document["types"]["b"] = "f32";
  CHECK_THROWS_WITH(parse(document), contains("types: 'b' is not a known key"));
  document["types"].erase("b");
  document["inputs"].erase("rank3");
  CHECK_THROWS_WITH(parse(document), contains("inputs: 'rank3' is missing"));
  document["shape"]["ranks"] = 3;
  CHECK_NOTHROW(parse(document));
  document["shape"]["ranks_per_node"] = 2;
  CHECK_THROWS_WITH(parse(document), contains("ranks_per_node: must divide the number of ranks"));
  document["shape"]["ranks_per_node"] = 1;
  CHECK(parse(document).shape.ranks_per_node == 1);
  document["output"]["rows"] = {0};
  CHECK_THROWS_WITH(parse(document), contains("only a gemm has rows"));
}

TEST_CASE("the recording that the Python example of docs/recordings.md wrote") {
  const Recording recording =
      read_recording(WHYBITS_SOURCE_DIR "/tests/lab/data/numpy-matmul.json");
  const std::uint64_t m = recording.shape.m, n = recording.shape.n, k = recording.shape.k;
  const VectorSource out = *recording.output_codes();
  // NumPy's matmul on the inputs that NumPy generated: as near to the exact products of our inputs
  // as f32 gets, and nowhere near those of another stream.
  const auto rms_error = [&](const CodeSource& a, const CodeSource& b) {
    exact::ErrorStatistics errors;
    for (std::uint64_t i = 0; i < m * n; ++i) {
      std::vector<Bits> row(k), column(k);
      a.read(i / n * k, 1, row);
      b.read(i % n, n, column);
      Superaccumulator sum;
      for (std::size_t j = 0; j < k; ++j)
        sum.add_product(unpack(formats::f32, row[j]), unpack(formats::f32, column[j]));
      errors.add(formats::f32, out[i], sum.value());
    }
    return errors.rms();
  };
  const auto a = recording.open("a"), b = recording.open("b");
  CHECK(rms_error(*a, *b) < 2e-6);
  CHECK(rms_error(*a, *uniform_source(formats::f32, k * n, 3)) > 1);
}
