// NCCL between nodes that one GPU simulated: bits predicted from version, settings and shape, and
// the trees that masked pairs revealed on the device.

#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/all_reduce_spec.hpp"
#include "lab/reveal/pair_mask.hpp"
#include "sim/expand.hpp"
#include "sim/reduction.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

constexpr const char* folder = "/nccl/nodes";

/// Leaves below where each pair meets, (0,1), (0,2), … (1,2), …, in a topology evaluated here.
std::vector<std::uint64_t> leaves_of(const SchemaPtr& topology, std::uint64_t ranks) {
  const Reduction reduction = make_reduction(topology, ranks, LeafTypes{formats::f32});
  const auto pairs = probe_pairs(mask_values(formats::f32, ranks), ranks, 1, [&](const auto& in) {
    std::vector<Bits> codes;
    for (const auto& rank : in) codes.push_back(rank[0]);
    const OperandVector values(formats::f32, codes);
    Leaves leaves;
    leaves.a = &values;
    return std::vector{evaluate(reduction, leaves)};
  });
  std::vector<std::uint64_t> flat;
  for (std::uint64_t i = 0; i < ranks; ++i)
    for (std::uint64_t j = i + 1; j < ranks; ++j) flat.push_back(pairs[0][i][j]);
  return flat;
}

struct Revealed {
  std::uint64_t begin, end;
  std::vector<std::uint64_t> leaves;
  bool operator==(const Revealed&) const = default;
};

/// Neighbouring regions with the same numbers are one.
std::vector<Revealed> predicted(const TopologyMap& map, std::uint64_t ranks) {
  std::vector<Revealed> found;
  for (const MapRegion& region : map.regions) {
    auto leaves = leaves_of(region.topology, ranks);
    if (!found.empty() && found.back().leaves == leaves)
      found.back().end = region.end;
    else
      found.push_back({region.begin, region.end, std::move(leaves)});
  }
  return found;
}

}  // namespace

TEST_CASE("between 2 to 8 nodes every bit is the one predicted from the configuration") {
  std::uint64_t files = 0;
  std::string counts;
  for (const auto& file : test::recordings("nodes-", folder)) {
    CAPTURE(file.string());
    const Recording recording = read_recording(file);
    CHECK(recording.shape.ranks_per_node == 1);
    const bool small = recording.output.words && recording.shape.count >= 1000;
    const Verification v = verify(recording, small);
    CHECK(v.basis == Basis::from_configuration);
    CHECK(v.passed());
    ++files;
    if (small) counts += test::counts_text(file.stem().string(), v);
  }
  CHECK(files == 121);
  CHECK(counts == test::approved("nccl_nodes_controls.txt", counts));
}

TEST_CASE("the trees between nodes that masked pairs revealed are those of the map") {
  std::uint64_t files = 0;
  for (const auto& file : test::recordings("reveal-", folder)) {
    CAPTURE(file.string());
    const auto json = nlohmann::json::parse(read_text_file(file, largest_recording_bytes));
    const auto ranks = json.at("shape").at("ranks").get<std::uint64_t>();
    const AllReduceMessage message{ranks,         json.at("shape").at("count").get<std::uint64_t>(),
                                   formats::f32,  1,
                                   ReduceOp::sum, ranks};
    const nccl::Request request =
        nccl_request("version", json.at("library").at("version").get<std::string>(),
                     json.at("settings").get<std::map<std::string, std::string>>(), message);
    std::vector<Revealed> revealed;
    for (const auto& region : json.at("regions"))
      revealed.push_back({region.at("begin").get<std::uint64_t>(),
                          region.at("end").get<std::uint64_t>(),
                          region.at("leaves").get<std::vector<std::uint64_t>>()});
    CHECK((revealed == predicted(nccl::predict_all_reduce(request).map, ranks)));
    ++files;
  }
  CHECK(files == 28);
}

TEST_CASE("between nodes a message takes as many channels as NCCL logged") {
  std::istringstream rows(read_text_file(
      WHYBITS_SOURCE_DIR "/tests/recordings/nccl/nodes/choices-2.28.9.tsv", 1U << 20));
  std::string line;
  std::getline(rows, line);
  CHECK(line == "ranks\tsettings\tbytes\talgorithm\tprotocol\tchannels");
  std::uint64_t sizes = 0;
  while (std::getline(rows, line)) {
    CAPTURE(line);
    std::istringstream fields(line);
    std::string ranks, settings, bytes, algorithm, protocol, channels;
    for (std::string* field : {&ranks, &settings, &bytes, &algorithm, &protocol, &channels})
      std::getline(fields, *field, '\t');
    std::map<std::string, std::string> environment;
    std::istringstream words(settings);
    for (std::string word; words >> word;) environment.insert(variable_option("settings", word));
    const AllReduceMessage message{std::stoull(ranks), std::stoull(bytes) / 2, formats::f16, 1,
                                   ReduceOp::sum,      std::stoull(ranks)};
    const auto made =
        nccl::predict_all_reduce(nccl_request("version", "2.28.9", environment, message));
    CHECK(made.parts.size() == std::stoull(channels));
    ++sizes;
  }
  CHECK(sizes == 392);
}

TEST_CASE("between nodes what depends on the network is not predicted") {
  const auto refusal = [](const std::map<std::string, std::string>& environment,
                          std::uint64_t ranks, std::uint64_t nodes) -> std::string {
    try {
      nccl::predict_all_reduce(nccl_request("--version", "2.28.9", environment,
                                            {ranks, 1000, formats::f32, 1, ReduceOp::sum, nodes}));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "predicted";
  };
  const std::map<std::string, std::string> named{{"NCCL_ALGO", "Tree"}, {"NCCL_PROTO", "LL"}};
  CHECK(refusal(named, 4, 4) == "predicted");
  CHECK_THAT(refusal({}, 4, 4), contains("set NCCL_ALGO and NCCL_PROTO"));
  CHECK_THAT(refusal({{"NCCL_ALGO", "Tree"}}, 4, 4), contains("set NCCL_ALGO and NCCL_PROTO"));
  CHECK_THAT(refusal(named, 4, 2), contains("one rank a node only, that is 4 nodes"));
}
