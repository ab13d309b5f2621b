// whybits kernels, record and verify --live, with and without a GPU.
#include <filesystem>

#include "gpu/run_kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

bool has_gpu() {
  try {
    return gpu::gpu_environment().major > 0;
  } catch (const gpu::NotAvailable&) {
    return false;
  }
}

const std::string one_gemm =
    "record --kernel simt.gemm --param instruction=f32.fma --m 5 --n 4 --k 9 --name cli --out ";

}  // namespace

TEST_CASE("recording runs the kernel, or says in one line that no GPU can") {
  const TemporaryFolder temporary;
  const std::string out = temporary.file("made by record");
  const CommandResult result = run_whybits(one_gemm + "'" + out + "'", true);
  if (has_gpu()) {
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, contains("every bit"));
    CHECK(run_whybits("verify '" + out + "/cli.json'", true).exit_code == 0);
    CHECK(run_whybits("verify --live '" + out + "/cli.json'", true).exit_code == 0);
  } else {
    CHECK(result.exit_code == 3);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(out + "/cli.json"));
  }
  std::filesystem::remove_all(out);
}

TEST_CASE("bad options of record are refused before a GPU is asked for") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits(arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused("record", "give either a suite file or --kernel");
  refused("record --kernel mma", "kernel 'mma' is not known");
  refused("record --kernel mma.gemm --param stages", "not NAME=VALUE");
  refused("record --kernel mma.gemm --param stagse=3", "mma.gemm has no parameter 'stagse'");
  refused("record --kernel mma.gemm --a one", "one");
  refused("record missing.json", "missing.json");
  refused("kernels mma", "kernel 'mma' is not known");
}

TEST_CASE("only recordings of this project's kernels can be run live") {
  const CommandResult result = run_whybits(
      "verify --live " WHYBITS_SOURCE_DIR "/tests/recordings/mma-bf16-steps1-dist0.json", true);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.out, contains("not by a kernel of this project"));
}

TEST_CASE("the list of kernels names each, with its parameters") {
  const CommandResult all = run_whybits("kernels");
  CHECK(all.exit_code == 0);
  for (const gpu::Kernel& kernel : gpu::kernel_table()) {
    CHECK_THAT(all.out, contains(std::string(kernel.name)));
    const CommandResult one = run_whybits("kernels " + std::string(kernel.name));
    for (const std::string_view knob : kernel.knobs)
      CHECK_THAT(one.out, contains(std::string(knob)));
  }
}
