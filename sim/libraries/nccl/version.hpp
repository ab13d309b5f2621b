// NCCL releases as rows: what decides the order of additions of an all-reduce and changed between
// them. Read in the sources of the tags from 2.18.6 to 2.30.7; rows say which were seen on
// hardware.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/builders/configuration_error.hpp"

namespace whybits::nccl {

struct Version {
  unsigned major = 0, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};
std::string version_name(const Version& version);

/// How a message is dealt to channels.
enum class Partition : std::uint8_t {
  interleaved,  ///< every channel takes a piece of every loop over the message
  aligned,      ///< contiguous parts, lengths aligned by the thread count
  cells         ///< contiguous parts of whole cells, "continuous byte distribution"
};

/// Of Partition::cells.
struct CellRule {
  std::uint64_t minimum_traffic = 0;  ///< that a channel is given, bytes
  std::uint64_t cell_bytes = 0;       ///< of LL128 and Simple
  std::uint64_t ll_cell_bytes = 0;
  std::uint64_t ll_traffic_factor = 1;  ///< of a byte sent by LL
  bool first_part_rounds_up = true;     ///< its number of cells; else down
  bool target_has_minimum = true;       ///< a channel's target is at least minimum_traffic
  bool target_rounds_to_16 = false;
};

/// Latencies in µs and caps in GB/s of the time model on Hopper, one node.
struct TuningRow {
  bool known = true;  ///< false: algorithm and protocol must be set by hand
  float tree_simple_base = 8.4F, tree_simple_hop = 4.0F;
  double ll_bandwidth_cap = 141.0;
  double ring_ll_factor = 0.5;
};

struct Rules {
  Version first;          ///< this release and later ones, up to the next row
  std::string_view seen;  ///< "2.28.3: measured on 4 H200", "read in source"
  Partition partition = Partition::cells;
  CellRule cells;
  TuningRow tuning;
  bool registration_caps_channels = true;  ///< at 16, for registered Simple out of place
  bool fp8 = true;
  /// Inside a part. Fixed in all releases; controls change them.
  bool last_chunk_rounds_to_16 = true;
  unsigned start_after_owner = 1;  ///< chunk q starts at ring position q + this
  bool double_tree = true;         ///< between nodes; else the first tree alone
};

/// All rows, ascending.
std::span<const Rules> all_rules();
/// Newest release that was read; a later one is refused.
inline constexpr Version newest_read{2, 30, 7};

/// "2.28.3". Errors: ConfigurationError for another form.
Version parse_version(std::string_view text);
/// Errors: ConfigurationError for releases before the first row or after newest_read's minor.
const Rules& rules_of(const Version& version);

}  // namespace whybits::nccl
