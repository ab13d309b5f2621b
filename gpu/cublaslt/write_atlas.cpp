// Writes a file of the choice atlas on this machine's GPU: the first heuristic at every batch size
// of the four layers of Llama-3-8B and ten odd shapes, equal choices in one row.
//
//   whybits-cublaslt-atlas [LAST_M [TYPES]] > sim/libraries/cublaslt/atlas/h200-13.1.0.tsv
//
// Exit codes: 0 written, 2 bad usage, 3 no GPU or no library.
#include <cuda_runtime_api.h>

#include <charconv>
#include <iostream>
#include <vector>

#include "gpu/cublaslt/heuristics.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace {

using namespace whybits;
using namespace whybits::cublaslt;

constexpr std::uint64_t workspace_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t every_batch = 4096;

struct OddShape {
  std::uint64_t n, k;
};
/// Not multiples of tiles, small outputs with long sums, and shapes of the measured rules.
constexpr OddShape odd_shapes[] = {{777, 1544},  {1024, 8192}, {5120, 5120}, {2560, 9728},
                                   {512, 24576}, {256, 16384}, {512, 2048},  {1000, 4104},
                                   {8, 11528},   {1536, 8960}};

std::vector<AtlasKey> keys_of(TypeKind types) {
  std::vector<AtlasKey> keys;
  const bool fp8 = types == TypeKind::e4m3 || types == TypeKind::e4m3_fast;
  for (const StorageB storage : {StorageB::kn, StorageB::nk}) {
    if (fp8 && storage == StorageB::kn) continue;  // the library takes fp8 as TN only
    for (const Layer& layer : layers) keys.push_back({layer.n, layer.k, storage, types});
    for (const OddShape& shape : odd_shapes) keys.push_back({shape.n, shape.k, storage, types});
  }
  return keys;
}

void print_row(const AtlasKey& key, std::uint64_t first, std::uint64_t last,
               const Algorithm& algorithm) {
  std::cout << key.n << '\t' << key.k << '\t'
            << layout_names[static_cast<std::size_t>(key.storage_b)] << '\t' << name_of(key.types)
            << '\t' << first << '\t' << last;
  for (const FieldName& field : algorithm_fields) {
    const std::uint32_t value = algorithm.*field.field;
    if (field.field == &Algorithm::split_k && value == decided_by_kernel)
      std::cout << "\t-1";
    else
      std::cout << '\t' << value;
  }
  std::cout << "\t-\treported by cublasLtMatmulAlgoGetHeuristic\n";
}

void write_key(const gpu::Cublaslt& library, const AtlasKey& key, std::uint64_t last_m) {
  std::optional<Algorithm> current;
  std::uint64_t first = 1;
  const auto close = [&](std::uint64_t m) {
    if (current) print_row(key, first, m - 1, *current);
  };
  for (std::uint64_t m = 1; m <= last_m; ++m) {
    const auto proposals = library.proposals(
        problem_of(key.types, {m, key.n, key.k}, key.storage_b), workspace_bytes, 1);
    const std::optional<Algorithm> now =
        proposals.empty() ? std::nullopt : std::optional(proposals[0].algorithm);
    if (now == current) continue;
    close(m);
    current = now;
    first = m;
  }
  close(last_m + 1);
}

void print_head(const gpu::Cublaslt& library) {
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
    throw gpu::CublasltError("cudaGetDeviceProperties failed");
  std::cout << "# cuBLASLt choice atlas, version 1\n# device: " << device.name
            << "\n# capability: " << device.major << '.' << device.minor
            << "\n# library: " << library.version()
            << "\n# settings: 32 MiB of workspace, first heuristic\n"
               "n\tk\tlayout\ttypes\tfirst_m\tlast_m";
  for (const FieldName& field : algorithm_fields) std::cout << '\t' << field.name;
  std::cout << "\ttopology\tevidence\n";
}

int refuse() {
  std::cerr << "usage: whybits-cublaslt-atlas [LAST_M [TYPES]], LAST_M 1 to 65536, TYPES as in "
               "whybits predict\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t last_m = every_batch;
  std::vector<TypeKind> kinds{TypeKind::bf16, TypeKind::f16,  TypeKind::f32,
                              TypeKind::tf32, TypeKind::e4m3, TypeKind::e4m3_fast};
  if (argc > 3) return refuse();
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), last_m);
    if (error != std::errc() || end != text.data() + text.size() || last_m == 0 || last_m > 65536)
      return refuse();
  }
  if (argc > 2) {
    const auto kind = find_type_kind(argv[2]);
    if (!kind) return refuse();
    kinds = {*kind};
  }
  try {
    const gpu::Cublaslt library;
    print_head(library);
    for (const TypeKind kind : kinds)
      for (const AtlasKey& key : keys_of(kind)) write_key(library, key, last_m);
  } catch (const gpu::CublasltError& error) {
    std::cerr << "whybits-cublaslt-atlas: " << error.what() << '\n';
    return 3;
  }
  return 0;
}
