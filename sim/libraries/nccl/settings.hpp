// The NCCL_* environment as far as it decides an order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/libraries/nccl/version.hpp"

namespace whybits::nccl {

/// In the order in which the time model scans them: a tie goes to the first.
enum class Algorithm : std::uint8_t { tree, ring };
enum class Protocol : std::uint8_t { ll, ll128, simple };
inline constexpr std::array algorithm_names{"Tree", "Ring"};
inline constexpr std::array protocol_names{"LL", "LL128", "Simple"};
inline constexpr std::size_t algorithms = 2, protocols = 3;

struct Settings {
  std::array<bool, algorithms> algorithm{true, true};
  std::array<bool, protocols> protocol{true, true, true};
  bool nvls = true;  ///< NVLink multicast may be chosen, where it is the fastest
  std::optional<std::uint64_t> min_channels, max_channels;
  std::array<std::uint64_t, protocols> buffer_bytes{524288, 4915200, 4194304};
  std::array<std::uint64_t, protocols> max_threads{512, 640, 512};
  /// Bytes a thread must have before a channel is taken in addition; none: the default.
  std::array<std::array<std::optional<std::uint64_t>, protocols>, algorithms> thread_threshold{};
  bool graph_register = true;
};

/// Variables by name. Those known not to touch the order are read over.
/// Errors: ConfigurationError for a value that is none, a choice that leaves nothing or has no
/// defined order, and for a variable whose effect is not known.
Settings read_settings(const std::map<std::string, std::string>& environment,
                       const Version& version);

}  // namespace whybits::nccl
