// whybits decoder: one token through a decoder block of Llama-3-8B, in batches of two sizes.
#include <fmt/format.h>

#include <memory>

#include "lab/commands/attention_options.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/layer_options.hpp"
#include "lab/commands/norm_options.hpp"
#include "lab/commands/options.hpp"
#include "lab/decoder_block.hpp"
#include "lab/inputs.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace decoder_command {
namespace {

constexpr int not_available = 3;
constexpr std::uint64_t most_keys = std::uint64_t{1} << 24;

struct Options {
  std::uint64_t batch = 1, vs = 64, keys = 4096, threads = 0;
  std::string layout = "TN", attention, x = "outliers:1", weights = "outliers:11",
              norm_weights = "uniform:21", cache = "uniform:31", eps = "1e-5",
              functions{element_functions()[0].name};
  bool invariant = false, times = false, json = false;
};

constexpr const char* examples =
    R"(The token is row 0 of both batches. "By itself": the other batch's order on this batch's inputs of
the operation; "in all": as the inputs came. KERNEL is as for whybits attention; without it torch,
with --invariant torch:split-keys=256.
INPUT is as for whybits gemm. Streams S, S+1, …: --weights for q k v, o, gate up and down,
--norm-weights for both norms, --cache for keys and values.

Examples:
  whybits decoder
  whybits decoder --batch 1 --vs 64 --invariant
  whybits decoder --batch 8 --vs 256 --keys 1000 --json
  whybits decoder --attention torch:splits=1 --times
Exit codes: 0 no element differs, 1 elements differ, 2 bad input, 3 a batch is not in the atlas.)";

std::uint64_t batch_option(const char* option, std::uint64_t batch) {
  if (batch == 0)
    throw UsageError(fmt::format("{} 0: a batch is at least 1", option),
                     fmt::format("as in {} 64", option));
  return batch;
}

cublaslt::StorageB layout_option(const std::string& text) {
  for (std::size_t i = 0; i < cublaslt::layout_names.size(); ++i)
    if (cublaslt::layout_names[i] == text) return static_cast<cublaslt::StorageB>(i);
  throw UsageError(fmt::format("--layout: '{}' is not known", text), "allowed: NN TN");
}

/// How one batch's attention is launched.
AttentionSide attention_of(const Options& o, std::uint64_t batch) {
  const DecoderSizes sizes;
  const std::string spec = !o.attention.empty() ? o.attention
                           : o.invariant        ? "torch:split-keys=256"
                                                : "torch";
  return attention_side("--attention", spec,
                        {batch, sizes.heads, sizes.kv_heads, 1, o.keys, sizes.head_size});
}

std::variant<DecoderChoices, MissingChoice> choices_of(const Options& o, std::uint64_t batch) {
  if (o.invariant) return invariant_choices(batch, {}, attention_of(o, batch));
  return library_choices(batch, {layout_option(o.layout)}, attention_of(o, batch));
}

DecoderInputs open_inputs(const Options& o, const DecoderSizes& s) {
  // Tensors of one option have streams as ranks of a collective have.
  const auto open = [](const char* option, const std::string& text, std::uint64_t tensor,
                       std::uint64_t count) -> std::shared_ptr<const CodeSource> {
    return std::move(open_messages(option, text, formats::bf16, tensor + 1, count).back());
  };
  const std::uint64_t cached = s.kv_columns() * o.keys;
  return {.x = open("--x", o.x, 0, s.hidden),
          .input_norm = open("--norm-weights", o.norm_weights, 0, s.hidden),
          .post_norm = open("--norm-weights", o.norm_weights, 1, s.hidden),
          .qkv = open("--weights", o.weights, 0, s.hidden * s.qkv_columns()),
          .o = open("--weights", o.weights, 1, s.q_columns() * s.hidden),
          .gate_up = open("--weights", o.weights, 2, s.hidden * 2 * s.ffn),
          .down = open("--weights", o.weights, 3, s.ffn * s.hidden),
          .keys = open("--cache", o.cache, 0, cached),
          .values = open("--cache", o.cache, 1, cached)};
}

void refuse(const MissingChoice& missing, CommandContext& context) {
  context.exit_code = not_available;
  context.err << printable(fmt::format(
      "whybits: m {} of {} {}{}\n  {}\n", missing.batch, text_of(missing.key),
      missing.in_atlas ? "has " : "", missing.why,
      missing.in_atlas ? "docs/cublaslt.md lists what the rules cover; nothing is guessed"
                       : not_in_atlas_remedy(missing.key)));
}

std::string title_text(const Options& o) {
  return printable(
      fmt::format("A decoder block of Llama-3-8B for one token, in a batch of {} and of {}, {}\n"
                  "{}; x={} weights={} norms={} cache={}\n\n",
                  o.batch, o.vs, counted(o.keys, "key"),
                  o.invariant ? "one order for every batch"
                              : "weights as " + o.layout +
                                    ", orders of the "
                                    "libraries",
                  o.x, o.weights, o.norm_weights, o.cache));
}

void run(const Options& o, CommandContext& context) {
  batch_option("--batch", o.batch);
  batch_option("--vs", o.vs);
  if (o.keys == 0) throw UsageError("--keys 0: the token's own key is one", "as in --keys 4096");
  layout_option(o.layout);
  DecoderRequest request;
  request.keys = o.keys;
  request.eps = eps_option(o.eps);
  request.functions = element_functions("--functions", o.functions);
  request.threads = static_cast<unsigned>(o.threads);
  for (const auto& [batch, side] : {std::pair{o.batch, &request.a}, {o.vs, &request.b}}) {
    auto choices = choices_of(o, batch);
    if (const auto* missing = std::get_if<MissingChoice>(&choices))
      return refuse(*missing, context);
    *side = std::get<DecoderChoices>(std::move(choices));
  }
  request.inputs = open_inputs(o, request.sizes);
  const DecoderStudy study = run_decoder_study(request);
  if (study.any_differs()) context.exit_code = 1;
  if (!o.json) {
    context.out << title_text(o) << decoder_text(request, study, o.times);
    return;
  }
  const DecoderSizes& s = request.sizes;
  nlohmann::ordered_json out{
      {"whybits_decoder", 1},
      {"model", "Llama-3-8B"},
      {"batches", {o.batch, o.vs}},
      {"keys", o.keys},
      {"layout", o.layout},
      {"invariant", o.invariant},
      {"sizes",
       {{"hidden", s.hidden},
        {"heads", s.heads},
        {"kv_heads", s.kv_heads},
        {"head_size", s.head_size},
        {"ffn", s.ffn},
        {"rope_base", s.rope_base}}},
      {"eps", o.eps},
      {"inputs",
       {{"x", o.x}, {"weights", o.weights}, {"norm_weights", o.norm_weights}, {"cache", o.cache}}}};
  out.update(decoder_json(request, study, o.times));
  context.out << json_text(out);
}

}  // namespace
}  // namespace decoder_command

void add_decoder_command(Command app, CommandContext& context) {
  using namespace decoder_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  const Command command =
      app.add_subcommand("decoder", "A decoder block in two batches: what differs, step by step");
  const auto count = [&](const char* name, std::uint64_t& value, std::uint64_t most,
                         const char* text) {
    add_count_option(command, name, value, most, text)->default_str(std::to_string(value));
  };
  count("--batch", o.batch, std::uint64_t{1} << 20, "Tokens of the first launch");
  count("--vs", o.vs, std::uint64_t{1} << 20, "Tokens of the launch that it is compared with");
  count("--keys", o.keys, most_keys, "Keys that the token looks at, its own included");
  command.add_flag("--invariant", o.invariant, "One order for every batch, in every operation");
  command.add_value("--attention", o.attention, "KERNEL", "How the keys are cut");
  command.add_value("--layout", o.layout, "NN|TN",
                    "How weights lie in memory: NN k×n (torch.mm), TN n×k (nn.Linear)");
  command.add_value("--x", o.x, "INPUT", "The token's hidden state, 4096 values");
  command.add_value("--weights", o.weights, "INPUT", "Weights of the four matrix products");
  command.add_value("--norm-weights", o.norm_weights, "INPUT", "Weights of the two norms");
  command.add_value("--cache", o.cache, "INPUT", "Keys and values before the token's own");
  command.add_value("--eps", o.eps, "NUMBER", "ε of the norms, rounded to f32");
  command.add_value("--functions", o.functions, "NAME",
                    "Where exp2, exp and 1/√ come from: mufu or correct");
  count("--threads", o.threads, 1024, "Threads of the matrix products; 0: as many as there are");
  command->add_flag("--times", o.times, "How long the emulation of each operation took");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
