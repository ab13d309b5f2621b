// The file of a scan, version 2: made by a program, readable by people, small.
//
//   # cuBLASLt choice atlas, version 2
//   # device: NVIDIA H200
//   # types: bf16                     all layers of the file
//   choice id tile stages …           the distinct choices, numbered from 1
//   1 66 10 35 …
//   layer 4096 14336 NN               n, k, layout
//   8:1 16:2 24:3 30:- 31:2           up to m = 8 choice 1, from 9 to 16 choice 2, …; "-" is none
//
// Cells of the table are separated by tabs; ranges follow a layer on any number of lines.
#pragma once

#include <string_view>
#include <vector>

#include "sim/libraries/cublaslt/atlas.hpp"

namespace whybits::cublaslt {

inline constexpr std::string_view scan_first_line = "# cuBLASLt choice atlas, version 2";
/// Batch sizes beyond this are refused.
inline constexpr std::uint64_t largest_scanned_m = 65536;

/// The value of "# NAME: VALUE" in the head; empty if there is none.
std::string_view head_value(std::string_view text, std::string_view name);
/// device, capability, library, driver, date, settings. Errors: AtlasError without library or
/// capability.
AtlasFile read_head(std::string_view name, std::string_view text);
/// "id tile stages …" with tabs.
std::string field_columns();

/// Errors: AtlasError "NAME: line N: …".
std::vector<ScannedLayer> read_scan(std::string_view name, std::string_view text);

}  // namespace whybits::cublaslt
