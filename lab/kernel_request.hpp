// One run of one of the project's own kernels, as suite files and recordings say it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpu/kernel_table.hpp"
#include "lab/inputs.hpp"
#include "lab/json_field.hpp"
#include "lab/recording.hpp"

namespace whybits {

struct KernelRequest {
  std::string name;  ///< of the recording's file, without .json
  const gpu::Kernel* kernel = nullptr;
  gpu::LaunchParams params;
  gpu::Shape shape;
  std::map<std::string, InputSpec> inputs;  ///< "a", and "b" of a gemm
  std::vector<std::uint64_t> rows;          ///< of a gemm's output that are kept; empty: all
  bool keep_bits = true;                    ///< else only the hash
};

/// Errors: UsageError that lists the kernels.
const gpu::Kernel& kernel_named(const std::string& name);

/// The parameters of a row of either table of kernels. Borrows from it.
struct KernelKnobs {
  template <class Row>
  KernelKnobs(const Row& kernel) : name(kernel.name), knobs(kernel.knobs), usual(kernel.usual) {}
  bool has(std::string_view knob) const;

  std::string_view name;
  std::span<const std::string_view> knobs;
  const gpu::LaunchParams& usual;
};

/// Sets one knob from its value in JSON. Errors: UsageError for one that the kernel does not have.
void set_knob(const KernelKnobs& kernel, gpu::LaunchParams& params, const std::string& knob,
              const JsonField& value);
/// The knobs that the kernel reads, by name: what a recording keeps as its settings.
nlohmann::json knobs_json(const KernelKnobs& kernel, const gpu::LaunchParams& params);
/// Those that are not as usual.
std::string knobs_text(const KernelKnobs& kernel, const gpu::LaunchParams& params);

/// A name that can be a file's. Errors: UsageError.
std::string read_file_name(const JsonField& field);

/// An entry of a suite file: name, kernel, params, shape, inputs, and rows and keep. `also` names
/// keys that the caller reads. Errors: UsageError with the place in the file.
KernelRequest read_request(const JsonField& entry, std::initializer_list<std::string_view> also);

/// What was run to make a recording, to run it again. Errors: UsageError if it is of no kernel of
/// this project.
KernelRequest request_of(const Recording& recording);

/// All of a recording but its output and where it was made. `architecture` chooses the units.
/// Errors: UsageError for parameters that the kernel refuses.
Recording blank_recording(const KernelRequest& request, const std::string& architecture);

}  // namespace whybits
