// whybits_bench: how fast the parts are, each beside a peer in the same process.
//
//   whybits_bench [--json] [--runs N] [--isa NAME] [--quick] [GROUP…]
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "sim/fast/kernels/kernels.hpp"
#include "tests/benchmarks/openblas.hpp"
#include "tests/benchmarks/outputs.hpp"
#include "tests/benchmarks/report.hpp"

using namespace whybits::bench;

namespace {

struct Group {
  const char* name;
  std::function<Results(const Settings&)> run;
};

const std::vector<Group>& groups() {
  const auto by_runs = [](Results (*run)(int)) {
    return [run](const Settings& settings) { return run(settings.runs); };
  };
  static const std::vector<Group> all{{"matrix_products", matrix_products},
                                      {"weights", weights},
                                      {"topologies", topologies},
                                      {"threads", threads},
                                      {"memory", memory},
                                      {"single_instructions", single_instructions},
                                      {"instruction_counts", instruction_counts},
                                      {"exact_sums", by_runs(exact_sums)},
                                      {"exact_products", by_runs(exact_products)},
                                      {"evaluator", by_runs(evaluator)},
                                      {"arithmetic", by_runs(arithmetic)},
                                      {"trees", by_runs(trees)},
                                      {"recipes", by_runs(recipes)},
                                      {"rows", rows},
                                      {"collectives", collectives}};
  return all;
}

template <class Names>
std::string listed(const Names& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

std::string group_names() {
  std::vector<std::string> names;
  for (const Group& group : groups()) names.emplace_back(group.name);
  return listed(names);
}

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  Settings settings;
  bool json = false;
  std::vector<std::string> chosen;
};

int positive(const std::string& option, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw UsageError(fmt::format("{} '{}': a whole number from 1", option, text));
  return value;
}

std::string instruction_set(const std::string& name) {
  const std::vector<std::string> here = whybits::fast::instruction_sets();
  if (std::find(here.begin(), here.end(), name) == here.end())
    throw UsageError(fmt::format("--isa '{}': this processor has {}", name, listed(here)));
  return name;
}

Options read_options(const std::vector<std::string>& arguments) {
  Options options;
  const std::vector<std::string> sets = whybits::fast::instruction_sets();
  options.settings.instruction_set = sets.empty() ? "none" : sets.front();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] {
      if (i + 1 == arguments.size()) throw UsageError(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--json") {
      options.json = true;
    } else if (argument == "--quick") {
      options.settings.quick = true;
      options.settings.runs = 1;
    } else if (argument == "--runs") {
      options.settings.runs = positive(argument, value());
    } else if (argument == "--isa") {
      options.settings.instruction_set = instruction_set(value());
    } else {
      const bool known = std::any_of(groups().begin(), groups().end(),
                                     [&](const Group& group) { return group.name == argument; });
      if (!known)
        throw UsageError(fmt::format("'{}' is neither an option nor a group; groups: {}", argument,
                                     group_names()));
      options.chosen.push_back(argument);
    }
  }
  return options;
}

/// A line of a file of "key : value" lines; "unknown" where there is no such file or key.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) {
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos) return line.substr(line.find_first_not_of(' ', colon + 1));
    }
  return "unknown";
}

std::string load_average() {
  std::ifstream file("/proc/loadavg");
  std::string load;
  return file >> load ? load : "unknown";
}

Results run_groups(const Options& options) {
  Results results;
  for (const Group& group : groups()) {
    const auto& chosen = options.chosen;
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), group.name) == chosen.end())
      continue;
    fmt::print(stderr, "{} …\n", group.name);
    for (Result& result : group.run(options.settings)) {
      result.group = group.name;
      if (options.settings.quick) result.goal.reset();
      results.push_back(std::move(result));
    }
  }
  return results;
}

std::string counter_text() {
  const std::string& missing = instruction_counter().missing();
  return missing.empty() ? "available" : "not available: " + missing;
}

void run(const Options& options) {
  const Settings& settings = options.settings;
  whybits::fast::pin_instruction_set(settings.instruction_set == "none" ? ""
                                                                        : settings.instruction_set);
  const std::string processor = value_in("/proc/cpuinfo", "model name");
  const std::string load = load_average();
  const OpenBlas& blas = OpenBlas::get();
  if (!blas.found())
    fmt::print(stderr, "OpenBLAS: {}; lines beside it are left out\n", blas.core());
  const Results results = run_groups(options);
  const std::string load_after = load_average();
  if (options.json) {
    const nlohmann::json report{{"whybits_bench", 1},
                                {"processor", processor},
                                {"instruction_set", settings.instruction_set},
                                {"openblas", blas.core()},
                                {"instruction_counter", counter_text()},
                                {"load_average", load},
                                {"load_average_after", load_after},
                                {"runs", settings.runs},
                                {"quick", settings.quick},
                                {"results", json_of(results)}};
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{}, pinned to {}, OpenBLAS {}; load average {}, then {}; medians of {} runs.\n",
             processor, settings.instruction_set, blas.core(), load, load_after, settings.runs);
  fmt::print(
      "Instruction counter: {}. Other work shifts rates by tens of percent, ratios by less.\n",
      counter_text());
  if (settings.quick) fmt::print("--quick: the figures of these small sizes say nothing.\n");
  fmt::print("\n");
  print_table(results);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string usage =
      "usage: whybits_bench [--json] [--runs N] [--isa NAME] [--quick] [GROUP…]\n";
  try {
    if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
      fmt::print("{}groups: {}\nsee docs/benchmarks.md\n", usage, group_names());
      return 0;
    }
    run(read_options(std::vector<std::string>(argv + 1, argv + argc)));
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "whybits_bench: {}\n{}", error.what(), usage);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "whybits_bench: {}\n", error.what());
    return 1;
  }
}
