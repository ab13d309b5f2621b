// Real NCCL, predicted from version, settings and shape alone; and what wrong models get wrong.

#include "lab/nccl_model.hpp"
#include "lab/verify.hpp"
#include "sim/notation.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

TEST_CASE("every recorded NCCL all-reduce gave the bits predicted from its configuration") {
  std::uint64_t files = 0;
  std::string counts;
  for (const auto& file : test::recordings("nccl-")) {
    CAPTURE(file.string());
    const Recording recording = read_recording(file);
    CHECK_FALSE(recording.topology.has_value());
    const Verification v = verify(recording, true);
    CHECK(v.basis == Basis::from_configuration);
    CHECK(v.passed());
    ++files;
    counts += test::counts_text(file.stem().string(), v);
  }
  CHECK(files >= 8);
  CHECK(counts == test::approved("nccl_controls.txt", counts));
}

TEST_CASE("a release, a machine or a setting that NCCL's model does not know is not checked") {
  const auto file = *test::recordings("nccl-").begin();
  const auto refused = [&](auto change) {
    Recording recording = read_recording(file);
    change(recording);
    const Verification v = verify(recording, false);
    CHECK_FALSE(v.passed());
    return v.unsupported.value_or("checked");
  };
  CHECK(refused([](Recording& r) { r.library.version = "2.99.1"; }).find("2.99.1") !=
        std::string::npos);
  CHECK(refused([](Recording& r) { r.source["compute_capability"] = "10.0"; }).find("9.0") !=
        std::string::npos);
  CHECK(refused([](Recording& r) { r.settings["NCCL_TUNER_PLUGIN"] = "x"; }).find("TUNER") !=
        std::string::npos);
  CHECK(refused([](Recording& r) { r.library.name = "rccl"; }).find("rccl") != std::string::npos);
}

TEST_CASE("a map that an all-reduce recording states itself is checked as given") {
  Recording recording = read_recording(*test::recordings("nccl-").begin());
  const auto request = std::get<nccl::Request>(nccl_request(recording));
  const TopologyMap map = nccl::predict_all_reduce(request).map;
  recording.topology = print(map);
  const Verification v = verify(recording, false);
  CHECK(v.basis == Basis::given);
  CHECK(v.passed());
  recording.topology = "fold(bf16)";
  CHECK_FALSE(verify(recording, true).passed());
}
