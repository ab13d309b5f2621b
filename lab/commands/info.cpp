#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "gpu/device_info.hpp"
#include "lab/commands/commands.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "sim/device_table.hpp"
#include "sim/fp_environment.hpp"

namespace whybits {
namespace info_command {
namespace {

struct Options {
  bool json = false, units = false;
};

nlohmann::ordered_json as_json(const FpReport& fp, const gpu::GpuReport& gpus) {
  nlohmann::ordered_json out{{"whybits_info", 1},
                             {"version", WHYBITS_VERSION},
                             {"compiler", WHYBITS_COMPILER},
                             {"build_type", WHYBITS_BUILD_TYPE},
                             {"floating_point_flags", WHYBITS_FP_FLAGS},
                             {"threads", std::thread::hardware_concurrency()}};
  out["self_test"]["ok"] = fp.ok;
  for (const FpCheck& check : fp.checks)
    out["self_test"]["checks"].push_back(
        {{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
  out["cuda"] = {{"built", gpus.built},
                 {"driver", gpus.driver_version},
                 {"runtime", gpus.runtime_version},
                 {"reason", gpus.reason},
                 {"devices", nlohmann::ordered_json::array()}};
  for (const gpu::GpuDevice& d : gpus.devices)
    out["cuda"]["devices"].push_back(
        {{"name", d.name},
         {"compute_capability", fmt::format("{}.{}", d.compute_major, d.compute_minor)},
         {"sms", d.sm_count},
         {"memory_bytes", d.memory_bytes}});
  for (const std::string& name : device_unit_names())
    out["units"].push_back(
        {{"name", name},
         {"evidence",
          find_device_row(name)->evidence == Evidence::measured ? "measured" : "literature"}});
  return out;
}

std::string model_text(const DeviceRow& row, const Unit& unit) {
  if (row.model == StepModel::fma_chain) return "chain of f64 fma";
  if (row.model == StepModel::fp8_by_f16) return "two f16 steps, then c";
  const AlignedSum& sum = unit.aligned;
  return fmt::format("l={} f={} e0={} out={}{}", sum.addends, sum.fraction_bits, sum.zero_exponent,
                     format_name(sum.out), rounding_suffix(sum.rounding));
}

/// Sources are long and few: numbers in the table, a list below it.
std::string unit_table() {
  TextTable table({"unit", "model", "evidence", "source"});
  std::vector<std::string_view> sources;
  for (const std::string& name : device_unit_names()) {
    const DeviceRow& row = *find_device_row(name);
    auto source = std::find(sources.begin(), sources.end(), row.source);
    if (source == sources.end()) source = sources.insert(source, row.source);
    table.row({name, model_text(row, *find_device_unit(name)),
               row.evidence == Evidence::measured ? "measured" : "literature",
               fmt::format("[{}]", source - sources.begin() + 1)});
  }
  std::string out = table.text() + '\n';
  for (std::size_t i = 0; i < sources.size(); ++i)
    out += fmt::format("[{}] {}\n", i + 1, sources[i]);
  return out;
}

void run(const Options& o, CommandContext& context) {
  const FpReport fp = check_fp_environment();
  const gpu::GpuReport gpus = gpu::query_gpus();
  if (!fp.ok) context.exit_code = 3;
  if (o.json) {
    context.out << json_text(as_json(fp, gpus));
    return;
  }
  if (o.units) {
    context.out << unit_table();
    return;
  }
  TextTable table({});
  table.row({"whybits", WHYBITS_VERSION});
  table.row({"compiler", fmt::format("{}, {}", WHYBITS_COMPILER, WHYBITS_BUILD_TYPE)});
  table.row({"floating point", WHYBITS_FP_FLAGS});
  for (const FpCheck& check : fp.checks)
    table.row({"  " + check.name, check.ok ? "ok" : "WRONG: " + check.detail});
  table.row({"threads", std::to_string(std::thread::hardware_concurrency())});
  if (gpus.devices.empty()) table.row({"GPU", "none: " + gpus.reason});
  for (const gpu::GpuDevice& d : gpus.devices)
    table.row({"GPU", fmt::format("{}, compute capability {}.{}, {} SMs, {:.0f} GiB", d.name,
                                  d.compute_major, d.compute_minor, d.sm_count,
                                  static_cast<double>(d.memory_bytes) / (1u << 30))});
  table.row({"matrix units",
             fmt::format("{} (whybits info --units lists them)", device_unit_names().size())});
  context.out << table.text();
}

}  // namespace
}  // namespace info_command

void add_info_command(Command app, CommandContext& context) {
  using namespace info_command;
  auto options = std::make_shared<Options>();
  Command command = app.add_subcommand("info", "Version, build, self-test, GPUs, matrix units");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->add_flag("--units", options->units,
                    "The table of matrix units, with evidence and sources");
  command->footer(
      "Example:\n  whybits info --units\nExit codes: 0, 3 if the floating-point self-test fails.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
