// whybits gates gemm: at which batch size do a layer's bits change?
#include "lab/commands/gates_gemm.hpp"

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/layer_options.hpp"
#include "lab/commands/options.hpp"
#include "lab/files.hpp"
#include "lab/gates.hpp"
#include "lab/output_text.hpp"

namespace whybits {
namespace gates_gemm_command {
namespace {

struct Options {
  LayerOptions layer;
  GateRequest request;
  std::string svg;
  bool json = false;
};

constexpr const char* examples =
    R"(Topologies are those of the choice atlas (docs/cublaslt.md): batch sizes recorded on an H200, and
no others. The bits are the emulator's, of row 0: a row's own operands do not change with the batch.

Examples:
  whybits gates gemm --layer down
  whybits gates gemm --layer down --types f32 --columns 512
  whybits gates gemm --n 256 --k 16384 --svg gates.svg
Exit codes: 0 as asked, 2 bad input, 3 the layer is not in the atlas.)";

void run(const Options& o, CommandContext& context) {
  constexpr int not_available = 3;
  GateRequest request = o.request;
  request.key = layer_key(o.layer);
  if (cublaslt::Atlas::shipped(request.key.types).choices(request.key).empty()) {
    context.exit_code = not_available;
    context.err << "whybits: " << text_of(request.key) << " is not in the atlas\n  "
                << not_in_atlas_remedy(request.key) << '\n';
    return;
  }
  const GateReport report = find_gates(request);
  if (!o.svg.empty()) write_file_atomically(o.svg, gates_svg(report));
  context.out << (o.json ? json_text(gates_json(report)) : printable(gates_text(report)));
}

}  // namespace
}  // namespace gates_gemm_command

void add_gates_gemm(Command gates, CommandContext& context) {
  using namespace gates_gemm_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      gates.add_subcommand("gemm", "At which batch size does a layer's topology change?");
  add_layer_options(command, o.layer);
  const auto text = [&](const char* name, std::string& value, const char* description) {
    command->add_option(name, value, description)->type_name("INPUT")->capture_default_str();
  };
  text("--a", o.request.a, "Row 0 of A, k elements");
  text("--b", o.request.b, "B, k×n, row-major");
  add_count_option(command, "--columns", o.request.columns, most_addends,
                   "Outputs that are compared: the first so many columns; 0: all")
      ->default_str("0");
  command->add_option("--svg", o.svg, "Write the picture to this file")->type_name("FILE");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
