// whybits_bench: how fast the parts are, each beside a peer in the same process.
//
//   whybits_bench [--json] [--runs N] [GROUP…]
//
// Groups: exact_sums exact_products evaluator arithmetic trees recipes; all if none is given.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/benchmarks/bench.hpp"

using namespace whybits::bench;

namespace {

const std::vector<std::pair<std::string, Results (*)(int)>>& groups() {
  static const std::vector<std::pair<std::string, Results (*)(int)>> all{
      {"exact_sums", exact_sums}, {"exact_products", exact_products},
      {"evaluator", evaluator},   {"arithmetic", arithmetic},
      {"trees", trees},           {"recipes", recipes}};
  return all;
}

struct Options {
  int runs = 9;
  bool json = false;
  std::vector<std::string> chosen;
};

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json") {
      options.json = true;
    } else if (argument == "--runs" && i + 1 < argc) {
      options.runs = std::atoi(argv[++i]);
      if (options.runs < 1) return std::nullopt;
    } else {
      const bool known = std::any_of(groups().begin(), groups().end(),
                                     [&](const auto& group) { return group.first == argument; });
      if (!known) return std::nullopt;
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

std::string rate_text(double rate) {
  for (const auto& [unit, factor] :
       {std::pair{"T", 1e12}, std::pair{"G", 1e9}, std::pair{"M", 1e6}, std::pair{"k", 1e3}})
    if (rate >= factor) return fmt::format("{:.3g} {}/s", rate / factor, unit);
  return fmt::format("{:.3g} /s", rate);
}

void print_table(const Results& results) {
  std::size_t name = 0, peer = 0;
  for (const Result& r : results) {
    name = std::max(name, r.name.size());
    peer = std::max(peer, r.peer.size());
  }
  fmt::print("{:<{}} {:>10} {:>9}  {:<{}} {:>10} {:>8}\n", "", name, "rate", "ns", "peer", peer,
             "its rate", "ratio");
  for (const Result& r : results) {
    fmt::print("{:<{}} {:>10} {:>9.3g}  {:<{}} {:>10} {:>8.3g}", r.name, name, rate_text(r.rate),
               1e9 / r.rate, r.peer, peer, rate_text(r.peer_rate), r.ratio());
    fmt::print("{}{}\n", r.note.empty() ? "" : "  ", r.note);
  }
}

nlohmann::json json_of(const Results& results) {
  nlohmann::json lines = nlohmann::json::array();
  for (const Result& r : results)
    lines.push_back({{"name", r.name},
                     {"item", r.item},
                     {"rate", r.rate},
                     {"peer", r.peer},
                     {"peer_rate", r.peer_rate},
                     {"ratio", r.ratio()},
                     {"note", r.note}});
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = read_options(argc, argv);
  if (!options) {
    fmt::print(stderr,
               "usage: whybits_bench [--json] [--runs N] [GROUP…]\n"
               "groups: exact_sums exact_products evaluator arithmetic trees recipes\n");
    return 2;
  }
  const std::string processor = value_in("/proc/cpuinfo", "model name");
  const std::string load = load_average();
  Results results;
  for (const auto& [name, run] : groups()) {
    const auto& chosen = options->chosen;
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), name) == chosen.end()) continue;
    fmt::print(stderr, "{} …\n", name);
    for (Result& result : run(options->runs)) results.push_back(std::move(result));
  }
  if (options->json) {
    const nlohmann::json report{{"whybits_bench", 1},
                                {"processor", processor},
                                {"load_average", load},
                                {"runs", options->runs},
                                {"results", json_of(results)}};
    fmt::print("{}\n", report.dump(2));
    return 0;
  }
  fmt::print("{}, one thread, load average {} at the start; medians of {} runs.\n", processor, load,
             options->runs);
  fmt::print("Other work on the machine shifts rates by tens of percent, ratios by less.\n\n");
  print_table(results);
  return 0;
}
