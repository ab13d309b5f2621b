// The project's own kernels that are more than one sum: norms, softmax, attention, the combine of
// experts. One row each, with the recipe that the kernel claims.
//
// As kernel_table.hpp, and with its LaunchParams: names, parameters, their checks and the claims
// need no GPU; run_recipe_kernel.hpp runs a row. A run is several equal problems ("groups": rows of
// a head, tokens); one recipe describes each of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/launch_params.hpp"
#include "sim/builders/configuration_error.hpp"
#include "sim/recipe.hpp"
#include "sim/tensor.hpp"

namespace whybits::gpu {

/// What a kernel is launched on.
struct RecipeRun {
  LaunchParams params;
  std::map<std::string, std::uint64_t, std::less<>> extents;  ///< those that the row names
  Format type = formats::bf16;  ///< of activations, weights of norms and the output
  Bits parameter = 0;           ///< f32 code of the number that the row names

  /// Precondition: the row's check has passed.
  std::uint64_t extent(std::string_view name) const { return extents.find(name)->second; }
};

/// A tensor of a run: matrices rows×columns, row-major, one a group, one after the other. Of fewer
/// groups than the run has, group g reads matrix g · groups / (groups of the run).
struct KernelTensor {
  std::string name;
  std::uint64_t groups, rows, columns;
  Format format;
};

/// An input of a claim's recipe: some rows of a tensor of the run.
struct RecipeInput {
  std::string name, tensor;
  std::uint64_t first_row, rows;
};

struct RecipeClaim {
  std::string name;  ///< of a wrong neighbour: what is wrong
  Recipe recipe;     ///< of one group; its outputs are the run's
  std::vector<RecipeInput> inputs;
  InputTensors made = {};  ///< inputs of every group that no tensor of the run holds: masks
};

/// What a kernel logs while it computes: without it, "warps are in no bit" might be true because
/// there was one warp all the time. Host and device.
struct LaunchedBlocks {
  std::uint32_t blocks = 0;   ///< that ran
  std::uint32_t threads = 0;  ///< of each

  bool operator==(const LaunchedBlocks&) const = default;
};

struct RecipeKernel {
  std::string_view name;
  std::string_view summary;
  std::string_view operation;            ///< what recordings call it: "rms_norm"
  std::vector<std::string_view> orders;  ///< values of the knob `instruction`
  std::vector<std::string_view> knobs;   ///< members of LaunchParams that it reads
  std::vector<std::string_view> extents;
  std::string_view parameter;  ///< "eps", "scale"; empty: it has none
  double usual_parameter = 0;
  /// Refuses what it cannot be launched with. Errors: ConfigurationError.
  void (*check)(const RecipeKernel&, const RecipeRun&);
  std::vector<KernelTensor> (*inputs)(const RecipeRun&);
  std::vector<KernelTensor> (*outputs)(const RecipeRun&);
  RecipeClaim (*claim)(const RecipeRun&);
  /// What the parameters demand of the log.
  LaunchedBlocks (*blocks)(const RecipeRun&);
  /// Claims that must not fit: another block, another split, another last rounding.
  std::vector<RecipeClaim> (*neighbours)(const RecipeRun&);
  LaunchParams usual = {};

  bool has_knob(std::string_view knob) const;
};

std::span<const RecipeKernel> recipe_kernels();
/// Null if there is none of that name.
const RecipeKernel* find_recipe_kernel(std::string_view name);

/// Groups of a run: those of its outputs.
std::uint64_t run_groups(const RecipeKernel& kernel, const RecipeRun& run);

}  // namespace whybits::gpu
