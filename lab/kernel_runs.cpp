#include "lab/kernel_runs.hpp"

#include <fmt/format.h>

#include "gpu/probe.hpp"
#include "lab/generators.hpp"
#include "lab/gpu_source.hpp"
#include "lab/usage_error.hpp"
#include "lab/vector_source.hpp"
#include "sim/arith.hpp"

namespace whybits {
namespace {

/// Codes as memory holds them: tf32 values as f32 words.
std::vector<std::uint8_t> storage_words(const Format& format, std::vector<Bits> codes) {
  if (format == formats::tf32)
    for (Bits& code : codes) code = convert(formats::tf32, formats::f32, code);
  return words_from_codes(stored_format(format), codes);
}

std::vector<Bits> transposed(const std::vector<Bits>& codes, std::uint64_t rows,
                             std::uint64_t columns) {
  std::vector<Bits> other(codes.size());
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::uint64_t j = 0; j < columns; ++j) other[j * rows + i] = codes[i * columns + j];
  return other;
}

std::uint64_t word_bytes(const Format& format) {
  return stored_format(format).word_bytes();
}

nlohmann::json probe_json(const gpu::ProbeSummary& s) {
  return {{"ctas", s.ctas},
          {"tiles", s.tiles},
          {"slices", s.parts},
          {"warps", s.warps},
          {"stages", s.stages},
          {"logged_k_tiles", s.records},
          {"instructions", s.instructions}};
}

}  // namespace

LiveKernel::LiveKernel(const KernelRequest& request)
    : request_(request), environment_(gpu::gpu_environment()) {
  const Recording recording = blank_recording(request, architecture());
  gpu::OperandWords words;
  const auto a = recording.open("a");
  words.a = storage_words(a->format(), read_all(*a));
  if (recording.types.b) {
    const auto b = recording.open("b");
    words.b =
        storage_words(b->format(), transposed(read_all(*b), request.shape.k, request.shape.n));
  }
  run_ = std::make_unique<gpu::KernelRun>(*request.kernel, request.shape, words,
                                          word_bytes(recording.types.a));
}

std::string LiveKernel::architecture() const {
  return gpu::architecture_name(environment_.major, environment_.minor);
}

gpu::KernelOutput LiveKernel::run(const gpu::LaunchParams& params) {
  const bool gemm = request_.kernel->computation == gpu::Computation::gemm;
  try {
    gpu::KernelOutput output = run_->run(params, gemm);
    if (output.unwritten > 0)
      throw std::runtime_error(
          fmt::format("{}: {} outputs were not written", request_.kernel->name, output.unwritten));
    if (gemm) gpu::check_probe(*request_.kernel, params, request_.shape, output.probe);
    return output;
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{}: {}: {}", request_.name, request_.kernel->name, error.what()),
                     fmt::format("see whybits kernels {}", request_.kernel->name));
  } catch (const gpu::ProbeError& error) {
    throw gpu::ProbeError(fmt::format("{}: {} {}: {}", request_.name, request_.kernel->name,
                                      knobs_text(*request_.kernel, params), error.what()));
  }
}

std::vector<std::uint8_t> kept_words(const Recording& recording,
                                     const std::vector<std::uint8_t>& whole) {
  const std::uint64_t row = recording.shape.n * word_bytes(recording.types.out);
  std::vector<std::uint8_t> kept;
  for (const std::uint64_t r : recording.output_rows())
    kept.insert(kept.end(), whole.begin() + static_cast<std::ptrdiff_t>(r * row),
                whole.begin() + static_cast<std::ptrdiff_t>((r + 1) * row));
  return kept;
}

Recording record_kernel(const KernelRequest& request, const std::string& command) {
  LiveKernel live(request);
  const gpu::GpuEnvironment& gpu = live.environment();
  Recording recording = blank_recording(request, live.architecture());
  recording.source = compiled_source(gpu, command);
  const gpu::KernelOutput output = live.run(request.params);
  if (!output.probe.empty())
    recording.algorithm =
        probe_json(gpu::check_probe(*request.kernel, request.params, request.shape, output.probe));
  set_output(recording, kept_words(recording, output.words));
  if (!request.keep_bits) recording.output.words.reset();
  return recording;
}

}  // namespace whybits
