// whybits probe, as far as it goes without a GPU: the table, and what it refuses.
#include <algorithm>

#include "gpu/instructions/run_tiles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

namespace {

bool has_hopper() {
  try {
    whybits::gpu::require_matrix_instructions();
    return true;
  } catch (const whybits::gpu::DeviceError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("probe --list names every instruction with its unit and PTX, without a GPU") {
  const CommandResult list = run_whybits("probe --list");
  CHECK(list.exit_code == 0);
  for (const auto& row : whybits::gpu::instruction_table) {
    CAPTURE(row.name);
    CHECK_THAT("\n" + list.out, contains("\n" + std::string(row.name) + " "));
    CHECK_THAT(list.out, contains(std::string(row.ptx)));
  }
}

TEST_CASE("probe without a GPU of compute capability 9.0 says so in one line and ends with 3") {
  if (has_hopper()) return;
  const CommandResult none = run_whybits("probe --instruction wgmma", true);
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.out, contains("needs a GPU of compute capability 9.0"));
  CHECK(std::count(none.out.begin(), none.out.end(), '\n') == 1);
}

TEST_CASE("probe names what it does not know, and the nearest") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits("probe " + arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused("--instruction mma.m16n8k16.f32.bf61", "mean mma.m16n8k16.f32.bf16?");
  refused("--kind hugee", "allowed: uniform, wide, bits");
  refused("--record /nowhere/at/all", "--record: '/nowhere/at/all' is no folder");
  refused("--dots many", "--dots: 'many' is not a whole number");
}

TEST_CASE("An instruction's bits on this machine's GPU are those of its unit", "[.full]") {
  if (!has_hopper()) return;
  for (const char* name : {"mma.m16n8k16.f32.bf16", "wgmma.m64n8k32.f32.e4m3", "mma.m8n8k4.f64"}) {
    CAPTURE(name);
    CHECK(run_whybits(std::string("probe --dots 100000 --instruction ") + name).exit_code == 0);
  }
}
