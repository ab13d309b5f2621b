// Host side: operands to the device, one launch, outputs back.
#include <algorithm>
#include <cstring>
#include <map>

#include "gpu/device_buffer.cuh"
#include "gpu/kernels/recipe_launch.hpp"
#include "gpu/probe.hpp"
#include "gpu/run_kernel.hpp"
#include "gpu/run_recipe_kernel.hpp"
#include "gpu/stopwatch.cuh"

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

const Launcher& launcher_of(const RecipeKernel& kernel) {
  return *std::ranges::find(launchers, kernel.name, &Launcher::kernel);
}

/// Errors: ConfigurationError, NotAvailable.
void require_possible(const RecipeKernel& kernel, const RecipeRun& run) {
  kernel.check(kernel, run);
  if (const GpuEnvironment gpu = gpu_environment(); gpu.major < oldest_major)
    throw NotAvailable(std::string(kernel.name) + " needs compute capability " +
                       std::to_string(oldest_major) + ".0 or later; this GPU has " +
                       std::to_string(gpu.major) + "." + std::to_string(gpu.minor));
}

/// A run's tensors on the device; outputs are poison.
class DeviceRun {
 public:
  DeviceRun(const RecipeKernel& kernel, const RecipeRun& run, const TensorWords& inputs)
      : kernel_(kernel),
        workspace_(launcher_of(kernel).workspace ? launcher_of(kernel).workspace(run) : 0, poison),
        log_(sizeof(LaunchedBlocks), 0),
        launch_{run, {}, workspace_.data(), log_.as<LaunchedBlocks>()} {
    for (const KernelTensor& t : kernel.inputs(run)) add(t.name, DeviceBuffer(inputs.at(t.name)));
    for (const KernelTensor& t : kernel.outputs(run))
      add(t.name, DeviceBuffer(t.groups * t.rows * t.columns * t.format.word_bytes(), poison));
  }

  /// Does not wait.
  void launch() const { launcher_of(kernel_).launch(launch_); }
  std::vector<std::uint8_t> read(const std::string& tensor) const {
    return memory_.at(tensor).read();
  }
  const DeviceBuffer& log() const { return log_; }

 private:
  void add(const std::string& name, DeviceBuffer buffer) {
    launch_.tensors[name] = memory_.emplace(name, std::move(buffer)).first->second.data();
  }

  const RecipeKernel& kernel_;
  DeviceBuffer workspace_, log_;
  RecipeLaunch launch_;
  std::map<std::string, DeviceBuffer> memory_;
};

}  // namespace

TensorWords run_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run,
                              const TensorWords& inputs) {
  require_possible(kernel, run);
  const DeviceRun on_device(kernel, run, inputs);
  on_device.launch();
  check_finished(std::string(kernel.name));
  require_blocks(kernel, run, on_device.log());
  TensorWords words;
  for (const KernelTensor& t : kernel.outputs(run)) {
    words[t.name] = on_device.read(t.name);
    require_written(t, words[t.name]);
  }
  return words;
}

double time_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run,
                          const TensorWords& inputs) {
  require_possible(kernel, run);
  const DeviceRun on_device(kernel, run, inputs);
  Stopwatch watch;
  std::vector<float> times;
  for (int series = 0; series <= timed_series; ++series) {
    const float elapsed = watch.time([&] {
      for (int i = 0; i < timed_launches; ++i) on_device.launch();
    });
    if (series > 0) times.push_back(elapsed);  // the first one warms up
  }
  std::ranges::sort(times);
  return 1000.0 * times[times.size() / 2] / timed_launches;
}

}  // namespace whybits::gpu
