// Recordings of cuBLASLt on an H200 against topologies that come from its reported fields alone.
#include <filesystem>
#include <set>

#include "lab/derive.hpp"
#include "lab/usage_error.hpp"
#include "lab/verify.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;

namespace {

Recording recording(const std::string& name) {
  return read_recording(std::string(WHYBITS_SOURCE_DIR "/tests/recordings/") + name + ".json");
}

namespace fs = std::filesystem;
const fs::path sweep = WHYBITS_SOURCE_DIR "/tests/recordings/cublaslt";
constexpr const char* f32_simt = "cublaslt-f32-m128-n1024-k8192-NN-ws32m";
constexpr const char* split_bf16 = "cublaslt-bf16o32-m16-n1024-k8192-TN-ws32m";

/// Outputs that the derived topology gets wrong with one field changed.
std::uint64_t wrong_with(Recording changed, const char* field, unsigned value) {
  changed.algorithm[field] = value;
  const Verification v = verify(changed, false);
  REQUIRE_FALSE(v.unsupported);
  return v.wrong;
}

}  // namespace

TEST_CASE("every cuBLASLt recording of an H200 has the bits that its fields predict") {
  for (const char* name :
       {"cublaslt-bf16-m16-n777-k1544-NN-ws32m", split_bf16,
        "cublaslt-bf16o32-m304-n1024-k8192-TN-ws32m", "cublaslt-e4m3-m16-n1024-k8192-TN-ws32m",
        "cublaslt-e4m3-m304-n1024-k8192-TN-ws32m", "cublaslt-e4m3fast-m16-n1024-k8192-TN-ws32m",
        "cublaslt-e4m3fast-m304-n1024-k8192-TN-ws32m", f32_simt}) {
    INFO(name);
    const Verification v = verify(recording(name), false);
    CHECK(v.passed());
    CHECK(v.basis == Basis::from_fields);
    CHECK_FALSE(v.rule.empty());
  }
}

TEST_CASE("recordings of the sweep have the bits that their fields predict, all families") {
  std::set<std::uint32_t> ids;
  std::size_t checked = 0, f32_outputs = 0;
  for (const auto& entry : fs::directory_iterator(sweep)) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().filename().string());
    const Recording r = read_recording(entry.path());
    const Verification v = verify(r, false);
    CHECK(v.passed());
    CHECK(v.basis == Basis::from_fields);
    ids.insert(r.algorithm.at("id").get<std::uint32_t>());
    ++checked;
    if (r.types.out == formats::f32) ++f32_outputs;
  }
  CHECK(checked == 120);
  CHECK(f32_outputs >= 30);
  CHECK(ids == std::set<std::uint32_t>{11, 13, 20, 21, 23, 24, 35, 39, 41, 42, 43, 55, 62, 66});
}

TEST_CASE("recordings of the sweep that no rule covers are told apart, and none is guessed") {
  std::size_t none = 0;
  for (const auto& entry : fs::directory_iterator(sweep / "no_rule")) {
    INFO(entry.path().filename().string());
    const Verification v = verify(read_recording(entry.path()), false, {}, TopologyFrom::model);
    CHECK_FALSE(v.passed());
    CHECK_THAT(v.unsupported.value_or(""), contains("no rule"));
    ++none;
  }
  CHECK(none == 10);
}

TEST_CASE("other fields predict other bits than recorded") {
  const Recording split = recording(split_bf16);  // 6 slices of 1408
  CHECK(wrong_with(split, "split_k", 5U) == 997);
  CHECK(wrong_with(split, "split_k", 1U) == 1022);
  const Recording simt = recording(f32_simt);  // 33 slices of 256
  CHECK(wrong_with(simt, "split_k", 16U) == 956);
}

TEST_CASE("fp8 recordings tell fast accumulation from promotion") {
  Recording fast = recording("cublaslt-e4m3fast-m304-n1024-k8192-TN-ws32m");
  fast.settings["fast_accumulation"] = false;
  CHECK(verify(fast, false).wrong == 342);
}

TEST_CASE("a topology in the file is what is checked, unless it is to be derived") {
  Recording stated = recording(split_bf16);
  stated.topology = "fold(sm90.wgmma.bf16)";
  const Verification given = verify(stated, false);
  CHECK(given.basis == Basis::given);
  CHECK_FALSE(given.passed());
  CHECK(verify(stated, false, {}, TopologyFrom::model).passed());
}

TEST_CASE("what no rule covers is not checked and says why") {
  const auto why = [](Recording changed) {
    const Verification v = verify(changed, false, {}, TopologyFrom::model);
    CHECK_FALSE(v.passed());
    return v.unsupported.value_or("");
  };
  Recording other = recording(split_bf16);
  other.library.version = "12.8.5";
  CHECK_THAT(why(other), contains("12.8.5"));
  other = recording(split_bf16);
  other.source["compute_capability"] = "10.0";
  CHECK_THAT(why(other), contains("10.0"));
  other = recording(split_bf16);
  other.algorithm["id"] = 40U;
  CHECK_THAT(why(other), contains("id 40 has no rule"));
  other = recording(split_bf16);
  other.layout.reset();
  CHECK_THAT(why(other), contains("layout"));
  CHECK_THAT(why(recording("cublas-bf16-m1-n4096-k14336")), contains("cublas 13.1.0"));
}

TEST_CASE("fields that are missing or no numbers are refused with their name") {
  Recording bad = recording(split_bf16);
  bad.algorithm.erase("tile");
  CHECK_THROWS_WITH(verify(bad, false), contains("tile"));
  bad = recording(split_bf16);
  bad.algorithm["split_k"] = "six";
  CHECK_THROWS_WITH(verify(bad, false), contains("split_k"));
  bad = recording(split_bf16);
  bad.algorithm["stages"] = -1;
  CHECK_THROWS_WITH(verify(bad, false), contains("stages"));
  bad = recording(split_bf16);
  bad.settings.erase("compute");
  CHECK_THROWS_WITH(verify(bad, false), contains("compute"));
}

TEST_CASE("algorithm fields survive JSON, with -1 for parts that the kernel decides") {
  cublaslt::Algorithm algorithm{43, 17, 34, cublaslt::decided_by_kernel, 2, 1, 0, 0, 8};
  const nlohmann::json fields = algorithm_json(algorithm);
  CHECK(fields.at("split_k") == -1);
  CHECK(read_algorithm(fields, "test") == algorithm);
}
