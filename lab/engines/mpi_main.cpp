// whybits-mpi: a real MPI_Allreduce on the processes that mpirun started, compared bit for bit with
// the emulator. Work is the same on every process; results come together on rank 0 in the order of
// ranks.
//
//   mpirun -n 4 whybits-mpi ring 1,7,1000
//
// Exit codes: 0 every bit on every rank as predicted, 1 bits differ, 2 bad arguments.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "lab/engines/open_mpi.hpp"
#include "lab/generators.hpp"
#include "sim/fast/all_reduce.hpp"

namespace {

using namespace whybits;

struct Counts {
  unsigned long long compared = 0, wrong = 0, control = 0;  ///< control: ranks in ascending order
};

std::vector<Bits> by_map(const TopologyMap& map, const std::vector<const CodeSource*>& ranks,
                         std::uint64_t count) {
  std::vector<Bits> codes(count);
  fast::evaluate_all_reduce(map, ranks, count, {}, {.threads = 1},
                            [&](std::uint64_t begin, const fast::CodeMatrix& block) {
                              block.read_codes(
                                  0, 0, std::span<Bits>(codes).subspan(begin, block.columns()));
                            });
  return codes;
}

/// Float is the processor's type of `format`, Word its bits.
template <class Float, class Word>
std::vector<Bits> by_mpi(const CodeSource& own, std::uint64_t count, MPI_Datatype type) {
  std::vector<Bits> codes(count);
  own.read(0, 1, codes);
  std::vector<Float> send(count), receive(count);
  for (std::size_t i = 0; i < count; ++i)
    send[i] = std::bit_cast<Float>(static_cast<Word>(codes[i]));
  MPI_Allreduce(send.data(), receive.data(), static_cast<int>(count), type, MPI_SUM,
                MPI_COMM_WORLD);
  for (std::size_t i = 0; i < count; ++i) codes[i] = std::bit_cast<Word>(receive[i]);
  return codes;
}

Counts compare(const OpenMpiAlgorithm& algorithm, std::uint64_t count, const Format& format,
               std::uint64_t seed, int rank, int ranks) {
  std::vector<std::unique_ptr<CodeSource>> inputs;
  std::vector<const CodeSource*> sources;
  for (int r = 0; r < ranks; ++r) {
    inputs.push_back(wide_source(format, count, seed + static_cast<std::uint64_t>(r)));
    sources.push_back(inputs.back().get());
  }
  const CodeSource& own = *sources[static_cast<std::size_t>(rank)];
  const std::vector<Bits> real = format == formats::f32
                                     ? by_mpi<float, std::uint32_t>(own, count, MPI_FLOAT)
                                     : by_mpi<double, std::uint64_t>(own, count, MPI_DOUBLE);
  const auto n = static_cast<std::uint64_t>(ranks);
  const std::vector<Bits> predicted =
      by_map(open_mpi_map(algorithm, n, count, format), sources, count);
  const std::vector<Bits> control =
      by_map(all_reduce_map({AllReduce::direct, n, count, format}), sources, count);
  Counts counts;
  for (std::size_t i = 0; i < count; ++i) {
    ++counts.compared;
    if (real[i] != predicted[i]) ++counts.wrong;
    if (real[i] != control[i]) ++counts.control;
  }
  return counts;
}

std::vector<std::uint64_t> numbers(const std::string& text) {
  std::vector<std::uint64_t> list;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    list.push_back(std::strtoull(text.substr(begin, comma - begin).c_str(), nullptr, 10));
    if (list.back() == 0 || list.back() > 100'000'000) return {};
    begin = comma + 1;
  }
  return list;
}

int usage() {
  std::string names;
  for (const OpenMpiAlgorithm& known : open_mpi_algorithms) names += " " + std::string(known.name);
  fmt::print(stderr, "usage: mpirun -n N whybits-mpi ALGORITHM COUNT,COUNT,…\n  algorithms:{}\n",
             names);
  return 2;
}

int run(const OpenMpiAlgorithm& algorithm, const std::vector<std::uint64_t>& counts) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fmt::print(stderr, "whybits-mpi: one process has nothing to reduce; mpirun -n 2 or more\n");
    return 2;
  }
  Counts sum;
  for (const std::uint64_t count : counts)
    for (const Format& format : {formats::f32, formats::f64}) {
      const Counts one = compare(algorithm, count, format, 1000 * count, rank, ranks);
      sum.compared += one.compared;
      sum.wrong += one.wrong;
      sum.control += one.control;
    }
  std::vector<unsigned long long> all(static_cast<std::size_t>(ranks) * 3);
  MPI_Allgather(&sum, 3, MPI_UNSIGNED_LONG_LONG, all.data(), 3, MPI_UNSIGNED_LONG_LONG,
                MPI_COMM_WORLD);
  Counts total;
  for (std::size_t r = 0; r < all.size(); r += 3) {
    total.compared += all[r];
    total.wrong += all[r + 1];
    total.control += all[r + 2];
  }
  if (rank == 0)
    fmt::print(
        "{}, {} processes: {} of {} results differ from the prediction (control, the order "
        "of ranks: {})\n",
        algorithm.name, ranks, total.wrong, total.compared, total.control);
  return total.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return usage();
  const auto* const algorithm =
      std::ranges::find(open_mpi_algorithms, std::string_view(argv[1]), &OpenMpiAlgorithm::name);
  const std::vector<std::uint64_t> counts = numbers(argv[2]);
  if (algorithm == open_mpi_algorithms.end() || counts.empty()) return usage();
  // Open MPI reads these when it starts; every process has the same arguments.
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
  setenv("OMPI_MCA_coll_tuned_allreduce_algorithm", std::to_string(algorithm->allreduce).c_str(),
         1);
  setenv("OMPI_MCA_coll_tuned_reduce_algorithm", std::to_string(algorithm->reduce).c_str(), 1);
  setenv("OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize", "1024", 1);
  MPI_Init(&argc, &argv);
  const int code = run(*algorithm, counts);
  MPI_Finalize();
  return code;
}
