#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/kernel_request.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace kernels_command {
namespace {

struct Options {
  std::string kernel;
  bool json = false;
};

std::string capability(const gpu::Instruction& i) {
  const std::string first = fmt::format("{}.{}", i.least_capability / 10, i.least_capability % 10);
  return i.last_capability == i.least_capability ? first : first + " and later";
}

std::string usual_value(const gpu::Kernel& kernel, const gpu::Knob& knob) {
  const gpu::LaunchParams& usual = kernel.usual;
  return knob.number ? std::to_string(usual.*knob.number) : usual.*knob.text;
}

std::string one_kernel(const gpu::Kernel& kernel) {
  std::string out = fmt::format("{}: {}\n\n", kernel.name, kernel.summary);
  TextTable instructions({"instruction", "operands", "accumulator", "addends", "capability"});
  for (const gpu::Instruction& i : kernel.instructions)
    instructions.row(
        {std::string(i.name),
         i.a == i.b ? format_name(i.a) : fmt::format("{} × {}", format_name(i.a), format_name(i.b)),
         format_name(i.accumulator), std::to_string(i.k), capability(i)});
  TextTable knobs({"parameter", "default", "meaning"});
  for (const std::string_view name : kernel.knobs) {
    const gpu::Knob& knob = *gpu::find_knob(name);
    knobs.row({std::string(name), usual_value(kernel, knob), std::string(knob.meaning)});
  }
  return out + instructions.text() + '\n' + knobs.text();
}

std::string all_kernels() {
  TextTable table({"kernel", "what", "instructions"});
  for (const gpu::Kernel& kernel : gpu::kernel_table())
    table.row({std::string(kernel.name), std::string(kernel.summary),
               std::to_string(kernel.instructions.size())});
  return table.text() + "\nwhybits kernels NAME lists instructions and parameters of one\n";
}

/// All kernels, or the one that is named.
nlohmann::ordered_json as_json(const std::string& chosen) {
  const gpu::Kernel* const only = chosen.empty() ? nullptr : &kernel_named(chosen);
  nlohmann::ordered_json out{{"whybits_kernels", 1}, {"kernels", nlohmann::ordered_json::array()}};
  for (const gpu::Kernel& kernel : gpu::kernel_table()) {
    if (only && kernel.name != only->name) continue;
    nlohmann::ordered_json instructions = nlohmann::ordered_json::array();
    for (const gpu::Instruction& i : kernel.instructions)
      instructions.push_back({{"name", i.name},
                              {"a", format_name(i.a)},
                              {"b", format_name(i.b)},
                              {"accumulator", format_name(i.accumulator)},
                              {"addends", i.k},
                              {"least_capability", i.least_capability}});
    out["kernels"].push_back({{"name", kernel.name},
                              {"summary", kernel.summary},
                              {"instructions", std::move(instructions)},
                              {"defaults", knobs_json(kernel, {})}});
  }
  return out;
}

void run(const Options& o, CommandContext& context) {
  if (o.json)
    context.out << json_text(as_json(o.kernel));
  else if (o.kernel.empty())
    context.out << all_kernels();
  else
    context.out << one_kernel(kernel_named(o.kernel));
}

}  // namespace
}  // namespace kernels_command

void add_kernels_command(Command app, CommandContext& context) {
  using namespace kernels_command;
  auto options = std::make_shared<Options>();
  Command command =
      app.add_subcommand("kernels", "This project's own CUDA kernels and their parameters");
  command->add_option("NAME", options->kernel, "One kernel: instructions and parameters")
      ->type_name("");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer(
      "Needs no GPU; docs/kernels.md has the topology that each claims. whybits record runs "
      "them.\n\n"
      "Examples:\n  whybits kernels\n  whybits kernels mma.gemm\n"
      "Exit codes: 0 as asked, 2 bad input.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
