// Host side: operands to the device, one launch, outputs back.
#include <algorithm>
#include <cstring>

#include "gpu/device_buffer.cuh"
#include "gpu/kernels/recipe_launch.hpp"
#include "gpu/probe.hpp"
#include "gpu/run_kernel.hpp"
#include "gpu/run_recipe_kernel.hpp"

namespace whybits::gpu {
namespace {

constexpr int poison = 0xff;  // a NaN in every format; not the one that GPUs produce
constexpr int oldest_major = 8;

struct Launcher {
  std::string_view kernel;
  void (*launch)(const RecipeLaunch&);
  std::uint64_t (*workspace)(const RecipeRun&);  ///< bytes; null: none
};
constexpr Launcher launchers[] = {
    {"rms.norm", launch_rms_norm, nullptr},
    {"add.rms.norm", launch_add_rms_norm, nullptr},
    {"row.softmax", launch_row_softmax, nullptr},
    {"split.attention", launch_split_attention, attention_workspace},
    {"moe.combine", launch_moe_combine, nullptr},
};

/// Errors: std::runtime_error if a word is still poison.
void require_written(const KernelTensor& tensor, const std::vector<std::uint8_t>& words) {
  const auto size = static_cast<std::ptrdiff_t>(tensor.format.word_bytes());
  for (auto word = words.begin(); word != words.end(); word += size)
    if (std::all_of(word, word + size, [](std::uint8_t byte) { return byte == poison; }))
      throw std::runtime_error(tensor.name + ": element " +
                               std::to_string((word - words.begin()) / size) + " was not written");
}

/// Errors: ProbeError if other blocks ran than the parameters demand.
void require_blocks(const RecipeKernel& kernel, const RecipeRun& run, const DeviceBuffer& log) {
  LaunchedBlocks seen;
  std::memcpy(&seen, log.read().data(), sizeof seen);
  const LaunchedBlocks asked = kernel.blocks(run);
  if (seen != asked)
    throw ProbeError(std::string(kernel.name) + ": " + std::to_string(asked.blocks) +
                     " blocks of " + std::to_string(asked.threads) + " threads asked for, " +
                     std::to_string(seen.blocks) + " of " + std::to_string(seen.threads) + " seen");
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
  const DeviceBuffer workspace(launcher->workspace ? launcher->workspace(run) : 0, poison);
  const DeviceBuffer log(sizeof(LaunchedBlocks), 0);
  RecipeLaunch launch{run, {}, workspace.data(), log.as<LaunchedBlocks>()};
  std::vector<DeviceBuffer> memory;
  for (const KernelTensor& t : kernel.inputs(run))
    launch.tensors[t.name] = memory.emplace_back(inputs.at(t.name)).data();
  const std::vector<KernelTensor> outputs = kernel.outputs(run);
  const std::size_t first_output = memory.size();
  for (const KernelTensor& t : outputs)
    launch.tensors[t.name] =
        memory.emplace_back(t.groups * t.rows * t.columns * t.format.word_bytes(), poison).data();
  launcher->launch(launch);
  check_finished(std::string(kernel.name));
  require_blocks(kernel, run, log);
  TensorWords words;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    words[outputs[i].name] = memory[first_output + i].read();
    require_written(outputs[i], words[outputs[i].name]);
  }
  return words;
}

}  // namespace whybits::gpu
