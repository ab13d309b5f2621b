// Row 0 of every kernel that docs/price.md times, at every batch from 1 to 4096 on an H200
// (docs/price/every-m.tsv has the batches where it changes), against the emulator.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "lab/generators.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/study.hpp"
#include "lab/vector_source.hpp"
#include "sim/ceil_div.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

struct Change {
  std::string layer, kernel;
  std::uint64_t first_m = 0;
  std::string hash;
  std::uint64_t slices = 0;
};

std::vector<Change> measured_changes() {
  std::ifstream file(WHYBITS_SOURCE_DIR "/docs/price/every-m.tsv");
  std::string line;
  std::getline(file, line);  // names of the columns
  std::vector<Change> changes;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Change c;
    REQUIRE(words >> c.layer >> c.kernel >> c.first_m >> c.hash >> c.slices);
    changes.push_back(c);
  }
  return changes;
}

/// K in that many slices of whole 64s, each a chain of the matrix unit.
std::string tree(std::uint64_t k, std::uint64_t slices) {
  const std::uint64_t length = ceil_div(ceil_div(k, std::uint64_t{64}), slices) * 64;
  const std::string chain = "fold(sm90.wgmma.bf16)";
  return slices == 1 ? chain + " > bf16"
                     : "slices(" + std::to_string(length) + ", " + chain + ", fold(f32)) > bf16";
}

std::string predicted_hash(const cublaslt::Layer& layer, std::uint64_t slices) {
  const auto a = uniform_source(formats::bf16, layer.k, 11);
  const auto b = uniform_source(formats::bf16, layer.k * layer.n, 12);
  GemmOperands operands;
  operands.shape = {1, layer.n, layer.k};
  operands.a = a.get();
  operands.b = b.get();
  StudyRequest request = gemm_request(operands, ChosenOutputs::all(operands.shape), {},
                                      {parse_topology(tree(layer.k, slices))});
  request.with_exact = false;
  return xxh3_128_hex(words_from_codes(formats::bf16, run_study(request).topologies[0].after));
}

}  // namespace

TEST_CASE("fixed.gemm had one row 0 at every batch of every layer, and cuBLASLt's choice had not") {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> rows;
  for (const Change& c : measured_changes()) rows[{c.layer, c.kernel}].insert(c.hash);
  CHECK(rows.size() == 4 * std::size(cublaslt::layers));
  for (const auto& layer : cublaslt::layers)
    for (const char* kernel : {"fixed", "unsplit", "persistent"})
      CHECK(rows[{std::string(layer.name), kernel}].size() == 1);
  CHECK(rows[{"down", "own"}].size() == 4);
  CHECK(rows[{"o", "own"}].size() == 2);
}

TEST_CASE("the emulator has row 0 of every kernel that was timed, whole", "[.full]") {
  std::map<std::pair<std::string, std::uint64_t>, std::string> predicted;
  for (const Change& c : measured_changes()) {
    CAPTURE(c.layer, c.kernel, c.first_m);
    const cublaslt::Layer* const layer = cublaslt::find_layer(c.layer);
    REQUIRE(layer != nullptr);
    std::string& hash = predicted[{c.layer, c.slices}];
    if (hash.empty()) hash = predicted_hash(*layer, c.slices);
    CHECK(hash == c.hash);
  }
  CHECK(predicted.size() == 10);
}
