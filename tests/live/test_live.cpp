// Kernels on the GPU of this machine. Skipped, not failed, where there is none.
#include <filesystem>

#include "gpu/probe.hpp"
#include "lab/kernel_runs.hpp"
#include "tests/live/on_gpu.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::on_gpu;

namespace {

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(WHYBITS_SOURCE_DIR "/tests/recordings"))
    if (entry.path().filename().string().starts_with("gpu-")) files.push_back(entry.path());
  return files;
}

KernelRequest small_gemm(const char* kernel) {
  KernelRequest request;
  request.name = "live";
  request.kernel = &kernel_named(kernel);
  request.params = request.kernel->usual;
  request.params.instruction = "bf16";
  request.params.block_m = 64;
  request.params.block_n = 64;
  request.params.group_m = 2;
  request.params.stages = 2;
  request.shape = {300, 130, 200};
  request.inputs = {{"a", UniformInput{1}}, {"b", UniformInput{2}}};
  return request;
}

}  // namespace

TEST_CASE("this GPU gives the recorded bits again, and they are the emulator's", "[.gpu]") {
  on_gpu([] {
    std::size_t ran = 0;
    for (const auto& file : recordings()) {
      CAPTURE(file.string());
      const Recording recorded = read_recording(file);
      try {
        Recording now = record_kernel(request_of(recorded), "test");
        now.name = recorded.name;
        CHECK(verify(now, false).passed());
        if (recorded.guarantee != Guarantee::none &&
            now.source.at("compute_capability") == recorded.source.at("compute_capability"))
          CHECK(now.output.xxh3_128 == recorded.output.xxh3_128);
        ++ran;
      } catch (const gpu::NotAvailable&) {  // another compute capability
      }
    }
    CHECK(ran > 0);
  });
}

TEST_CASE("a knob that was not in force would be seen on this GPU", "[.gpu]") {
  on_gpu([] {
    struct Change {
      const char* kernel;
      std::uint64_t gpu::LaunchParams::* knob;
      std::uint64_t value;
    };
    using P = gpu::LaunchParams;
    for (const Change& change : {Change{"mma.gemm", &P::block_m, 32},
                                 Change{"mma.gemm", &P::block_n, 16},
                                 Change{"mma.gemm", &P::block_k, 64},
                                 Change{"mma.gemm", &P::group_m, 3},
                                 Change{"mma.gemm", &P::warps, 8},
                                 Change{"mma.gemm", &P::stages, 3},
                                 Change{"mma.gemm", &P::splits, 2},
                                 Change{"wgmma.gemm", &P::block_m, 128},
                                 Change{"wgmma.gemm", &P::block_n, 128},
                                 Change{"wgmma.gemm", &P::block_k, 64},
                                 Change{"wgmma.gemm", &P::group_m, 3},
                                 Change{"wgmma.gemm", &P::stages, 3},
                                 Change{"wgmma.gemm", &P::ctas, 3},
                                 Change{"fixed.gemm", &P::block_m, 128},
                                 Change{"fixed.gemm", &P::block_n, 128},
                                 Change{"fixed.gemm", &P::block_k, 128},
                                 Change{"fixed.gemm", &P::group_m, 3},
                                 Change{"fixed.gemm", &P::stages, 3},
                                 Change{"fixed.gemm", &P::longest_slice, 128},
                                 Change{"fixed.gemm", &P::cluster, 2},
                                 Change{"fixed.gemm", &P::ctas, 4}}) {
      const KernelRequest request = small_gemm(change.kernel);
      CAPTURE(change.kernel, change.value);
      try {
        LiveKernel live(request);
        const gpu::KernelOutput output = live.run(request.params);
        gpu::LaunchParams other = request.params;
        other.*change.knob = change.value;
        CHECK_THROWS_AS(gpu::check_probe(*request.kernel, other, request.shape, output.probe),
                        gpu::ProbeError);
        CHECK_NOTHROW(live.run(other));
      } catch (const gpu::NotAvailable&) {  // wgmma on another architecture
      }
    }
  });
}

TEST_CASE("without a GPU the reason is one line") {
  try {
    gpu::gpu_environment();
  } catch (const gpu::NotAvailable& error) {
    const std::string reason = error.what();
    CHECK_FALSE(reason.empty());
    CHECK(reason.find('\n') == std::string::npos);
  }
}
