// whybits tensor-parallel as a person meets it.
#include <nlohmann/json.hpp>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

namespace {

const std::string layer =
    "tensor-parallel --m 1 --n 256 --k 4096 --topology 'fold(sm90.wgmma.bf16) > bf16' ";

}  // namespace

TEST_CASE(
    "tensor-parallel counts what each number of ranks changes and tells of one, as approved") {
  const CommandResult ring = run_whybits(layer);
  CHECK(ring.exit_code == 1);
  CHECK(ring.out == approved("tensor_parallel.txt", ring.out));
}

TEST_CASE("tensor-parallel --invariant differs nowhere, and says that it cannot") {
  const CommandResult same = run_whybits(layer + "--invariant");
  CHECK(same.exit_code == 0);
  CHECK(same.out == approved("tensor_parallel_invariant.txt", same.out));
  const auto json = nlohmann::json::parse(run_whybits(layer + "--invariant --json").out);
  REQUIRE(json["plans"].size() == 4);
  for (const auto& plan : json["plans"]) {
    CHECK(plan["differ"] == 0);
    CHECK(plan["other_tree"] == 0);
    CHECK(plan["rms_error"] == json["plans"][0]["rms_error"]);
  }
}

TEST_CASE("bad layers are refused with the option and what is allowed") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits(arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused(layer + "--ranks 0", "from 1 to 1024");
  refused(layer + "--ranks 3", "does not part evenly");
  refused(layer + "--ranks 2,x", "--ranks");
  refused(layer + "--all-reduce rign", "did you mean ring");
  refused(layer + "--all-reduce nccl --ranks 16", "--all-reduce");
  refused(layer + "--all-reduce tree --invariant", "--all-reduce");
  refused("tensor-parallel --m 1 --n 8 --k 24 --topology 'fold(f32.fma)' --ranks 6 --invariant",
          "powers of two");
  refused("tensor-parallel --m 0 --n 8 --k 64 --topology 'fold(f32.fma)'", "at least 1");
  refused("tensor-parallel --m 1 --n 8 --k 64 --topology 'fold(exact)'", "> f32");
  refused("tensor-parallel --m 1 --n 8 --k 64 --topology 'fold(f32)'", "--topology");
  refused("tensor-parallel --m 999999 --n 999999 --k 64 --topology 'fold(f32.fma)'", "memory");
}
