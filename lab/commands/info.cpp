#include <fmt/format.h>

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
namespace {

struct Options {
  bool json = false, units = false;
};

nlohmann::json as_json(const FpReport& fp, const gpu::GpuReport& gpus) {
  nlohmann::json out{{"whybits_info", 1},
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
                 {"devices", nlohmann::json::array()}};
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

std::string unit_table() {
  TextTable table({"unit", "model", "evidence", "source"});
  for (const std::string& name : device_unit_names()) {
    const DeviceRow& row = *find_device_row(name);
    std::string model = "chain of f64 fma";
    if (row.model == StepModel::aligned) {
      const AlignedSum sum = find_device_unit(name)->aligned;
      model = fmt::format("l={} f={} e0={} out={}{}", sum.addends, sum.fraction_bits,
                          sum.zero_exponent, format_name(sum.out), rounding_suffix(sum.rounding));
    } else if (row.model == StepModel::fp8_by_f16) {
      model = "two f16 steps, then c";
    }
    table.row({name, model, row.evidence == Evidence::measured ? "measured" : "literature",
               std::string(row.source)});
  }
  return table.text();
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

void add_info_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "version, build, self-test, GPUs, matrix units");
  command->add_flag("--json", options->json, "one JSON document");
  command->add_flag("--units", options->units, "the table of matrix units with its evidence");
  command->footer(
      "\nExample:\n  whybits info --units\nExit codes: 0, 3 if the floating-point self-test "
      "fails.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
