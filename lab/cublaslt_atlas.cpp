// Writes a scan of the choice atlas on this machine's GPU: the first heuristic at every batch size
// of the four layers of Llama-3-8B and ten odd shapes, for one type of operands.
//
//   whybits-cublaslt-atlas TYPES [LAST_M] > sim/libraries/cublaslt/atlas/h200-13.1.0-TYPES.tsv
//
// Exit codes: 0 written, 2 bad usage, 3 no GPU or no library.
#include <charconv>
#include <iostream>
#include <vector>

#include "gpu/cublaslt/heuristics.hpp"
#include "gpu/not_available.hpp"
#include "gpu/run_kernel.hpp"
#include "lab/recording.hpp"
#include "sim/libraries/cublaslt/atlas_scan.hpp"

namespace {

using namespace whybits;
using namespace whybits::cublaslt;

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

ScannedLayer scan(const gpu::Cublaslt& library, const AtlasKey& key, std::uint64_t last_m) {
  ScannedLayer layer{key, {}};
  for (std::uint64_t m = 1; m <= last_m; ++m) {
    const auto proposals =
        library.proposals(problem_of(key.types, {m, key.n, key.k}, key.storage_b), {}, 1);
    const std::optional<Algorithm> now =
        proposals.empty() ? std::nullopt : std::optional(proposals[0].algorithm);
    if (!layer.ranges.empty() && layer.ranges.back().algorithm == now)
      layer.ranges.back().last_m = m;
    else
      layer.ranges.push_back({m, now});
  }
  return layer;
}

/// The library has none of its algorithms for any batch size.
bool unknown_to_library(const ScannedLayer& layer) {
  return layer.ranges.size() == 1 && !layer.ranges[0].algorithm;
}

AtlasFile head(const gpu::Cublaslt& library) {
  const gpu::GpuEnvironment gpu = gpu::gpu_environment();
  AtlasFile file;
  file.device = gpu.device;
  file.capability = std::to_string(gpu.major) + '.' + std::to_string(gpu.minor);
  file.library = library.version();
  file.driver = gpu.driver;
  file.date = utc_date();
  file.settings = "32 MiB of workspace, first heuristic";
  return file;
}

int refuse() {
  std::cerr
      << "usage: whybits-cublaslt-atlas TYPES [LAST_M], TYPES as in whybits predict, LAST_M 1 to "
      << largest_scanned_m << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return refuse();
  const auto types = find_type_kind(argv[1]);
  std::uint64_t last_m = every_batch;
  if (argc == 3) {
    const std::string_view text = argv[2];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), last_m);
    if (error != std::errc() || end != text.data() + text.size()) return refuse();
  }
  if (!types || last_m == 0 || last_m > largest_scanned_m) return refuse();
  try {
    const gpu::Cublaslt library;
    std::vector<ScannedLayer> layers;
    for (const AtlasKey& key : keys_of(*types)) layers.push_back(scan(library, key, last_m));
    std::erase_if(layers, unknown_to_library);
    std::cout << scan_text(head(library), std::move(layers));
  } catch (const gpu::CublasltError& error) {
    std::cerr << "whybits-cublaslt-atlas: " << error.what() << '\n';
    return 3;
  } catch (const gpu::NotAvailable& error) {
    std::cerr << "whybits-cublaslt-atlas: " << error.what() << '\n';
    return 3;
  }
  return 0;
}
