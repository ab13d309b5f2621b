// whybits kernels, record and verify --live, with and without a GPU.
#include <filesystem>

#include "gpu/recipe_kernels.hpp"
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
  refused("record --kernel rms.norm --size rows=4", "columns");
  refused("record --kernel rms.norm --size rows=4 --size columns=0", "columns = 0");
  refused("record --kernel rms.norm --size row=4", "'row' is no size here");
  refused("record --kernel rms.norm --size rows=4 --size columns=8 --param threads=2000",
          "threads = 2000: must be from 1 to 1024");
  refused("record --kernel rms.norm --size rows=4 --size columns=8 --number eps=tiny",
          "--number eps=tiny: not a number");
  refused(
      "record --kernel moe.combine --size tokens=1 --size experts=2 --size columns=8 "
      "--type e4m3",
      "type = e4m3: f32, f16 or bf16");
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
  for (const gpu::RecipeKernel& kernel : gpu::recipe_kernels()) {
    CHECK_THAT(all.out, contains(std::string(kernel.name)));
    const CommandResult one = run_whybits("kernels " + std::string(kernel.name));
    for (const std::string_view name : kernel.knobs)
      CHECK_THAT(one.out, contains(std::string(name)));
    for (const std::string_view name : kernel.extents)
      CHECK_THAT(one.out, contains(std::string(name)));
  }
}

TEST_CASE("recording a kernel that is a recipe runs it, or says in one line that no GPU can") {
  const TemporaryFolder temporary;
  const std::string out = temporary.file("recipes");
  const CommandResult result = run_whybits(
      "record --kernel rms.norm --size rows=3 --size columns=70 --type f16 --out '" + out + "'",
      true);
  if (has_gpu()) {
    CHECK(result.exit_code == 0);
    CHECK(run_whybits("verify '" + out + "/rms.norm.json'", true).exit_code == 0);
    CHECK(run_whybits("verify --live '" + out + "/rms.norm.json'", true).exit_code == 0);
  } else {
    CHECK(result.exit_code == 3);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(out + "/rms.norm.json"));
  }
}
