#include "sim/libraries/nccl/version.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace whybits::nccl {
namespace {

constexpr std::string_view read = "read in source";
/// Before 2.23 a Tree's Simple latencies were other ones.
constexpr TuningRow until_2_22{.tree_simple_base = 0.0F, .tree_simple_hop = 28.0F};
constexpr TuningRow until_2_20{.tree_simple_base = 0.0F,
                               .tree_simple_hop = 28.0F,
                               .ll_bandwidth_cap = 87.7,
                               .ring_ll_factor = 0.25};

constexpr CellRule cells_2_22{
    .minimum_traffic = 512, .cell_bytes = 16, .ll_cell_bytes = 16, .first_part_rounds_up = false};
constexpr CellRule cells_2_23{.minimum_traffic = 16384, .cell_bytes = 8192, .ll_cell_bytes = 8192};
constexpr CellRule cells_2_26{
    .minimum_traffic = 16384, .cell_bytes = 8192, .ll_cell_bytes = 2048, .ll_traffic_factor = 4};
constexpr CellRule cells_2_29{.minimum_traffic = 32768,
                              .cell_bytes = 16384,
                              .ll_cell_bytes = 4096,
                              .ll_traffic_factor = 4,
                              .target_has_minimum = false,
                              .target_rounds_to_16 = true};

constexpr std::array table{
    Rules{{2, 18, 0}, read, Partition::interleaved, {}, {.known = false}, false, false},
    Rules{{2, 19, 0}, read, Partition::interleaved, {}, until_2_20, false, false},
    Rules{{2, 20, 0}, read, Partition::aligned, {}, until_2_20, false, false},
    Rules{{2, 21, 0}, read, Partition::aligned, {}, until_2_22, false, false},
    Rules{{2, 22, 0}, read, Partition::cells, cells_2_22, until_2_22, false, false},
    Rules{{2, 23, 0}, read, Partition::cells, cells_2_23, {}, true, false},
    Rules{{2, 24, 0}, read, Partition::cells, cells_2_23, {}},
    Rules{{2, 26, 0},
          "2.28.3 and 2.28.9: measured on 2 to 4 H200; 2.28.9 also between nodes; others: read in "
          "source",
          Partition::cells,
          cells_2_26,
          {}},
    Rules{{2, 29, 0}, read, Partition::cells, cells_2_29, {}},
};

}  // namespace

std::string version_name(const Version& v) {
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

std::span<const Rules> all_rules() {
  return table;
}

Version parse_version(std::string_view text) {
  Version version;
  unsigned* const parts[] = {&version.major, &version.minor, &version.patch};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      if (at == end || *at != '.') break;
      ++at;
    }
    const auto [next, error] = std::from_chars(at, end, *parts[i]);
    if (error != std::errc()) break;
    at = next;
    if (i == 2 && at == end) return version;
  }
  throw ConfigurationError("NCCL version '" + std::string(text) +
                           "': not of the form 2.28.3 (major.minor.patch)");
}

const Rules& rules_of(const Version& version) {
  const bool later = version.major != newest_read.major || version.minor > newest_read.minor;
  if (later || version < table.front().first)
    throw ConfigurationError("NCCL version " + version_name(version) +
                             ": its rules are not known; known are 2.18 to " +
                             version_name(newest_read));
  const auto next =
      std::upper_bound(table.begin(), table.end(), version,
                       [](const Version& wanted, const Rules& row) { return wanted < row.first; });
  return *(next - 1);
}

}  // namespace whybits::nccl
