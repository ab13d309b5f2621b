#include "lab/all_reduce_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/nearest_name.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

/// Does `action` and names the option in front of what a configuration lacks.
template <typename Action>
auto for_option(const std::string& option, const std::string& value, Action action) {
  try {
    return action();
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, value, error.what()));
  }
}

/// "2.28.3:NCCL_ALGO=allreduce:tree:NCCL_PROTO=LL" in three: a colon parts before a variable only.
std::vector<std::string> split_variables(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(":NCCL_", begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

[[noreturn]] void refuse_name(const std::string& option, const std::string& name) {
  std::vector<std::string> names{"nccl"};
  for (const AllReduceName& known : all_reduce_names) names.emplace_back(known.name);
  const auto near = nearest_name(name, names);
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  throw UsageError(fmt::format("{}: unknown algorithm '{}'{}", option, name,
                               near ? "; did you mean " + *near + "?" : ""),
                   "algorithms: " + all + ", or a topology of the notation");
}

AllReducePlan by_notation(const std::string& option, const std::string& spec,
                          const AllReduceMessage& message) {
  AllReducePlan plan{spec, {}, {}, {}};
  try {
    auto parsed = parse_notation(spec);
    if (auto* one = std::get_if<SchemaPtr>(&parsed)) {
      if (message.count > 0) plan.map.regions = {{0, message.count, *one}};
    } else {
      plan.map = std::get<TopologyMap>(parsed);
    }
  } catch (const NotationError& error) {
    throw UsageError(option + " cannot be read\n" + error.pointed(), "see docs/notation.md");
  }
  std::uint64_t end = 0;
  for (const MapRegion& region : plan.map.regions)
    end = region.begin == end ? region.end : ~std::uint64_t{0};
  if (end != message.count)
    throw UsageError(
        fmt::format("{}: the map does not cover elements 0 to {}", option, message.count),
        "give it regions without gaps, up to --count");
  return plan;
}

AllReducePlan by_nccl(const std::string& option, const std::string& spec,
                      const AllReduceMessage& message) {
  std::string version(default_nccl_version);
  std::map<std::string, std::string> environment;
  const std::string head = "nccl";
  const std::string rest = spec.size() > head.size() ? spec.substr(head.size() + 1) : "";
  for (const std::string& part : split_variables(rest)) {
    if (part.empty()) continue;
    if (part.find('=') == std::string::npos)
      version = part;
    else
      environment.insert(variable_option(option, part));
  }
  return for_option(option, spec, [&] {
    nccl::Prediction prediction =
        predict_all_reduce(nccl_request(option, version, environment, message));
    AllReducePlan plan{spec, prediction.map, {}, {}};
    plan.nccl = std::move(prediction);
    return plan;
  });
}

}  // namespace

std::pair<std::string, std::string> variable_option(const std::string& option,
                                                    const std::string& text) {
  const std::size_t equal = text.find('=');
  if (equal == 0 || equal == std::string::npos || !text.starts_with("NCCL_"))
    throw UsageError(fmt::format("{}: '{}' is no variable with a value", option, text),
                     "write NCCL_ALGO=Ring");
  return {text.substr(0, equal), text.substr(equal + 1)};
}

nccl::Request nccl_request(const std::string& option, const std::string& version,
                           const std::map<std::string, std::string>& environment,
                           const AllReduceMessage& message) {
  return for_option(option, version, [&] {
    nccl::Request request;
    request.version = nccl::parse_version(version);
    request.settings = nccl::read_settings(environment, request.version);
    request.machine = nccl::hopper(message.ranks, message.nodes);
    request.count = message.count;
    request.type = message.type;
    return request;
  });
}

AllReducePlan all_reduce_plan(const std::string& option, const std::string& spec,
                              const AllReduceMessage& message) {
  if (spec.find_first_of("({") != std::string::npos) return by_notation(option, spec, message);
  if (spec == "nccl" || spec.starts_with("nccl:")) return by_nccl(option, spec, message);
  const std::size_t plus = spec.find('+');
  const std::string name = spec.substr(0, plus);
  const auto known = std::ranges::find(all_reduce_names, name, &AllReduceName::name);
  if (known == all_reduce_names.end()) refuse_name(option, name);
  AllReduceConfig config{known->algorithm, message.ranks, message.count, message.type};
  config.ranks_per_node = message.ranks_per_node;
  config.op = message.op;
  if (plus != std::string::npos) {
    config.accumulate = parse_format(spec.substr(plus + 1));
    if (!config.accumulate)
      throw UsageError(
          fmt::format("{} {}: '{}' is no number format", option, spec, spec.substr(plus + 1)),
          "write ring+f32 for partial sums in f32");
  }
  return for_option(option, spec,
                    [&] { return AllReducePlan{spec, all_reduce_map(config), {}, config}; });
}

}  // namespace whybits
