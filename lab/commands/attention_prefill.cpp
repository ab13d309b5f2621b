#include "lab/commands/attention_prefill.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "lab/commands/attention_options.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/prefill_study.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace attention_prefill_command {
namespace {

struct Options {
  AttentionOptions attention;
  std::vector<std::string> kernels{"fa2"};
  std::vector<std::string> cached, chunks;
  bool json = false;
};

constexpr std::uint64_t most = std::uint64_t{1} << 24;

constexpr const char* prefill_examples =
    R"(The prompt's queries in chunks, each a launch over the keys so far, beside all of them at once.
KERNEL as `whybits attention --help` says; several are tables of their own.

Examples:
  whybits attention prefill --keys 4096 --chunks 512,2048
  whybits attention prefill --kernel fa2:splits=4 --kernel fa2:split-keys=1024 --chunks 512
  whybits attention prefill --heads 14 --kv-heads 2 --head-size 64 --kernel vllm-fa3 \
    --keys 1024 --chunks 8,256
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

constexpr const char* prefix_examples =
    R"(The first tokens' keys and values come from a cache, the rest is one launch (or chunks), beside the
whole prompt at once. Cached keys and values are taken to be the ones that the whole prompt has.
KERNEL as `whybits attention --help` says; several are tables of their own.

Examples:
  whybits attention prefix --keys 4096 --cached 1024,3584,4095
  whybits attention prefix --kernel fa2:split-keys=1024 --cached 1024,3584,4095
  whybits attention prefix --heads 14 --kv-heads 2 --head-size 64 --kernel vllm-fa3 \
    --keys 1024 --cached 1014,1015
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

std::uint64_t count_of(const char* option, const std::string& text) {
  const std::optional<std::uint64_t> value = whole_number(text);
  if (!value || *value == 0 || *value > most)
    throw UsageError(fmt::format("{} {}: must be a whole number from 1 to {}", option, text, most),
                     fmt::format("as in {} 512", option));
  return *value;
}

/// Every cached prefix with every length of chunks.
std::vector<PrefillSchedule> schedules_of(const Options& o) {
  std::vector<std::uint64_t> cached, chunks;
  for (const std::string& text : o.cached) cached.push_back(count_of("--cached", text));
  for (const std::string& text : o.chunks) chunks.push_back(count_of("--chunks", text));
  if (cached.empty()) cached = {0};
  if (chunks.empty()) chunks = {0};
  std::vector<PrefillSchedule> schedules;
  for (const std::uint64_t n : cached)
    for (const std::uint64_t chunk : chunks) schedules.push_back({n, chunk});
  return schedules;
}

std::vector<PrefillWay> ways_of(const Options& o, const AttentionShape& shape) {
  std::vector<PrefillWay> ways;
  for (const std::string& spec : o.kernels)
    for (const PrefillSchedule& schedule : schedules_of(o)) {
      const AttentionChoice choice = attention_choice("--kernel", spec, shape);
      const auto launches = [&](const PrefillSchedule& way) {
        try {
          return prefill_launches(choice.kernel, choice.launched, choice.wish, way);
        } catch (const ConfigurationError& error) {
          throw UsageError(fmt::format("{}: {}", spec, error.what()));
        }
      };
      ways.push_back({spec, schedule, launches({}).front(), launches(schedule)});
    }
  return ways;
}

void run(const Options& given, const char* name, CommandContext& context) {
  Options o = given;
  o.attention.queries = o.attention.keys;
  o.attention.causal = true;
  const std::vector<PrefillWay> ways = ways_of(o, attention_shape(o.attention));
  const AttentionRequest request = attention_request(o.attention);
  std::vector<std::vector<PrefillRun>> runs;
  for (const PrefillWay& way : ways) {
    runs.push_back(compare_prefill(request, way));
    for (const PrefillRun& run : runs.back())
      if (run.outputs_differ > 0) context.exit_code = 1;
  }
  const AttentionOptions& a = o.attention;
  if (o.json) {
    nlohmann::ordered_json out{{fmt::format("whybits_attention_{}", name), 1},
                               {"heads", request.shape.heads},
                               {"kv_heads", request.shape.kv_heads},
                               {"keys", a.keys},
                               {"head_size", a.head_size},
                               {"type", a.type},
                               {"inputs", {{"q", a.q}, {"k", a.k}, {"v", a.v}}},
                               {"functions", request.functions.name},
                               {"ways", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < ways.size(); ++i)
      out["ways"].push_back(prefill_json(ways[i], runs[i]));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format(
                     "A prompt of {}: {} (k and v: {}), head size {}, {}, causal; a row is a query "
                     "of a head\n\n",
                     counted(a.keys, "token"), counted(request.shape.heads, "head"),
                     request.shape.kv_heads, a.head_size, a.type)
              << prefill_text(ways, runs);
  std::string shown;
  for (const PrefillWay& way : ways) {
    const FlashKernel& kernel = way.whole.plan.kernel;
    if (shown == kernel.name) continue;
    shown = kernel.name;
    context.out << fmt::format("\n{}: {}.\n", kernel.name, kernel.evidence);
  }
}

/// What both commands have; `cached` and `chunks` are theirs.
void add_shared(Command command, Options& o) {
  command.add_option("--kernel", o.kernels, "How the keys are cut; may be given again")
      ->type_name("KERNEL")
      ->allow_extra_args(false)
      ->default_str("fa2");
  add_count_option(command, "--keys", o.attention.keys, most, "Tokens of the prompt")
      ->default_str("4096");
  add_attention_data_options(command, o.attention);
  command.add_flag("--json", o.json, "One JSON document on standard output");
}

CommandOption add_list(Command command, const char* option, std::vector<std::string>& values,
                       const char* text) {
  return command.add_option(option, values, text)
      ->type_name("N,N,…")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace
}  // namespace attention_prefill_command

void add_attention_prefill(Command attention, CommandContext& context) {
  using namespace attention_prefill_command;
  auto options = std::make_shared<Options>();
  const Command prefill = attention.add_subcommand(
      "prefill", "A prompt in chunks beside the whole one: which rows differ");
  add_list(prefill, "--chunks", options->chunks, "Queries of a launch")->required();
  add_shared(prefill, *options);
  prefill->footer(prefill_examples);
  prefill->callback([options, &context] { run(*options, "prefill", context); });

  auto of_prefix = std::make_shared<Options>();
  const Command prefix = attention.add_subcommand(
      "prefix", "A prompt behind a cached prefix beside the whole one: which differ");
  add_list(prefix, "--cached", of_prefix->cached, "Tokens whose keys and values are there")
      ->required();
  add_list(prefix, "--chunks", of_prefix->chunks, "Queries of a launch; else all that are left");
  add_shared(prefix, *of_prefix);
  prefix->footer(prefix_examples);
  prefix->callback([of_prefix, &context] { run(*of_prefix, "prefix", context); });
}

}  // namespace whybits
