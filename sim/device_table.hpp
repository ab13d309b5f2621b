// Matrix instructions of NVIDIA GPUs: one row an instruction, a row is data.
//
// Key: (architecture, instruction, operand types, accumulator type, k). Parameters: MMA-Sim
// (arXiv:2511.10909), MATLAB-tensor-core (arXiv:2512.07004) and FPy (docs/sources.md), marked by
// what backs them. Where one PTX type compiles to different machine instructions, the row models
// what is run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/unit.hpp"

namespace whybits {

enum class Evidence : std::uint8_t {
  measured,   ///< equals bits recorded on this kind of device, with controls that fail
  literature  ///< taken from published models or vectors; not run by this project
};

/// How a row computes.
enum class StepModel : std::uint8_t {
  aligned,    ///< T(L, F, ρ, e0); k longer than L is several steps
  fma_chain,  ///< IEEE fma in f64, k ascending; NaN by NanRule::operand
  fp8_by_f16  ///< no fp8 unit: two f16 steps from 0, then c by one add (compiled sequence)
};

struct DeviceRow {
  std::string_view architecture;           ///< "sm90"
  std::string_view instruction;            ///< "mma" (mma.sync), "wgmma", "tcgen05"
  std::vector<std::string_view> operands;  ///< formats that a and b may have, each on its own
  bool mixed;                              ///< a and b may differ
  Format accumulator;                      ///< f32, f16 or f64
  std::vector<int> k;                      ///< instruction shapes; the last is the default
  StepModel model;
  AlignedSum sum;  ///< addends is the limit: a shorter k makes a shorter step
  Evidence evidence;
  std::string_view source;
  std::optional<BlockScale> scale = {};  ///< operands come in blocks with scales
};

std::span<const DeviceRow> device_table();

/// One unit of the table by its name, "sm90.mma.bf16.k8"; nullopt if there is none. Chains of fma
/// take a rounding as PTX does: "sm90.mma.f64.rz" (also .ru, .rd; PTX has .rp, .rm).
std::optional<Unit> find_device_unit(std::string_view name);

/// All names, for listing and for suggestions; ".kN" only where it is not the default.
std::vector<std::string> device_unit_names();
/// The row behind a unit's name, or null.
const DeviceRow* find_device_row(std::string_view name);

}  // namespace whybits
