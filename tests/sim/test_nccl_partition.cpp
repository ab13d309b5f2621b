// How NCCL deals elements to channels and chunks. Expected parts: the sources' formulas computed
// apart from this code (../facts, worked partitions); the map of 2.28.3 was seen on hardware.
#include <utility>
#include <vector>

#include "sim/libraries/nccl/all_reduce.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::nccl;

namespace {

/// "23×26112 + 21425" as {{23, 26112}, {1, 21425}}.
using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Request request_of(const char* version, std::uint64_t count, const Format& type = formats::f32,
                   const std::map<std::string, std::string>& environment = {}) {
  Request request;
  request.version = parse_version(version);
  request.count = count;
  request.type = type;
  request.machine = hopper_nvswitch(4);
  request.settings = read_settings(environment, request.version);
  return request;
}

Runs parts_of(const Request& request) {
  Runs runs;
  std::uint64_t end = 0;
  for (const Part& part : predict_all_reduce(request).parts) {
    CHECK(part.begin == end);
    end = part.end;
    if (!runs.empty() && runs.back().second == part.end - part.begin)
      ++runs.back().first;
    else
      runs.emplace_back(1, part.end - part.begin);
  }
  CHECK(end == request.count);
  return runs;
}

}  // namespace

TEST_CASE("NCCL parts agree with those worked out by hand for four releases") {
  struct Row {
    std::uint64_t count;
    Format type;
    Runs by[4];  // 2.22.3, 2.23.4, 2.28.3, 2.30.7
  };
  const Row rows[] = {
      {1000, formats::f32, {{{1, 1000}}, {{1, 1000}}, {{1, 1000}}, {{1, 1000}}}},
      {8192, formats::f32, {{{2, 4096}}, {{2, 4096}}, {{2, 4096}}, {{2, 4096}}}},
      {8195,
       formats::f32,
       {{{1, 4096}, {1, 4099}},
        {{1, 6144}, {1, 2051}},
        {{1, 4608}, {1, 3587}},
        {{1, 5120}, {1, 3075}}}},
      {65537,
       formats::f32,
       {{{16, 4096}, {1, 1}},
        {{16, 4096}, {1, 1}},
        {{14, 4608}, {1, 1025}},
        {{12, 5120}, {1, 4097}}}},
      {100000,
       formats::f32,
       {{{1, 4164}, {22, 4168}, {1, 4140}},
        {{16, 6144}, {1, 1696}},
        {{21, 4608}, {1, 3232}},
        {{19, 5120}, {1, 2720}}}},
      {262144,
       formats::f32,
       {{{1, 10920}, {22, 10924}, {1, 10896}},
        {{21, 12288}, {1, 4096}},
        {{23, 11264}, {1, 3072}},
        {{23, 11264}, {1, 3072}}}},
      {622001,
       formats::f32,
       {{{1, 25916}, {22, 25920}, {1, 25845}},
        {{23, 26624}, {1, 9649}},
        {{23, 26112}, {1, 21425}},
        {{23, 26624}, {1, 9649}}}},
      {622002,
       formats::f32,
       {{{1, 25916}, {22, 25920}, {1, 25846}},
        {{23, 26624}, {1, 9650}},
        {{23, 26624}, {1, 9650}},
        {{21, 28672}, {1, 19890}}}},
      {1048576,
       formats::bf16,
       {{{1, 43688}, {22, 43696}, {1, 43576}},
        {{23, 45056}, {1, 12288}},
        {{23, 44032}, {1, 35840}},
        {{23, 45056}, {1, 12288}}}},
      {16777216,
       formats::bf16,
       {{{1, 699048}, {22, 699056}, {1, 698936}},
        {{23, 700416}, {1, 667648}},
        {{23, 700416}, {1, 667648}},
        {{23, 704512}, {1, 573440}}}},
  };
  const char* const versions[] = {"2.22.3", "2.23.4", "2.28.3", "2.30.7"};
  for (const Row& row : rows)
    for (int v = 0; v < 4; ++v) {
      CAPTURE(row.count, versions[v]);
      CHECK(parts_of(request_of(versions[v], row.count, row.type)) == row.by[v]);
    }
}

TEST_CASE("NCCL chooses LL, LL128 and Simple at the switch points of its time model") {
  struct Row {
    std::uint64_t ranks, bytes;
    Protocol protocol;
  };
  const Row rows[] = {
      {2, 1715178, Protocol::ll},     {2, 1715179, Protocol::simple}, {3, 2259862, Protocol::ll},
      {3, 2259863, Protocol::simple}, {4, 2488005, Protocol::ll},     {4, 2488006, Protocol::ll128},
      {4, 9384018, Protocol::ll128},  {4, 9384019, Protocol::simple}, {4, 9384020, Protocol::ll128},
      {4, 9384027, Protocol::ll128},  {4, 9384028, Protocol::simple}, {8, 3591707, Protocol::ll},
      {8, 3591708, Protocol::ll128},  {8, 36432054, Protocol::simple}};
  const Version version{2, 28, 3};
  const Settings settings = read_settings({{"NCCL_NVLS_ENABLE", "0"}}, version);
  for (const Row& row : rows) {
    CAPTURE(row.ranks, row.bytes);
    const Choice choice =
        choose(row.bytes, hopper_nvswitch(row.ranks), settings, rules_of(version));
    CHECK(choice.algorithm == Algorithm::ring);
    CHECK(choice.protocol == row.protocol);
  }
}

TEST_CASE("NCCL takes a further channel every 16 KiB on four ranks by LL") {
  const Version version{2, 28, 3};
  const Settings settings = read_settings({}, version);
  for (std::uint64_t channels = 2; channels <= 24; ++channels) {
    const auto at = [&](std::uint64_t bytes) {
      return choose(bytes, hopper_nvswitch(4), settings, rules_of(version)).channels;
    };
    CHECK(at(channels * 16384 - 4) == channels - 1);
    CHECK(at(channels * 16384) == channels);
  }
}

TEST_CASE("a ring's last loop has chunks of whole 16 bytes, chunk q beginning after rank q") {
  const Prediction five = predict_all_reduce(request_of("2.28.3", 5));
  CHECK(print(five.map) == "{ [0,4): rotate(1, fold(f32)); [4,5): rotate(2, fold(f32)) }");
  const Prediction some = predict_all_reduce(request_of("2.28.3", 17));
  CHECK(print(some.map) ==
        "{ [0,8): rotate(1, fold(f32)); [8,16): rotate(2, fold(f32)); [16,17): rotate(3, "
        "fold(f32)) }");
  const Prediction thousand = predict_all_reduce(request_of("2.28.3", 1000));
  REQUIRE(thousand.map.regions.size() == 4);
  CHECK(thousand.map.regions[3].begin == 756);
  CHECK(print(*thousand.map.regions[3].topology) == "fold(f32)");
}

TEST_CASE("a part longer than a loop begins again with full chunks") {
  const auto set = [](const char* protocol) {
    return std::map<std::string, std::string>{{"NCCL_MAX_NCHANNELS", "1"},
                                              {"NCCL_PROTO", protocol}};
  };
  const Prediction ll128 =
      predict_all_reduce(request_of("2.28.3", 1 << 20, formats::f32, set("LL128")));
  CHECK(ll128.map.regions[0].end == 144000);
  CHECK(ll128.map.regions[4].begin == 576000);
  CHECK(ll128.map.regions[4].end == 576000 + 118144);
  const Prediction simple =
      predict_all_reduce(request_of("2.28.3", 1 << 20, formats::f32, set("Simple")));
  CHECK(simple.map.regions.size() == 4);
  CHECK(simple.map.regions[0].end == 262144);
}

TEST_CASE("a tree on one node of four is one chain whatever the size") {
  for (const std::uint64_t count : {1U, 1000U, 100000U, 4000000U}) {
    const Prediction tree = predict_all_reduce(
        request_of("2.28.3", count, formats::bf16, {{"NCCL_ALGO", "allreduce:tree"}}));
    REQUIRE(tree.map.regions.size() == 1);
    CHECK(print(*tree.map.regions[0].topology) == "reverse(fold(bf16))");
    CHECK(tree.map.regions[0].end == count);
  }
}

TEST_CASE("registered buffers leave Simple sixteen channels out of place") {
  Request request = request_of("2.28.3", 16777216);
  CHECK(predict_all_reduce(request).choice.channels == 24);
  request.context.graph_capture = true;
  CHECK(predict_all_reduce(request).choice.channels == 16);
  CHECK(parts_of(request) == Runs{{16, 1048576}});
  request.context.in_place = true;
  CHECK(predict_all_reduce(request).choice.channels == 24);
  request.context.in_place = false;
  request.settings = read_settings({{"NCCL_GRAPH_REGISTER", "0"}}, request.version);
  CHECK(predict_all_reduce(request).choice.channels == 24);
}

TEST_CASE("maps of every release cover every element once") {
  for (const Rules& rules : all_rules())
    for (const std::uint64_t count : {1U, 7U, 1000U, 65537U, 1000003U}) {
      for (const char* protocol : {"LL", "LL128", "Simple"}) {
        Request request = request_of(version_name(rules.first).c_str(), count, formats::f32,
                                     {{"NCCL_PROTO", protocol}, {"NCCL_ALGO", "Ring"}});
        const TopologyMap map = predict_all_reduce(request).map;
        std::uint64_t end = 0;
        for (const MapRegion& region : map.regions) {
          REQUIRE(region.begin == end);
          REQUIRE(region.end > region.begin);
          end = region.end;
        }
        CHECK(end == count);
      }
    }
}

TEST_CASE("what NCCL's model does not know is refused") {
  CHECK_THROWS_AS(parse_version("2.28"), ConfigurationError);
  CHECK_THROWS_AS(parse_version("2.28.3x"), ConfigurationError);
  CHECK_THROWS_AS(rules_of({2, 17, 1}), ConfigurationError);
  CHECK_THROWS_AS(rules_of({2, 31, 0}), ConfigurationError);
  CHECK_THROWS_AS(rules_of({3, 0, 0}), ConfigurationError);
  CHECK_THROWS_AS(hopper_nvswitch(0), ConfigurationError);
  CHECK_THROWS_AS(hopper_nvswitch(1), ConfigurationError);
  CHECK_THROWS_AS(hopper_nvswitch(5), ConfigurationError);
  const Version version{2, 28, 3};
  const auto read = [&](const char* name, const char* value) {
    return read_settings({{name, value}}, version);
  };
  CHECK_THROWS_AS(read("NCCL_ALGO", "NVLS"), ConfigurationError);
  CHECK_THROWS_AS(read("NCCL_ALGO", "Rnig"), ConfigurationError);
  CHECK_THROWS_AS(read("NCCL_PROTO", "^LL,LL128,Simple"), ConfigurationError);
  CHECK_THROWS_AS(read("NCCL_MAX_NCHANNELS", "0"), ConfigurationError);
  CHECK_THROWS_AS(read("NCCL_TUNER_PLUGIN", "x.so"), ConfigurationError);
  CHECK_THROWS_AS(predict_all_reduce(request_of("2.22.3", 8, formats::e4m3)), ConfigurationError);
  CHECK_THROWS_AS(predict_all_reduce(request_of("2.28.3", 8, formats::tf32)), ConfigurationError);
}
