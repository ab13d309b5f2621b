// What a GEMM configuration may not be, and what fits an SM of compute capability 9.0.
#include "sim/builders/gemm_resources.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;

namespace {

GemmConfig hopper() {
  GemmConfig config;
  config.unit = parse_unit("sm90.wgmma.bf16");
  return config;
}

template <class Change>
void refuse(Change change, const std::string& message, std::uint64_t k = 1024) {
  GemmConfig config = hopper();
  change(config);
  CAPTURE(message);
  CHECK_THROWS_AS(gemm_topology(config, k), ConfigurationError);
  CHECK_THROWS_WITH(gemm_topology(config, k), contains(message));
}

}  // namespace

TEST_CASE("every number of a configuration is at least 1 and not absurd") {
  using Field = std::uint64_t GemmConfig::*;
  for (const auto& [name, field] : {std::pair<std::string, Field>{"block_m", &GemmConfig::block_m},
                                    {"block_n", &GemmConfig::block_n},
                                    {"block_k", &GemmConfig::block_k},
                                    {"group_m", &GemmConfig::group_m},
                                    {"stages", &GemmConfig::stages},
                                    {"warps", &GemmConfig::warps},
                                    {"warp_slices", &GemmConfig::warp_slices},
                                    {"accumulators", &GemmConfig::accumulators},
                                    {"splits", &GemmConfig::splits},
                                    {"split_grain", &GemmConfig::split_grain}}) {
    refuse([f = field](GemmConfig& c) { c.*f = 0; }, name + " = 0: must be from 1 to 65536");
    refuse([f = field](GemmConfig& c) { c.*f = 65537; },
           name + " = 65537: must be from 1 to 65536");
  }
}

TEST_CASE("a GEMM's unit takes products and does not round inside the k loop") {
  for (const char* unit : {"f32", "exact"})
    refuse([&](GemmConfig& c) { c.unit = parse_unit(unit); }, "a GEMM needs f32.fma");
  refuse([](GemmConfig& c) { c.unit = parse_unit("f32.fma > bf16"); },
         "unit = f32.fma > bf16: a GEMM's accumulator is not rounded inside the k loop");
}

TEST_CASE("accumulators are of units of one addend, products are rounded before an add") {
  refuse([](GemmConfig& c) { c.accumulators = 2; },
         "accumulators = 2: needs a unit of one addend a step, not sm90.wgmma.bf16");
  refuse(
      [](GemmConfig& c) {
        c.unit = parse_unit("f32.fma");
        c.accumulators = 3;
      },
      "accumulators = 3: must divide block_k = 64");
  refuse(
      [](GemmConfig& c) {
        c.unit = parse_unit("f32.fma");
        c.accumulators = 2;
        c.promotion = 64;
      },
      "accumulators = 2: is not known together with");
  refuse([](GemmConfig& c) { c.product = Conversion{formats::f32, {}}; },
         "unit = sm90.wgmma.bf16: rounded products are added by an IEEE add");
}

TEST_CASE("the k loop's options fit together") {
  refuse([](GemmConfig& c) { c.warp_slices = 3; }, "warp_slices = 3: must divide the 8 warps");
  refuse([](GemmConfig& c) { c.warp_slices = 8, c.block_k = 20; }, "must divide block_k = 20");
  refuse([](GemmConfig& c) { c.warp_slices = 2, c.promotion = 64; },
         "not known together with warp");
  refuse([](GemmConfig& c) { c.warp_slices = 2, c.k_order = KOrder::descending; },
         "warp_slices = 2: is not known with descending");
  refuse([](GemmConfig& c) { c.promotion = 24; },
         "promotion = 24: must be a multiple of the unit's 16");
  refuse([](GemmConfig& c) { c.promotion = 96; }, "a multiple or a divisor of block_k = 64");
  refuse([](GemmConfig& c) { c.promotion = 64, c.k_order = KOrder::descending; },
         "promotion = 64: is not known with descending");
  refuse([](GemmConfig& c) { c.residue_first = true, c.k_order = KOrder::descending; },
         "residue_first: is not known with descending");
  refuse([](GemmConfig& c) { c.residue_first = true, c.warp_slices = 2; },
         "a residue of 8 is not known together with warp slices", 1032);
  refuse([](GemmConfig& c) { c.residue_first = true, c.promotion = 64; }, "a residue of 8", 1032);
  GemmConfig even = hopper();  // without a residue the two do not meet
  even.residue_first = true;
  even.warp_slices = 2;
  CHECK_NOTHROW(gemm_topology(even, 1024));
}

TEST_CASE("splits are given in one way and lie inside k") {
  refuse([](GemmConfig& c) { c.splits = 2, c.split_length = 512; },
         "split_length = 512: give either this or splits = 2");
  refuse([](GemmConfig& c) { c.splits = 2, c.split_at = {512}; }, "split_at: give either");
  refuse([](GemmConfig& c) { c.split_length = 2, c.split_at = {512}; }, "split_at: give either");
  refuse([](GemmConfig& c) { c.split_at = {512, 512}; }, "split_at = 512: borders must ascend");
  refuse([](GemmConfig& c) { c.split_at = {0}; },
         "split_at = 0: borders must ascend between 0 and k = 1024");
  refuse([](GemmConfig& c) { c.split_at = {1024}; }, "split_at = 1024: borders must ascend");
  refuse([](GemmConfig& c) { c.split_at = {100}; },
         "split_at = 100: must be a multiple of block_k = 64");
  for (const bool residue : {false, true})
    refuse(
        [&](GemmConfig& c) {
          c.split_at = {64};
          c.residue_first = residue;
          if (!residue) c.k_order = KOrder::descending;
        },
        "with split_at, must divide k = 1000", 1000);
}

TEST_CASE("schemes that round need an output, and a running total has no place for a bias") {
  for (const SplitScheme scheme : {SplitScheme::serial, SplitScheme::workspace_output})
    refuse([&](GemmConfig& c) { c.scheme = scheme; },
           "scheme: rounds partials to the output's format");
  refuse(
      [](GemmConfig& c) {
        c.scheme = SplitScheme::serial;
        c.output = Conversion{bf16, {}};
        c.bias = true;
      },
      "bias: is not known with a running total");
}

TEST_CASE("resources of known kernels") {
  // vLLM's persistent matmul (docs/sources.md): both tiles fit, the wide one not with 5 stages.
  GemmConfig config = hopper();
  GemmResources need = fits_sm90(config);
  CHECK(need.fits());
  CHECK(need.accumulator_registers == 64);
  CHECK(need.shared_bytes == 98304);
  config.block_n = 256;
  need = fits_sm90(config);
  CHECK(need.fits());
  CHECK(need.accumulator_registers == 128);
  CHECK(need.shared_bytes == 147456);
  config.stages = 4;
  CHECK(fits_sm90(config).fits());
  config.stages = 5;
  need = fits_sm90(config);
  REQUIRE(need.problems.size() == 1);
  CHECK_THAT(need.problems[0],
             contains("245760 bytes of shared memory, at most 232448; use fewer stages"));
  config.warps = 4;
  config.block_m = 256;
  need = fits_sm90(config);
  REQUIRE(need.problems.size() == 2);
  CHECK_THAT(need.problems[0],
             contains("512 accumulator registers a thread, at most 255; use more warps"));
  config.block_k = 0;
  CHECK_THROWS_AS(fits_sm90(config), ConfigurationError);
}

TEST_CASE("accumulators and operands count by their width") {
  GemmConfig config = hopper();
  config.unit = parse_unit("sm90.wgmma.f16.acc16");
  CHECK(fits_sm90(config).accumulator_registers == 32);
  config.unit = parse_unit("sm90.wgmma.e4m3");
  CHECK(fits_sm90(config).shared_bytes == 49152);
  config.unit = parse_unit("f32.fma");
  CHECK(fits_sm90(config).shared_bytes == 196608);
  config.unit = parse_unit("f64.fma");
  CHECK(fits_sm90(config).accumulator_registers == 128);
  config.unit = parse_unit("sm90.wgmma.tf32");  // stored as f32
  CHECK(fits_sm90(config).shared_bytes == 196608);
  config = hopper();
  config.warp_slices = 4;  // each pair of warps holds the whole tile
  CHECK(fits_sm90(config).accumulator_registers == 256);
  CHECK_FALSE(fits_sm90(config).fits());
}
