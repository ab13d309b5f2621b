// Recovers the tables of the special functions from a GPU's sweeps and prints them as C++:
//
//   whybits-recover-special FOLDER > sim/special/tables.cpp
//
// FOLDER holds what whybits-record-special wrote. How many triples of integers give all outputs of
// a segment goes to the standard error; 1 means that the outputs determine them.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "gpu/special/recover/observe.hpp"

namespace whybits::gpu::special {
namespace {

bool append(const std::string& path, std::vector<std::uint32_t>& words) {
  std::ifstream in(path, std::ios::binary);
  const std::size_t before = words.size();
  std::vector<std::uint32_t> part(1 << 16);
  while (in.read(reinterpret_cast<char*>(part.data()),
                 static_cast<std::streamsize>(part.size() * sizeof(std::uint32_t))) ||
         in.gcount() > 0) {
    words.insert(words.end(), part.begin(),
                 part.begin() + in.gcount() / static_cast<std::streamsize>(sizeof(std::uint32_t)));
  }
  return words.size() > before;
}

void print_head() {
  std::printf(
      "// Recovered from the outputs of an NVIDIA H200 by whybits-recover-special: measured data,\n"
      "// with its provenance in docs/special-functions.md. Do not edit.\n"
      "#include \"sim/special/tables.hpp\"\n\n"
      "namespace whybits::special::tables {\n\n// clang-format off\n");
}

/// False if some segment has no integers at all.
bool print_table(const Observed& function, const std::vector<std::uint32_t>& words) {
  const auto segments = function.of(words);
  std::printf("const std::array<Segment, %zu> %s{{\n", segments.size(),
              std::string(function.name).c_str());
  std::map<std::uint64_t, unsigned> counts;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Solutions found = solve_segment(segments[i], function.path.shift0);
    ++counts[found.count];
    std::printf("%s{%d, %d, %d},%s", i % 4 == 0 ? "    " : " ", found.first.t0, found.first.t1,
                found.first.t2, i % 4 == 3 || i + 1 == segments.size() ? "\n" : "");
  }
  std::printf("}};\n");
  for (const auto& [count, of] : counts)
    std::fprintf(stderr, "%s: %u segments with %llu triples\n", std::string(function.name).c_str(),
                 of, static_cast<unsigned long long>(count));
  return !counts.contains(0);
}

int recover(const std::string& folder) {
  print_head();
  bool complete = true;
  for (const Observed& function : observed_functions()) {
    std::vector<std::uint32_t> words;
    std::istringstream sweeps{std::string(function.sweeps)};
    for (std::string sweep; sweeps >> sweep;) {
      const std::string path = std::string(folder).append("/sweep_").append(sweep).append(".bin");
      if (append(path, words)) continue;
      std::fprintf(stderr, "%s: not there or empty; whybits-record-special writes it\n",
                   path.c_str());
      return 2;
    }
    complete = print_table(function, words) && complete;
  }
  std::printf("// clang-format on\n\n}  // namespace whybits::special::tables\n");
  return complete ? 0 : 1;
}

}  // namespace
}  // namespace whybits::gpu::special

int main(int count, char** arguments) {
  if (count == 2) return whybits::gpu::special::recover(arguments[1]);
  std::fprintf(stderr, "usage: %s FOLDER > sim/special/tables.cpp\n", arguments[0]);
  return 2;
}
