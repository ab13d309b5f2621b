// The probe of matrix instructions, with models in the place of the device: the independent units
// of tests/support, right and spoilt.
#include <algorithm>
#include <filesystem>
#include <set>

#include "lab/probe/probe_recordings.hpp"
#include "lab/probe/probe_report.hpp"
#include "sim/device_table.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/naive_units.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// D of every tile by the independent unit of that name, as the device would give it.
RunTiles naive_device(const NaiveMatrixUnit& unit) {
  return [unit](const gpu::MatrixInstruction& row, const gpu::TileBatch& batch) {
    const Claim claim = make_claim(row, batch.with_c);
    std::vector<std::uint8_t> words(batch.c.size());
    for (std::uint64_t t = 0; t < batch.tiles; ++t) {
      const Tile tile(claim, batch, t);
      for (std::uint64_t o = 0; o < claim.outputs(); ++o) {
        const auto n = static_cast<std::uint64_t>(row.n);
        const Leaves leaves = tile.leaves(o / n, o % n);
        const auto step = static_cast<std::size_t>(unit.products);
        Bits acc = leaves.c ? leaves.c->code : 0;
        for (std::size_t k = 0; k < leaves.size(); k += step) {
          std::vector<std::pair<Bits, Bits>> products;
          for (std::size_t l = k; l < std::min(k + step, leaves.size()); ++l)
            products.emplace_back(code_from_word(unit.a, leaves.a->codes()[l]),
                                  code_from_word(unit.b, leaves.b->codes()[l]));
          acc = naive_matrix_step(unit, acc, products);
        }
        put_code(claim.c, words, t * claim.outputs() + o, acc);
      }
    }
    return words;
  };
}

const std::vector<DataKind> all_kinds{DataKind::uniform, DataKind::wide,       DataKind::bits,
                                      DataKind::finite,  DataKind::cancelling, DataKind::tiny,
                                      DataKind::huge,    DataKind::special};

/// Few dot products of every kind, and all the vectors.
ProbeResult probed(std::string_view name, bool with_c, const RunTiles& device) {
  ProbeOptions options;
  options.dots = 8 * 256;
  options.control_dots = options.dots;
  return probe_instruction(*gpu::find_instruction(name), with_c, all_kinds, options, device);
}

std::uint64_t wrong_vectors(const ProbeResult& result, std::string_view question) {
  return static_cast<std::uint64_t>(std::count_if(
      result.vectors.begin(), result.vectors.end(),
      [&](const VectorResult& v) { return v.vector.question == question && v.device != v.model; }));
}

}  // namespace

TEST_CASE("Every instruction names a unit that takes its operands and is measured") {
  std::set<std::string_view> names;
  for (const gpu::MatrixInstruction& row : gpu::instruction_table) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    const Claim claim = make_claim(row, true);
    CHECK(claim.sum.result == claim.c);
    CHECK(claim.unit.addends <= row.k);
    CHECK((row.is_wgmma() || row.a_source == gpu::ASource::registers));
    CHECK(row.m * row.n >= 64);
    std::string unit(row.unit);  // without a rounding
    if (!find_device_row(unit)) unit.resize(unit.rfind('.'));
    REQUIRE(find_device_row(unit));
    CHECK(find_device_row(unit)->evidence == Evidence::measured);
  }
}

TEST_CASE("Every unit that is called measured has a recording of an instruction") {
  const auto recorded = [](const gpu::MatrixInstruction& row) {
    const std::string folder = WHYBITS_SOURCE_DIR "/tests/recordings/instructions-";
    return std::filesystem::exists(folder + std::string(row.name) + "-bits.json");
  };
  int units = 0;
  for (const std::string& name : device_unit_names()) {
    if (find_device_row(name)->evidence != Evidence::measured) continue;
    CAPTURE(name);
    CHECK(std::any_of(gpu::instruction_table.begin(), gpu::instruction_table.end(),
                      [&](const auto& row) { return row.unit == name && recorded(row); }));
    ++units;
  }
  CHECK(units > 20);
}

namespace {

void check_against_naive_device(const gpu::MatrixInstruction& row) {
  const auto unit = naive_matrix_unit(std::string(row.unit));
  REQUIRE(unit);
  for (const bool with_c : {true, false}) {
    if (!with_c && !row.is_wgmma()) continue;
    CAPTURE(row.name, with_c);
    const ProbeResult result = probed(row.name, with_c, naive_device(*unit));
    CHECK(result.wrong() == 0);
    CHECK(result.vectors.size() > 100);
    CHECK(result.kinds.size() == all_kinds.size());
  }
}

}  // namespace

TEST_CASE("A device that is the independent model answers as the units do") {
  for (const char* name : {"mma.m16n8k16.f16.f16", "mma.m16n8k16.f32.e4m3xe5m2",
                           "mma.m16n8k4.f32.tf32", "mma.m8n8k4.f64"})
    check_against_naive_device(*gpu::find_instruction(name));
}

TEST_CASE("A device that is the independent model answers every instruction as the units do",
          "[.full]") {
  for (const gpu::MatrixInstruction& row : gpu::instruction_table) {
    // Directed roundings and repeated shapes are left to the recordings.
    const bool directed = find_device_row(row.unit) == nullptr;
    const bool from_registers = row.is_wgmma() && row.a_source == gpu::ASource::registers;
    if (!directed && !from_registers && row.n == 8) check_against_naive_device(row);
  }
}

TEST_CASE("A device with another exponent floor is caught by the vectors made for it") {
  for (const char* name : {"mma.m16n8k16.f32.bf16", "mma.m16n8k16.f16.f16"})
    for (const int more : {-1, +1}) {
      CAPTURE(name, more);
      NaiveMatrixUnit unit = *naive_matrix_unit(std::string(gpu::find_instruction(name)->unit));
      unit.zero_exponent += more;
      const ProbeResult result = probed(name, true, naive_device(unit));
      CHECK(wrong_vectors(result, "zero exponent") == 5);
      CHECK(wrong_vectors(result, "grouping") == 0);
    }
}

TEST_CASE("A device of narrower steps or fewer bits is caught, and examples name the operands") {
  NaiveMatrixUnit half = *naive_matrix_unit("sm90.mma.f16");
  half.products = 8;
  const ProbeResult result = probed("mma.m16n8k16.f32.f16", true, naive_device(half));
  CHECK(wrong_vectors(result, "grouping") > 0);
  const auto found = std::find_if(result.kinds.begin(), result.kinds.end(),
                                  [](const KindResult& kind) { return kind.wrong > 0; });
  REQUIRE(found != result.kinds.end());
  const ProbeExample& example = found->examples.at(0);
  REQUIRE(example.a.size() == 16);
  // The example is a dot product that the two models see differently.
  std::vector<std::pair<Bits, Bits>> low, high, all;
  for (std::size_t k = 0; k < 16; ++k) {
    all.emplace_back(example.a[k], example.b[k]);
    (k < 8 ? low : high).push_back(all.back());
  }
  const NaiveMatrixUnit whole = *naive_matrix_unit("sm90.mma.f16");
  CHECK(naive_matrix_step(whole, example.c, all) == example.model);
  CHECK(naive_matrix_step(half, naive_matrix_step(half, example.c, low), high) == example.device);

  NaiveMatrixUnit narrow = *naive_matrix_unit("sm90.wgmma.e4m3");
  --narrow.fraction_bits;
  CHECK(probed("wgmma.m64n8k32.f32.e4m3", false, naive_device(narrow)).wrong() > 0);
}

TEST_CASE(
    "Vectors lie on tiles one output each, and tiles of random data do not depend on batches") {
  const Claim claim = make_claim(*gpu::find_instruction("wgmma.m64n8k8.f32.tf32"), true);
  const std::vector<ProbeVector> vectors = probe_vectors(claim);
  const gpu::TileBatch batch = vector_tiles(claim, vectors);
  for (std::uint64_t v = 0; v < vectors.size(); ++v) {
    const VectorPlace place = vector_place(claim, v);
    const Tile tile(claim, batch, place.tile);
    const Leaves leaves = tile.leaves(place.row, place.column);
    REQUIRE(std::equal(vectors[v].a.begin(), vectors[v].a.end(), leaves.a->codes().begin()));
    REQUIRE(std::equal(vectors[v].b.begin(), vectors[v].b.end(), leaves.b->codes().begin()));
    REQUIRE(leaves.c->code == vectors[v].c);
  }
  for (const DataKind kind : all_kinds) {
    CAPTURE(data_kind_name(kind));
    const gpu::TileBatch whole = random_tiles(claim, kind, 7, 0, 5, 2);
    const gpu::TileBatch part = random_tiles(claim, kind, 7, 3, 2, 1);
    CHECK(std::equal(part.a.begin(), part.a.end(), whole.a.end() - std::ssize(part.a)));
    CHECK(std::equal(part.b.begin(), part.b.end(), whole.b.end() - std::ssize(part.b)));
    CHECK(std::equal(part.c.begin(), part.c.end(), whole.c.end() - std::ssize(part.c)));
    CHECK(random_tiles(claim, kind, 8, 0, 5, 1).a != whole.a);
  }
}

TEST_CASE("Answers recorded from vectors and streams are read back and verified") {
  const gpu::MatrixInstruction& row = *gpu::find_instruction("mma.m16n8k8.f32.tf32");
  const RunTiles device = naive_device(*naive_matrix_unit("sm90.mma.tf32"));
  const std::map<std::string, std::string> source{{"device", "model"}, {"date", "2026-11-30"}};
  const ProbeResult result = probed(row.name, true, device);
  const Recording vectors = vectors_recording(result, source);
  CHECK(vectors.shape.tiles == result.vectors.size());
  for (const Recording& recording :
       {vectors, stream_recording(result.claim, DataKind::bits, 5, 2, device, source)}) {
    const Recording again = parse_recording(recording_text(recording), "again.json");
    CHECK(again.output == recording.output);
    CHECK(again.inputs == recording.inputs);
  }
  CHECK(recording_file(result.claim, "bits") == "instructions-mma.m16n8k8.f32.tf32-bits.json");
}

TEST_CASE("Reports say what was wrong, by kind, question and control") {
  NaiveMatrixUnit unit = *naive_matrix_unit("sm90.mma.bf16");
  unit.zero_exponent += 1;
  const ProbeResult result = probed("mma.m16n8k16.f32.bf16", true, naive_device(unit));
  const std::string text = probe_text(result);
  CHECK_THAT(text, contains("mma.m16n8k16.f32.bf16 = fold(sm90.mma.bf16)"));
  CHECK_THAT(text, contains("control: e0 one more"));
  CHECK_THAT(text, contains("zero exponent: 2^-149 - 2^-158, c = +0: device 00000001 model"));
  const auto json = probe_json(result);
  CHECK(json["wrong"] == result.wrong());
  CHECK(json["vectors"].size() == result.vectors.size());
  CHECK_THAT(probe_summary({result}), contains("mma.m16n8k16.f32.bf16"));
}
