#include "gpu/nccl/group.hpp"

#include <algorithm>
#include <numeric>

#include "gpu/cuda_error.cuh"
#include "gpu/device_buffer.cuh"
#include "gpu/device_info.hpp"
#include "gpu/nccl/library.hpp"

namespace whybits::gpu {
namespace {

struct NcclType {
  Format format;
  int code;  ///< ncclDataType_t
};
constexpr NcclType types[] = {{formats::f16, 6},
                              {formats::f32, 7},
                              {formats::bf16, 9},
                              {formats::e4m3, 10},
                              {formats::e5m2, 11}};
constexpr int op_sum = 0;  // ncclRedOp_t
constexpr int poison = 0xA5;

int type_code(const Format& format) {
  const auto* const found = std::ranges::find(types, format, &NcclType::format);
  if (found == std::end(types)) throw NotAvailable("NCCL does not add " + format_name(format));
  return found->code;
}

void require_gpus(int ranks) {
  const GpuReport report = query_gpus();
  const auto have = static_cast<int>(report.devices.size());
  if (have < ranks)
    throw NotAvailable(std::to_string(ranks) + " GPUs are needed, " + std::to_string(have) +
                       " are here" + (report.reason.empty() ? "" : ": " + report.reason));
}

/// One rank's device, stream and buffers.
struct RankMemory {
  DeviceBuffer send, receive;
};

}  // namespace

struct NcclGroup::State {
  State(int count, const std::string& file)
      : library(file), comms(static_cast<std::size_t>(count)), streams(comms.size()) {
    std::vector<int> devices(comms.size());
    std::iota(devices.begin(), devices.end(), 0);
    library.check(library.comm_init_all(comms.data(), count, devices.data()), "ncclCommInitAll");
    on_each([&](std::size_t r) {
      gpu::check(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking), "cudaStreamCreate");
    });
  }

  template <class Action>
  void on_each(Action action) {
    for (std::size_t r = 0; r < comms.size(); ++r) {
      gpu::check(cudaSetDevice(static_cast<int>(r)), "cudaSetDevice");
      action(r);
    }
  }

  void enqueue(const NcclCall& call, std::vector<RankMemory>& memory) {
    const int type = type_code(call.type);
    library.check(library.group_start(), "ncclGroupStart");
    for (std::size_t r = 0; r < comms.size(); ++r)
      library.check(
          library.all_reduce(memory[r].send.data(),
                             call.in_place ? memory[r].send.data() : memory[r].receive.data(),
                             call.count, type, op_sum, comms[r], streams[r]),
          "ncclAllReduce");
    library.check(library.group_end(), "ncclGroupEnd");
  }

  void synchronize() {
    on_each([&](std::size_t r) { gpu::check(cudaStreamSynchronize(streams[r]), "ncclAllReduce"); });
  }

  NcclLibrary library;
  std::vector<NcclComm> comms;
  std::vector<cudaStream_t> streams;
};

NcclGroup::NcclGroup(int ranks, const std::string& library) {
  require_gpus(ranks);
  state_ = std::make_unique<State>(ranks, library);
}

NcclGroup::~NcclGroup() {
  for (const NcclComm comm : state_->comms) state_->library.comm_destroy(comm);
}

std::string NcclGroup::version() const {
  int code = 0;
  state_->library.check(state_->library.get_version(&code), "ncclGetVersion");
  return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
         std::to_string(code % 100);
}

std::vector<std::vector<std::uint8_t>> NcclGroup::all_reduce(
    const NcclCall& call, std::span<const std::vector<std::uint8_t>> inputs) {
  std::vector<RankMemory> memory(state_->comms.size());
  state_->on_each([&](std::size_t r) {
    memory[r].send = DeviceBuffer(std::span<const std::uint8_t>(inputs[r]));
    if (!call.in_place) memory[r].receive = DeviceBuffer(inputs[r].size(), poison);
    check(cudaDeviceSynchronize(), "preparing buffers");
  });
  state_->enqueue(call, memory);
  state_->synchronize();
  std::vector<std::vector<std::uint8_t>> outputs(memory.size());
  state_->on_each([&](std::size_t r) {
    outputs[r] = (call.in_place ? memory[r].send : memory[r].receive).read();
  });
  return outputs;
}

}  // namespace whybits::gpu
