// whybits rmsnorm: the same rows by two kernels.
#include <fmt/format.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/norm_options.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace rmsnorm_command {
namespace {

struct Options {
  NormOptions norm;
  std::string kernel, vs, row;
  bool json = false;
};

constexpr const char* examples =
    R"(KERNEL is NAME@TOKENS, the number of rows in the launch (1 if left out), or a topology for the
squares of a row. Names (docs/norms.md):
  vllm vllm-old-epilogue vllm-invariant
  vllm-fused-add vllm-fused-add-scalar vllm-fused-add-scalar-old-epilogue vllm-fused-add-invariant
  triton triton-3.6 torch inductor
--rows says how many rows are compared; it is no part of the launch.

Examples:
  whybits rmsnorm --kernel vllm@1 --vs vllm@256
  whybits rmsnorm --hidden 2048 --kernel vllm@1 --vs vllm@256
  whybits rmsnorm --rows 4096 --kernel vllm-fused-add-scalar@1 --vs vllm-fused-add-scalar@4096
  whybits rmsnorm --kernel torch --vs triton
  whybits rmsnorm --kernel vllm --vs 'fold(f32.fma)'
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

void run(const Options& o, CommandContext& context) {
  const RmsNormConfig plain = plain_norm(o.norm);
  NormSide a = norm_side("--kernel", o.kernel, plain);
  NormSide b = norm_side("--vs", o.vs, a.config);
  if (a.own_topology && !b.own_topology) a = norm_side("--kernel", o.kernel, b.config);
  if (a.config.kernel.residual != b.config.kernel.residual)
    throw UsageError(fmt::format("--kernel {} and --vs {}: one adds a residual, the other does not",
                                 o.kernel, o.vs),
                     "compare kernels that compute the same");
  NormRequest request = norm_request(o.norm, std::move(a));
  request.b = std::move(b);
  const std::optional<std::uint64_t> wished =
      o.row.empty() ? std::nullopt : std::optional(index_option("--row", o.row, o.norm.rows));
  const NormStudy study = run_norm_study(request);
  if (study.output().differ > 0) context.exit_code = 1;
  std::optional<std::uint64_t> row = wished;
  for (auto stage = study.stages.rbegin(); !row && stage != study.stages.rend(); ++stage)
    row = stage->first_row;
  std::optional<OutputStory> story;
  const bool comparable =
      request.a.order.rounded_squares == request.b.order.rounded_squares;  // leaves of one kind
  if (row && comparable) story = tell_norm_row(request, *row);
  if (o.json) {
    nlohmann::ordered_json out{
        {"whybits_rmsnorm", 1},    {"rows", o.norm.rows},
        {"hidden", o.norm.hidden}, {"type", o.norm.type},
        {"eps", o.norm.eps},       {"inputs", {{"x", o.norm.x}, {"w", o.norm.w}}}};
    if (request.residual) out["inputs"]["residual"] = o.norm.residual;
    out.update(norm_json(request, study));
    if (story) {
      out["row"] = *row;
      out["sum_of_squares"] = story_json(*story);
    }
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("RMSNorm of {} of {}, eps {}, x={}{} w={}\n\n",
                             counted(o.norm.rows, "row"),
                             counted(o.norm.hidden, o.norm.type + " value"), printable(o.norm.eps),
                             printable(o.norm.x),
                             request.residual ? " residual=" + printable(o.norm.residual) : "",
                             printable(o.norm.w))
              << norm_text(request, study);
  if (story)
    context.out << '\n' << story_text(*story, fmt::format("Sum of squares of row {}", *row));
  if (row && !comparable)
    context.out << "\n  One side rounds the squares before it adds them, the other does not: their "
                   "steps do not\n  correspond, and where they part is not told.\n";
}

}  // namespace
}  // namespace rmsnorm_command

void add_rmsnorm_command(Command app, CommandContext& context) {
  using namespace rmsnorm_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = app.add_subcommand(
      "rmsnorm", "RMSNorm of the same rows by two kernels: what differs, stage by stage");
  command->add_option("--kernel", o.kernel, "How the rows are normalised")
      ->type_name("KERNEL")
      ->required();
  command->add_option("--vs", o.vs, "Another to compare with")->type_name("KERNEL")->required();
  add_norm_options(command, o.norm);
  command->add_option("--row", o.row, "The row to explain; the first that differs if not given")
      ->type_name("ROW");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
