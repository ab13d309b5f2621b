// Host side: operands to the device, one launch, outputs back.
#include <algorithm>

#include "gpu/device_buffer.cuh"
#include "gpu/kernels/recipe_launch.hpp"
#include "gpu/run_kernel.hpp"
#include "gpu/run_recipe_kernel.hpp"

namespace whybits::gpu {
namespace {

constexpr int poison = 0xff;  // a NaN in every format; not the one that GPUs produce
constexpr int oldest_major = 8;

struct Launcher {
  std::string_view kernel;
  void (*launch)(const RecipeRun&, const DeviceTensors&, void* workspace);
  std::uint64_t (*workspace_bytes)(const RecipeRun&);
};
std::uint64_t none(const RecipeRun&) {
  return 0;
}
constexpr Launcher launchers[] = {
    {"rms.norm", launch_rms_norm, none},
    {"add.rms.norm", launch_add_rms_norm, none},
    {"row.softmax", launch_row_softmax, none},
    {"split.attention", launch_split_attention, attention_workspace_bytes},
    {"moe.combine", launch_moe_combine, none},
};

/// Errors: std::runtime_error if a word is still poison.
void require_written(const KernelTensor& tensor, const std::vector<std::uint8_t>& words) {
  const auto size = static_cast<std::ptrdiff_t>(tensor.format.word_bytes());
  for (auto word = words.begin(); word != words.end(); word += size)
    if (std::all_of(word, word + size, [](std::uint8_t byte) { return byte == poison; }))
      throw std::runtime_error(tensor.name + ": element " +
                               std::to_string((word - words.begin()) / size) + " was not written");
}

}  // namespace

TensorWords run_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run,
                              const TensorWords& inputs) {
  kernel.check(kernel, run);
  if (const GpuEnvironment gpu = gpu_environment(); gpu.major < oldest_major)
    throw NotAvailable(std::string(kernel.name) + " needs compute capability " +
                       std::to_string(oldest_major) + ".0 or later; this GPU has " +
                       std::to_string(gpu.major) + "." + std::to_string(gpu.minor));
  const auto launcher = std::ranges::find(launchers, kernel.name, &Launcher::kernel);
  std::vector<DeviceBuffer> memory;
  DeviceTensors tensors;
  for (const KernelTensor& t : kernel.inputs(run))
    tensors[t.name] = memory.emplace_back(inputs.at(t.name)).data();
  const std::vector<KernelTensor> outputs = kernel.outputs(run);
  const std::size_t first_output = memory.size();
  for (const KernelTensor& t : outputs)
    tensors[t.name] =
        memory.emplace_back(t.groups * t.rows * t.columns * t.format.word_bytes(), poison).data();
  const DeviceBuffer workspace(launcher->workspace_bytes(run), poison);
  launcher->launch(run, tensors, workspace.data());
  check_finished(std::string(kernel.name));
  TensorWords words;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    words[outputs[i].name] = memory[first_output + i].read();
    require_written(outputs[i], words[outputs[i].name]);
  }
  return words;
}

}  // namespace whybits::gpu
