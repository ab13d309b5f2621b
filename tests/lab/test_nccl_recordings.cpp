// Real NCCL, predicted from version, settings and shape alone; and what wrong models get wrong.

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lab/all_reduce_spec.hpp"
#include "lab/nccl_model.hpp"
#include "lab/verify.hpp"
#include "sim/notation.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

const std::filesystem::path own = WHYBITS_SOURCE_DIR "/tests/recordings/nccl";

std::string upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

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

TEST_CASE("2, 3 and 4 GPUs gave the bits predicted, in every protocol, type and channel count") {
  std::uint64_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(own)) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    const Verification v = verify(read_recording(entry.path()), false);
    CHECK(v.basis == Basis::from_configuration);
    CHECK(v.passed());
    ++files;
  }
  CHECK(files == 202);
}

TEST_CASE("algorithm, protocol and channels are those that NCCL logged") {
  std::uint64_t sizes = 0;
  for (const std::uint64_t ranks : {2U, 3U, 4U}) {
    std::ifstream file(own / ("choices-2.28.9-n" + std::to_string(ranks) + ".tsv"));
    std::string line;
    bool in_rows = false;
    while (std::getline(file, line)) {
      if (!in_rows) {
        in_rows = line.starts_with("type\t");
        continue;
      }
      CAPTURE(line);
      std::istringstream fields(line);
      std::string type, in_place, settings, bytes, algorithm, protocol, channels;
      for (std::string* field :
           {&type, &in_place, &settings, &bytes, &algorithm, &protocol, &channels})
        std::getline(fields, *field, '\t');
      std::map<std::string, std::string> environment;
      std::istringstream words(settings);
      for (std::string word; words >> word;) environment.insert(variable_option("settings", word));
      const Format format = parse_format(type).value();
      nccl::Request request =
          nccl_request("version", "2.28.9", environment,
                       {ranks, std::stoull(bytes) / format.word_bytes(), format, 1});
      request.context.in_place = in_place == "1";
      const nccl::Prediction made = nccl::predict_all_reduce(request);
      CHECK(upper(nccl::algorithm_names[static_cast<std::size_t>(made.choice.algorithm)]) ==
            algorithm);
      CHECK(upper(nccl::protocol_names[static_cast<std::size_t>(made.choice.protocol)]) ==
            upper(protocol));
      CHECK(made.parts.size() == std::stoull(channels));
      ++sizes;
    }
  }
  CHECK(sizes == 413);
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
