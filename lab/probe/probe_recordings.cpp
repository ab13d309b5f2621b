#include "lab/probe/probe_recordings.hpp"

#include <fmt/format.h>

#include <fstream>

#include "gpu/device_info.hpp"
#include "lab/base64.hpp"

namespace whybits {
namespace {

/// "580.159.04": the kernel driver's version, which the CUDA runtime does not tell.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word[0] >= '0' && word[0] <= '9') return word;
  return {};
}

Recording common(const Claim& claim, const std::map<std::string, std::string>& source) {
  const gpu::MatrixInstruction& row = *claim.instruction;
  Recording recording;
  recording.source = source;
  recording.library = {"inline PTX", gpu::instruction_compiler(), "whybits probe"};
  recording.kernel = row.ptx;
  recording.guarantee = Guarantee::same_capability;
  recording.computation = RecordedComputation::mma;
  recording.types.a = *parse_format(row.a);
  recording.types.b = *parse_format(row.b);
  recording.types.c = claim.c;
  recording.types.accumulate = claim.c;
  recording.types.out = claim.c;
  recording.topology = claim_topology(row, claim.with_c);
  return recording;
}

/// Vectors are mostly zeros: of wide words the digits are shorter than base64.
InputSpec words(const Format& format, const std::vector<Bits>& codes) {
  if (format.word_bits() >= 32) return HexInput{codes};
  std::vector<std::uint8_t> bytes(codes.size() * format.word_bytes());
  for (std::size_t i = 0; i < codes.size(); ++i) put_code(format, bytes, i, codes[i]);
  return Base64Input{base64_encode(bytes)};
}

InputSpec stream(DataKind kind, std::uint64_t number) {
  if (kind == DataKind::uniform) return UniformInput{number};
  if (kind == DataKind::wide) return WideInput{number};
  return BitsInput{number};
}

}  // namespace

std::map<std::string, std::string> probe_source(const std::string& command) {
  const gpu::GpuReport report = gpu::query_gpus();
  std::map<std::string, std::string> source{{"command", command}, {"date", utc_date()}};
  source["device"] = report.devices.empty() ? "none" : report.devices[0].name;
  if (!report.devices.empty())
    source["compute_capability"] =
        fmt::format("{}.{}", report.devices[0].compute_major, report.devices[0].compute_minor);
  if (!report.runtime_version.empty()) source["cuda"] = report.runtime_version;
  if (const std::string driver = driver_version(); !driver.empty()) source["driver"] = driver;
  return source;
}

Recording vectors_recording(const ProbeResult& result,
                            const std::map<std::string, std::string>& source) {
  const Claim& claim = result.claim;
  Recording recording = common(claim, source);
  recording.shape.tiles = result.vectors.size();
  recording.shape.m = 1;
  recording.shape.n = 1;
  recording.shape.k = static_cast<std::uint64_t>(claim.instruction->k);
  recording.note = "vectors built by hand, one output of a tile each; see docs/measured-h200.md";
  std::vector<Bits> a, b, c;
  std::vector<std::uint8_t> out(result.vectors.size() * claim.c.word_bytes());
  for (const VectorResult& v : result.vectors) {
    a.insert(a.end(), v.vector.a.begin(), v.vector.a.end());
    b.insert(b.end(), v.vector.b.begin(), v.vector.b.end());
    put_code(claim.c, out, c.size(), v.device);
    c.push_back(v.vector.c);
  }
  recording.inputs = {{"a", words(claim.a, a)}, {"b", words(claim.b, b)}, {"c", words(claim.c, c)}};
  set_output(recording, std::move(out));
  return recording;
}

Recording stream_recording(const Claim& claim, DataKind kind, std::uint64_t seed,
                           std::uint64_t tiles, const RunTiles& run,
                           const std::map<std::string, std::string>& source) {
  Recording recording = common(claim, source);
  const gpu::MatrixInstruction& row = *claim.instruction;
  recording.shape.tiles = tiles;
  recording.shape.m = static_cast<std::uint64_t>(row.m);
  recording.shape.n = static_cast<std::uint64_t>(row.n);
  recording.shape.k = static_cast<std::uint64_t>(row.k);
  recording.inputs = {
      {"a", stream(kind, seed)}, {"b", stream(kind, seed + 1)}, {"c", stream(kind, seed + 2)}};
  set_output(recording, run(row, random_tiles(claim, kind, seed, 0, tiles, 1)));
  return recording;
}

std::string recording_file(const Claim& claim, std::string_view inputs) {
  return fmt::format("instructions-{}{}-{}.json", claim.instruction->name,
                     claim.with_c ? "" : "-without-c", inputs);
}

}  // namespace whybits
