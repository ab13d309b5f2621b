#include <cuda_runtime.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "gpu/device_info.hpp"
#include "gpu/instructions/mma_sync.cuh"
#include "gpu/instructions/run_tiles.hpp"
#include "gpu/instructions/wgmma.cuh"

namespace whybits::gpu {
namespace {

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw DeviceError(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Device memory that a batch's operands are copied to.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) { check(cudaMalloc(&data_, size), "cudaMalloc"); }
  ~DeviceBytes() { cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

struct DeviceTiles {
  const void *a, *b, *c;
  void* d;
  std::uint64_t tiles;
  int with_c;
};

template <int Row>
void launch(const DeviceTiles& tiles) {
  constexpr MatrixInstruction row = instruction_table[Row];
  using Word = std::conditional_t<row.a == "f64", double, std::uint32_t>;
  using Accumulator = std::conditional_t<row.d == "f64", double,
                                         std::conditional_t<row.d == "f16", std::uint32_t, float>>;
  constexpr unsigned blocks = 1024;
  constexpr unsigned threads = 128;
  const auto* a = static_cast<const Word*>(tiles.a);
  const auto* b = static_cast<const Word*>(tiles.b);
  const auto* c = static_cast<const Accumulator*>(tiles.c);
  auto* d = static_cast<Accumulator*>(tiles.d);
  if constexpr (row.is_wgmma())
    wgmma_tiles<Accumulator, Row><<<blocks, threads>>>(a, b, c, d, tiles.tiles, tiles.with_c);
  else
    mma_tiles<Word, Accumulator, Row><<<blocks, threads>>>(a, b, c, d, tiles.tiles);
}

using Launch = void (*)(const DeviceTiles&);

template <std::size_t... Rows>
constexpr std::array<Launch, sizeof...(Rows)> all_launches(std::index_sequence<Rows...>) {
  return {launch<Rows>...};
}

}  // namespace

std::string instruction_compiler() {
  return "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
         std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__);
}

void require_matrix_instructions() {
  if (const GpuReport report = query_gpus(); report.devices.empty())
    throw DeviceError(report.reason);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "device 0");
  if (properties.major != 9 || properties.minor != 0)
    throw DeviceError(std::string(properties.name) + " has compute capability " +
                      std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                      "; these instructions are those of 9.0");
}

std::vector<std::uint8_t> run_tiles(const MatrixInstruction& instruction, const TileBatch& batch) {
  static constexpr auto launches =
      all_launches(std::make_index_sequence<instruction_table.size()>{});
  std::vector<std::uint8_t> result(batch.c.size());
  if (batch.tiles == 0) return result;
  const DeviceBytes a(batch.a.size());
  const DeviceBytes b(batch.b.size());
  const DeviceBytes c(batch.c.size());
  const DeviceBytes d(batch.c.size());
  const auto copy_in = [](const DeviceBytes& to, const std::vector<std::uint8_t>& from) {
    check(cudaMemcpy(to.data(), from.data(), from.size(), cudaMemcpyHostToDevice),
          "copy to device");
  };
  copy_in(a, batch.a);
  copy_in(b, batch.b);
  copy_in(c, batch.c);
  constexpr int unwritten = 0xa5;  // no result is likely to be this
  check(cudaMemset(d.data(), unwritten, result.size()), "cudaMemset");
  const auto row = static_cast<std::size_t>(&instruction - instruction_table.data());
  launches.at(row)({a.data(), b.data(), c.data(), d.data(), batch.tiles, batch.with_c ? 1 : 0});
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(result.data(), d.data(), result.size(), cudaMemcpyDeviceToHost),
        "copy from device");
  return result;
}

}  // namespace whybits::gpu
