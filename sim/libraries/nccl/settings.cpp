#include "sim/libraries/nccl/settings.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>
#include <string_view>
#include <vector>

#include "sim/ascii_lower.hpp"

namespace whybits::nccl {
namespace {

using Text = const std::string&;

[[noreturn]] void refuse(Text name, Text value, const std::string& allowed) {
  throw ConfigurationError(name + "=" + value + ": " + allowed);
}

std::int64_t integer(Text name, Text value) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || at != end || value.empty()) refuse(name, value, "not a whole number");
  return number;
}

std::uint64_t positive(Text name, Text value) {
  const std::int64_t number = integer(name, value);
  if (number <= 0) refuse(name, value, "must be above 0");
  return static_cast<std::uint64_t>(number);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// "tree", "ring,tree", "^tree", and from 2.24 on "ring,tree;allreduce:tree". Names of the choice
/// that concerns an all-reduce.
std::string all_reduce_choice(Text value, const Version& version) {
  if (version < Version{2, 24, 0}) return value;
  std::string chosen;
  for (const std::string& part : split(value, ';')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos)
      chosen = part;
    else if (ascii_lower(part.substr(0, colon)) == "allreduce")
      chosen = part.substr(colon + 1);
  }
  return chosen;
}

template <std::size_t Count, class Names>
void choose(Text name, Text value, const Version& version, const Names& names,
            const std::vector<std::string>& without_order, std::array<bool, Count>& enabled) {
  std::string list = all_reduce_choice(value, version);
  if (list.empty()) return;  // other functions only
  const bool excludes = list[0] == '^';
  if (excludes) list.erase(0, 1);
  enabled.fill(excludes);
  bool undefined = false;
  for (const std::string& one : split(ascii_lower(list), ',')) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const char* known) { return ascii_lower(known) == one; });
    if (found != names.end()) {
      enabled[static_cast<std::size_t>(found - names.begin())] = !excludes;
    } else if (std::find(without_order.begin(), without_order.end(), one) != without_order.end()) {
      undefined = undefined || !excludes;
    } else {
      refuse(name, value, "'" + one + "' is not known");
    }
  }
  if (undefined)
    refuse(name, value,
           "CollNet and NVLS reduce in the switch, in an order that is not defined; Ring and Tree "
           "can be predicted");
  if (std::none_of(enabled.begin(), enabled.end(), [](bool on) { return on; }))
    refuse(name, value, "leaves nothing to choose from");
}

/// As NCCL's getNthreads: no multiple of 32 means the maximum.
std::uint64_t threads(Text name, Text value, std::uint64_t least, std::uint64_t most) {
  const std::int64_t asked = integer(name, value);
  if (asked <= 0) return most;
  const auto number = static_cast<std::uint64_t>(asked);
  return number % 32 != 0 ? most : std::clamp(number, least, most);
}

void thread_thresholds(Text name, Text value, Settings& settings) {
  std::istringstream stream(value);
  for (auto& row : settings.thread_threshold)
    for (auto& threshold : row) {
      std::int64_t number = 0;
      if (!(stream >> number)) {
        if (stream.eof()) return;
        refuse(name, value, "must be up to six whole numbers");
      }
      if (number >= 0) threshold = static_cast<std::uint64_t>(number);
    }
}

constexpr std::uint64_t steps = 8, grain_of_steps = steps * 16, least_step = 4096;  // bytes

std::uint64_t buffer(Text name, Text value) {
  const std::uint64_t bytes = positive(name, value);
  if (bytes < steps * least_step) refuse(name, value, "smaller than eight steps of 4096 bytes");
  return bytes / grain_of_steps * grain_of_steps;
}

/// Known to move bytes, start kernels or write logs, and nothing else. NVIDIA's container images
/// set NCCL_VERSION, which the library does not read.
constexpr std::string_view harmless[] = {"NCCL_VERSION",
                                         "NCCL_DEBUG",
                                         "NCCL_DEBUG_SUBSYS",
                                         "NCCL_DEBUG_FILE",
                                         "NCCL_SOCKET_NTHREADS",
                                         "NCCL_NSOCKS_PERTHREAD",
                                         "NCCL_SOCKET_IFNAME",
                                         "NCCL_LAUNCH_MODE",
                                         "NCCL_P2P_NET_DISABLE",
                                         "NCCL_COLLNET_ENABLE",
                                         "NCCL_CUMEM_ENABLE",
                                         "NCCL_GRAPH_DUMP_FILE",
                                         "NCCL_TOPO_DUMP_FILE",
                                         "NCCL_IB_DISABLE",
                                         "NCCL_ASYNC_ERROR_HANDLING",
                                         "NCCL_CHECK_POINTERS",
                                         "NCCL_LOCAL_REGISTER",
                                         "NCCL_MAX_P2P_NCHANNELS",
                                         "NCCL_MIN_P2P_NCHANNELS",
                                         "NCCL_NET"};

}  // namespace

Settings read_settings(const std::map<std::string, std::string>& environment,
                       const Version& version) {
  Settings s;
  const std::vector<std::string> in_switch{"collnetdirect", "collnetchain", "nvls", "nvlstree",
                                           "collnet"};
  const auto least = [](std::optional<std::uint64_t>& limit, std::uint64_t value) {
    limit = limit ? std::max(*limit, value) : value;
  };
  const auto most = [](std::optional<std::uint64_t>& limit, std::uint64_t value) {
    limit = limit ? std::min(*limit, value) : value;
  };
  using Read = std::function<void(Text, Text)>;
  const std::map<std::string_view, Read> known{
      {"NCCL_ALGO",
       [&](Text n, Text v) { choose(n, v, version, algorithm_names, in_switch, s.algorithm); }},
      {"NCCL_PROTO",
       [&](Text n, Text v) { choose(n, v, version, protocol_names, {}, s.protocol); }},
      {"NCCL_NVLS_ENABLE", [&](Text n, Text v) { s.nvls = integer(n, v) != 0; }},
      {"NCCL_MIN_NCHANNELS", [&](Text n, Text v) { least(s.min_channels, positive(n, v)); }},
      {"NCCL_MIN_CTAS", [&](Text n, Text v) { least(s.min_channels, positive(n, v)); }},
      {"NCCL_MAX_NCHANNELS", [&](Text n, Text v) { most(s.max_channels, positive(n, v)); }},
      {"NCCL_MAX_CTAS", [&](Text n, Text v) { most(s.max_channels, positive(n, v)); }},
      {"NCCL_LL_BUFFSIZE", [&](Text n, Text v) { s.buffer_bytes[0] = buffer(n, v); }},
      {"NCCL_LL128_BUFFSIZE", [&](Text n, Text v) { s.buffer_bytes[1] = buffer(n, v); }},
      {"NCCL_BUFFSIZE", [&](Text n, Text v) { s.buffer_bytes[2] = buffer(n, v); }},
      {"NCCL_NTHREADS",
       [&](Text n, Text v) { s.max_threads[0] = s.max_threads[2] = threads(n, v, 64, 512); }},
      {"NCCL_LL128_NTHREADS", [&](Text n, Text v) { s.max_threads[1] = threads(n, v, 160, 640); }},
      {"NCCL_THREAD_THRESHOLDS", [&](Text n, Text v) { thread_thresholds(n, v, s); }},
      {"NCCL_GRAPH_REGISTER", [&](Text n, Text v) { s.graph_register = integer(n, v) != 0; }},
  };
  for (const auto& [name, value] : environment) {
    if (const auto found = known.find(name); found != known.end())
      found->second(name, value);
    else if (std::find(std::begin(harmless), std::end(harmless), name) == std::end(harmless))
      refuse(name, value, "what it does to the order of additions is not known here");
  }
  return s;
}

}  // namespace whybits::nccl
