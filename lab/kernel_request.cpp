#include "lab/kernel_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

constexpr std::string_view own_library = "whybits";

InputSpec read_input(const JsonField& field) {
  try {
    return input_spec_from_json(field.value());
  } catch (const UsageError& error) {
    field.fail(error.what(), error.remedy);
  }
}

}  // namespace

const gpu::Kernel& kernel_named(const std::string& name) {
  if (const gpu::Kernel* kernel = gpu::find_kernel(name)) return *kernel;
  std::vector<std::string_view> names;
  for (const gpu::Kernel& kernel : gpu::kernel_table()) names.push_back(kernel.name);
  throw UsageError(fmt::format("kernel '{}' is not known", name),
                   fmt::format("allowed: {}", fmt::join(names, ", ")));
}

void set_knob(const gpu::Kernel& kernel, gpu::LaunchParams& params, const std::string& knob,
              const JsonField& value) {
  if (!kernel.has_knob(knob))
    value.fail(fmt::format("{} has no parameter '{}'", kernel.name, knob),
               fmt::format("allowed: {}", fmt::join(kernel.knobs, ", ")));
  const gpu::Knob& one = *gpu::find_knob(knob);
  if (one.number)
    params.*one.number = value.number();
  else
    params.*one.text = value.text();
}

nlohmann::json knobs_json(const gpu::Kernel& kernel, const gpu::LaunchParams& params) {
  nlohmann::json json = nlohmann::json::object();
  for (const gpu::Knob& knob : gpu::knobs()) {
    if (!kernel.has_knob(knob.name)) continue;
    if (knob.number)
      json[std::string(knob.name)] = params.*knob.number;
    else
      json[std::string(knob.name)] = params.*knob.text;
  }
  return json;
}

std::string knobs_text(const gpu::Kernel& kernel, const gpu::LaunchParams& params) {
  std::string text;
  const gpu::LaunchParams& usual = kernel.usual;
  for (const gpu::Knob& knob : gpu::knobs()) {
    if (!kernel.has_knob(knob.name)) continue;
    const bool number = knob.number != nullptr;
    if (number ? params.*knob.number == usual.*knob.number : params.*knob.text == usual.*knob.text)
      continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", knob.name,
                        number ? std::to_string(params.*knob.number) : params.*knob.text);
  }
  return text;
}

KernelRequest read_request(const JsonField& entry, std::initializer_list<std::string_view> also) {
  for (const std::string& key : entry.keys()) {
    constexpr std::array own{"name", "kernel", "params", "shape", "inputs", "rows", "keep"};
    if (std::ranges::find(own, key) == own.end() && std::ranges::find(also, key) == also.end())
      entry.fail(fmt::format("'{}' is not a known key", key),
                 fmt::format("known keys: {}, {}", fmt::join(own, ", "), fmt::join(also, ", ")));
  }
  KernelRequest request;
  request.name = entry.at("name").text();
  const bool plain = std::ranges::all_of(request.name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  if (request.name.empty() || !plain || request.name[0] == '.')
    entry.at("name").fail(fmt::format("'{}' cannot be a file's name", request.name),
                          "lower-case letters, digits, '-', '_' and '.'");
  request.kernel = &kernel_named(entry.at("kernel").text());
  request.params = request.kernel->usual;
  const JsonField params = entry.at("params");
  for (const std::string& knob : params.keys())
    set_knob(*request.kernel, request.params, knob, params.at(knob));
  const JsonField shape = entry.at("shape");
  const bool gemm = request.kernel->computation == gpu::Computation::gemm;
  if (gemm)
    shape.allow_only({"m", "n", "k"});
  else
    shape.allow_only({"m", "k"});
  request.shape = {shape.at("m").number(), gemm ? shape.at("n").number() : 1,
                   shape.at("k").number()};
  const JsonField inputs = entry.at("inputs");
  if (gemm)
    inputs.allow_only({"a", "b"});
  else
    inputs.allow_only({"a"});
  for (const std::string& key : inputs.keys()) request.inputs[key] = read_input(inputs.at(key));
  if (const auto rows = entry.find("rows"))
    for (const JsonField& row : rows->elements())
      request.rows.push_back(row.number(0, std::max<std::uint64_t>(request.shape.m, 1) - 1));
  if (const auto keep = entry.find("keep")) {
    if (keep->text() != "bits" && keep->text() != "hash")
      keep->fail(fmt::format("'{}' is not known", keep->text()), "allowed: bits, hash");
    request.keep_bits = keep->text() == "bits";
  }
  return request;
}

KernelRequest request_of(const Recording& recording) {
  if (recording.library.name != own_library)
    throw UsageError(fmt::format("{}: made by {}, not by a kernel of this project", recording.name,
                                 recording.library.name),
                     "leave --live out: it is replayed from its words");
  KernelRequest request;
  request.name = recording.name;
  request.kernel = &kernel_named(recording.kernel);
  request.params = request.kernel->usual;
  const JsonField settings(recording.settings, recording.name);
  for (const std::string& knob : settings.keys())
    set_knob(*request.kernel, request.params, knob, settings.at(knob));
  request.shape = {recording.shape.m, recording.shape.n, recording.shape.k};
  request.inputs = recording.inputs;
  request.rows = recording.output.rows;
  request.keep_bits = recording.output.words.has_value();
  return request;
}

Recording blank_recording(const KernelRequest& request, const std::string& architecture) {
  try {
    const gpu::Kernel& kernel = *request.kernel;
    const gpu::Claim claim = kernel.claim(kernel, request.params, request.shape, architecture);
    const gpu::Instruction& instruction = kernel.instruction(request.params);
    const bool gemm = kernel.computation == gpu::Computation::gemm;
    Recording recording;
    recording.name = request.name;
    recording.library = {std::string(own_library), WHYBITS_VERSION, {}};
    recording.settings = knobs_json(kernel, request.params);
    recording.kernel = kernel.name;
    recording.guarantee = claim.order_defined ? Guarantee::same_capability : Guarantee::none;
    recording.computation = gemm ? RecordedComputation::gemm : RecordedComputation::row_sums;
    recording.shape.m = request.shape.m;
    recording.shape.n = request.shape.n;
    recording.shape.k = request.shape.k;
    recording.types.a = instruction.a;
    recording.types.accumulate = instruction.accumulator;
    recording.types.out = gemm ? gpu::output_format(request.params) : instruction.accumulator;
    if (gemm) {
      recording.layout = RecordedLayout{"mk", "nk"};
      recording.types.b = instruction.b;
      if (claim.product) recording.types.product = claim.product->to;
    }
    recording.inputs = request.inputs;
    for (const std::string& operand : recording.operand_names())
      if (!recording.inputs.contains(operand))
        throw UsageError(fmt::format("{}: inputs: '{}' is missing", request.name, operand));
    recording.topology = claim.topology ? print(*claim.topology) : print(claim.map);
    if (gemm) recording.output.rows = request.rows;
    return recording;
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{}: {}: {}", request.name, request.kernel->name, error.what()),
                     fmt::format("see whybits kernels {}", request.kernel->name));
  }
}

}  // namespace whybits
