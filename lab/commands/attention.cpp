// whybits attention: the same queries by two launches.
#include <fmt/format.h>

#include <memory>

#include "lab/commands/attention_options.hpp"
#include "lab/commands/attention_prefill.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace attention_command {
namespace {

struct Options {
  AttentionOptions attention;
  std::string kernel = "torch", vs;
  bool json = false;
};

constexpr const char* examples =
    R"(KERNEL is torch (FlashAttention-2 of PyTorch), fa2, fa3 or vllm-fa3, and behind a colon what is to
be other than the library's own choice, with commas between: block=N keys a step, splits=N,
split-keys=N (splits of one length whatever the number of keys), batch=N and longest=N (the launch
of another batch, or with a neighbour of that many queries; the rows stay).

Examples:
  whybits attention --keys 4096 --kernel torch --vs torch:splits=1
  whybits attention --keys 4096 --kernel torch:batch=1 --vs torch:batch=32
  whybits attention --heads 14 --head-size 64 --keys 1024 --kernel fa3:block=192 --vs fa3:block=128
  whybits attention --keys 5000 --kernel torch:splits=4 --vs torch:split-keys=2048
  whybits attention --heads 14 --kv-heads 2 --head-size 64 --kernel vllm-fa3:longest=9 \
    --vs vllm-fa3:longest=10
  whybits attention prefill --keys 4096 --chunks 512,2048
  whybits attention prefix --keys 4096 --cached 1024,4032
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

void run(const Options& o, CommandContext& context) {
  if (o.vs.empty())
    throw UsageError("--vs is missing: two launches are compared",
                     "as in --vs torch:splits=1, or whybits attention prefill --help");
  const AttentionOptions& a = o.attention;
  AttentionRequest request;
  const AttentionShape shape = attention_shape(a);
  AttentionSide first = attention_side("--kernel", o.kernel, shape);
  AttentionSide second = attention_side("--vs", o.vs, shape);
  request = attention_request(a);
  request.a = std::move(first);
  request.b = std::move(second);
  const AttentionStudy study = run_attention_study(request);
  if (study.output().differ > 0) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_attention", 1},
                               {"batch", shape.batch},
                               {"heads", shape.heads},
                               {"kv_heads", shape.kv_heads},
                               {"queries", shape.queries},
                               {"keys", shape.keys},
                               {"head_size", shape.head_size},
                               {"causal", shape.causal},
                               {"type", a.type},
                               {"inputs", {{"q", a.q}, {"k", a.k}, {"v", a.v}}},
                               {"compared", request.rows.size()}};
    out.update(attention_json(request, study));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format(
                     "Attention{}: batch {}, {} (k and v: {}), {}, {}, head size {}, {}; {} "
                     "compared\n\n",
                     shape.causal ? ", causal" : "", shape.batch, counted(shape.heads, "head"),
                     shape.kv_heads,
                     shape.queries == 1 ? "1 query" : grouped(shape.queries) + " queries",
                     counted(shape.keys, "key"), shape.head_size, a.type,
                     counted(request.rows.size(), "row"))
              << attention_text(request, study);
}

}  // namespace
}  // namespace attention_command

void add_attention_command(Command app, CommandContext& context) {
  using namespace attention_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  const Command command = app.add_subcommand(
      "attention", "Attention of the same queries by two launches: what differs");
  command->add_option("--kernel", o.kernel, "How the keys are cut")
      ->type_name("KERNEL")
      ->capture_default_str();
  command->add_option("--vs", o.vs, "Another to compare with")->type_name("KERNEL");
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  add_count_option(command, "--batch", o.attention.batch, most, "Sequences")->default_str("1");
  add_count_option(command, "--keys", o.attention.keys, most, "Keys of a sequence")
      ->default_str("4096");
  add_attention_options(command, o.attention);
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->require_subcommand(0, 1);
  add_attention_prefill(command, context);
  command->callback([command, options, &context] {
    if (!command->chose_subcommand()) run(*options, context);
  });
}

}  // namespace whybits
