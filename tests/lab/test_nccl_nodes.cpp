// NCCL between nodes: what its model refuses to predict.

#include "lab/all_reduce_spec.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

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
