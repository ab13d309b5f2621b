// whybits verify as a person meets it: exit codes, tables, and what must never be a pass.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/lab/temporary_folder.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::TemporaryFolder;

namespace {

const std::string folder = WHYBITS_SOURCE_DIR "/tests/recordings/";

CommandResult verify(const std::string& arguments, bool with_errors = false) {
  return whybits::test::run_whybits("verify " + arguments, with_errors);
}

std::string recorded(const std::string& name) {
  return "'" + folder + name + "' ";
}

nlohmann::json document(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(folder + name));
}

const std::string mma = "mma-bf16-steps2-dist1.json";

}  // namespace

TEST_CASE("verify of two instructions and a collective is as approved") {
  const CommandResult text = verify(recorded(mma) + recorded("wgmma-f16-steps2-dist0.json") +
                                    recorded("nccl-ring-f32-n4-count7.json"));
  CHECK(text.exit_code == 3);
  CHECK(text.out == approved("verify.txt", text.out));
}

TEST_CASE("verify writes CSV and JSON for programs") {
  const std::string files = recorded(mma) + recorded("nccl-ring-f32-n4-count7.json");
  const CommandResult csv = verify("--csv " + files);
  CHECK(csv.exit_code == 3);
  CHECK(csv.out == "file,verdict,basis,compared,wrong,controls,controls_separated\n\"" + folder +
                       mma + "\",same,given,4096,0,6,6\n\"" + folder +
                       "nccl-ring-f32-n4-count7.json\",not_checked,,0,0,0,0\n");
  const CommandResult result = verify("--json " + files);
  CHECK(result.exit_code == 3);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["whybits_verify"] == 1);
  CHECK(json["files"][0]["verdict"] == "same");
  CHECK(json["files"][0]["device"] == "NVIDIA H200");
  CHECK(json["files"][0]["basis"] == "given");
  CHECK(json["files"][0]["compared"] == 4096);
  CHECK(json["files"][0]["controls"].size() == 6);
  CHECK(json["files"][1]["verdict"] == "not_checked");
  CHECK(json["totals"]["given"] ==
        nlohmann::json({{"files", 1}, {"same", 1}, {"outputs", 4096}, {"wrong", 0}}));
  CHECK(json["totals"]["from fields"]["files"] == 0);
  CHECK(json["totals"]["not checked"] == 1);
}

TEST_CASE("Without controls the verdict is the same and shorter") {
  const CommandResult text = verify("--no-controls " + recorded(mma));
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, contains("every bit") && !contains("control"));
}

TEST_CASE("Libraries without a model end with 3, never with a pass") {
  for (const char* name :
       {"cublaslt-bf16-m16-n777-k1544-NN-ws32m.json", "cublaslt-e4m3-m16-n1024-k8192-TN-ws32m.json",
        "nccl-tree-bf16-n4-count1000.json"}) {
    CAPTURE(name);
    const CommandResult text = verify(recorded(name));
    CHECK(text.exit_code == 3);
    CHECK_THAT(text.out, contains("not checked") && !contains("every bit    "));
  }
}

TEST_CASE("A flipped bit ends with 1 and says where it is") {
  auto flipped = document(mma);
  flipped["topology"] = "fold(sm90.mma.bf16.k8)";  // the same tree, so that only the words differ
  flipped["output"].erase("bits");
  std::string hash = flipped["output"]["xxh3_128"];
  hash[0] = hash[0] == '0' ? '1' : '0';
  flipped["output"]["xxh3_128"] = hash;
  const TemporaryFolder here;
  const CommandResult result = verify("'" + here.write("f.json", flipped.dump()) + "'");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, contains("DIFFERS") && contains("4,096 of 4,096 outputs differ"));
  CHECK_THAT(result.out, contains("compared by hash"));

  auto other = document(mma);
  other["topology"] = "fold(sm80.mma.bf16)";  // Ampere: half as wide, one bit less
  const CommandResult wrong = verify("'" + here.write("o.json", other.dump()) + "'");
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.out, contains("DIFFERS") && contains("first: tile 0, ["));
}

TEST_CASE("Damaged and hostile recordings end with 2 and name the place") {
  const TemporaryFolder here;
  const auto refused = [&](const std::string& content, const std::string& message) {
    CAPTURE(content.substr(0, 200));
    const CommandResult result = verify("'" + here.write("r.json", content) + "'", true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains("r.json: " + message));
    CHECK_THAT(result.out, !contains("every bit"));
  };
  const auto edited = [&](const std::string& pointer, const nlohmann::json& value) {
    auto edit = document(mma);
    edit[nlohmann::json::json_pointer(pointer)] = value;
    return edit.dump();
  };
  std::ostringstream whole;
  whole << std::ifstream(folder + mma).rdbuf();
  refused("", "parse error");
  refused(whole.str().substr(0, whole.str().size() / 2), "parse error");
  refused(std::string(1000, '['), "more than 16 levels deep");
  refused(std::string(100, '\0'), "parse error");
  refused(edited("/whybits_recording", 2), "whybits_recording: 2 is not");
  refused(edited("/types/a", "f17"), "types.a: 'f17' is not a number format");
  refused(edited("/types/a", "f16"), "topology: sm90.mma.bf16 takes operands of bf16, not f16");
  refused(edited("/topology", "fold("), "topology:\nfold(\n");
  refused(edited("/topology", "fold(sm91.mma.bf16)"), "topology:\nfold(sm91.mma.bf16)\n");
  refused(edited("/topology", "fold(f32)"), "topology: ");
  refused(edited("/topology", "fold(exact)"), "topology: the exact sum has no format");
  refused(edited("/topology", "{ [0,2): fold(f32) }"), "topology: a map describes");
  refused(edited("/shape/k", 8), "inputs.a: base64");
  refused(edited("/shape/k", -1), "shape.k: not an unsigned integer");
  refused(edited("/shape/k", 4294967296), "shape.k: 4294967296 is not");
  refused(edited("/inputs/a", {{"file", "../secret"}}),
          "inputs.a: '../secret' is not a file inside");
  refused(edited("/output/xxh3_128", std::string(32, '0')), "output.xxh3_128: the words hash to");
  refused(edited("/surprise", 1), "the document: 'surprise' is not a known key");
}

TEST_CASE("Recordings that prove nothing or would need too much are refused") {
  const TemporaryFolder here;
  const auto refused = [&](nlohmann::json shape, const std::string& message) {
    auto edit = document(mma);
    edit["shape"] = std::move(shape);
    edit["inputs"] = {{"a", "uniform:1"}, {"b", "uniform:2"}, {"c", "uniform:3"}};
    edit["output"].erase("bits");
    const CommandResult result = verify("'" + here.write("r.json", edit.dump()) + "'", true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  const auto shape = [](std::uint64_t tiles, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return nlohmann::json({{"tiles", tiles}, {"m", m}, {"n", n}, {"k", k}});
  };
  refused(shape(0, 16, 8, 16), "no elements, so that nothing can be compared");
  refused(shape(1, 0, 8, 16), "no elements");
  refused(shape(1, 1, 1, 4294967295), "274,877,906,944 bytes (256.0 GiB) of memory");
  refused(shape(1, 4000000000, 60000, 1), "PiB) of memory");
}

TEST_CASE("One bad file does not keep the others from being checked") {
  const CommandResult text = verify("/nowhere.json " + recorded(mma), true);
  CHECK(text.exit_code == 2);
  CHECK_THAT(text.out, contains("/nowhere.json: no such file") && contains("every bit    " + mma));
}
