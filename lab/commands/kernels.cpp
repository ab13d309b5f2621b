#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/kernel_request.hpp"
#include "lab/operation_recording.hpp"
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

TextTable knob_table(const KernelKnobs& kernel) {
  TextTable table({"parameter", "default", "meaning"});
  for (const std::string_view name : kernel.knobs) {
    const gpu::Knob& knob = *gpu::find_knob(name);
    const gpu::LaunchParams& usual = kernel.usual;
    table.row({std::string(name),
               knob.number ? std::to_string(usual.*knob.number) : usual.*knob.text,
               std::string(knob.meaning)});
  }
  return table;
}

std::string one_kernel(const gpu::Kernel& kernel) {
  std::string out = fmt::format("{}: {}\n\n", kernel.name, kernel.summary);
  TextTable instructions({"instruction", "operands", "accumulator", "addends", "capability"});
  for (const gpu::Instruction& i : kernel.instructions)
    instructions.row(
        {std::string(i.name),
         i.a == i.b ? format_name(i.a) : fmt::format("{} × {}", format_name(i.a), format_name(i.b)),
         format_name(i.accumulator), std::to_string(i.k), capability(i)});
  return out + instructions.text() + '\n' + knob_table(kernel).text();
}

std::string one_kernel(const gpu::RecipeKernel& kernel) {
  std::string out = fmt::format("{}: {}\n\n", kernel.name, kernel.summary);
  TextTable facts({"", ""});
  facts.row({"instruction", fmt::format("{}", fmt::join(kernel.orders, ", "))});
  facts.row({"types", "bf16, f16, f32"});
  facts.row({"sizes", fmt::format("{}", fmt::join(kernel.extents, ", "))});
  if (!kernel.parameter.empty())
    facts.row({"number", fmt::format("{} = {}", kernel.parameter, kernel.usual_parameter)});
  const OperationShape shape = operation_shape(kernel);
  facts.row({"inputs", fmt::format("{}", fmt::join(shape.inputs, ", "))});
  facts.row({"outputs", fmt::format("{}", fmt::join(shape.outputs, ", "))});
  return out + facts.text() + '\n' + knob_table(kernel).text();
}

std::string all_kernels() {
  TextTable table({"kernel", "what", "instructions"});
  for (const gpu::Kernel& kernel : gpu::kernel_table())
    table.row({std::string(kernel.name), std::string(kernel.summary),
               std::to_string(kernel.instructions.size())});
  for (const gpu::RecipeKernel& kernel : gpu::recipe_kernels())
    table.row({std::string(kernel.name), std::string(kernel.summary),
               std::to_string(kernel.orders.size())});
  return table.text() + "\nwhybits kernels NAME lists instructions and parameters of one\n";
}

/// All kernels, or the one that is named.
nlohmann::ordered_json as_json(const std::string& chosen) {
  const bool recipe = gpu::find_recipe_kernel(chosen) != nullptr;
  if (!chosen.empty() && !recipe) kernel_named(chosen);
  nlohmann::ordered_json out{{"whybits_kernels", 1}, {"kernels", nlohmann::ordered_json::array()}};
  for (const gpu::Kernel& kernel : gpu::kernel_table()) {
    if (!chosen.empty() && kernel.name != chosen) continue;
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
  out["recipes"] = nlohmann::ordered_json::array();
  for (const gpu::RecipeKernel& kernel : gpu::recipe_kernels()) {
    if (!chosen.empty() && kernel.name != chosen) continue;
    const OperationShape shape = operation_shape(kernel);
    out["recipes"].push_back({{"name", kernel.name},
                              {"summary", kernel.summary},
                              {"operation", kernel.operation},
                              {"instructions", kernel.orders},
                              {"sizes", shape.sizes},
                              {"inputs", shape.inputs},
                              {"outputs", shape.outputs},
                              {"parameters", shape.parameters},
                              {"defaults", knobs_json(kernel, kernel.usual)}});
  }
  return out;
}

void run(const Options& o, CommandContext& context) {
  if (o.json)
    context.out << json_text(as_json(o.kernel));
  else if (o.kernel.empty())
    context.out << all_kernels();
  else if (const gpu::RecipeKernel* recipe = gpu::find_recipe_kernel(o.kernel))
    context.out << one_kernel(*recipe);
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
      "Examples:\n  whybits kernels\n  whybits kernels mma.gemm\n  whybits kernels "
      "split.attention\n"
      "Exit codes: 0 as asked, 2 bad input.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
