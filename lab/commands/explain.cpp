// whybits explain: operands and a dump of outputs, or a recording; which known order gives them?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/dump.hpp"
#include "lab/explain/explain_report.hpp"
#include "lab/explain/recorded_outputs.hpp"
#include "lab/inputs.hpp"
#include "lab/output_text.hpp"
#include "lab/story.hpp"
#include "lab/study.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/device_table.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace explain_command {
namespace {

constexpr int not_explained = 1;

struct Options {
  std::string recording;
  GemmShape shape;
  std::string type = "bf16", type_b, out_type;
  std::string a, b, bias;
  std::string out, vs;
  std::string rows, columns;
  std::string architecture = "sm90";
  bool json = false;
};

constexpr const char* examples =
    R"(INPUT is uniform:S, wide:S, bits:S (stream S), ones, linspace:A:B, hex:3f80,4000,…,
npy:FILE or safetensors:FILE#NAME. DUMP is FILE.npy, FILE.safetensors#NAME or raw words: the whole
m×n output, or the chosen rows and columns of it. scripts/record_torch.py writes a recording.

Every order that is known from a library or kernel is tried: units, slices of every usual length,
merges, rounded partials, lanes, residue tiles. What none gives is compared with the nearest: lost
products, moved tiles, NaN, scale, ulp. With --vs the dumps are both explained, and where they part.

Examples:
  whybits explain tests/recordings/cublaslt-f32-m128-n1024-k8192-NN-ws32m.json
  whybits explain --m 128 --n 4096 --k 14336 --a npy:x.npy --b npy:w.npy --out y128.npy --rows 0 \
    --vs y1024.npy
Exit codes: 0 explained, 1 not explained (with --vs: not both), 2 bad input.)";

/// One that the table of matrix units has.
std::string architecture_option(const std::string& option, const std::string& text) {
  std::vector<std::string> known;
  for (const DeviceRow& row : device_table()) known.emplace_back(row.architecture);
  std::ranges::sort(known, {},
                    [](const std::string& name) { return std::pair(name.size(), name); });
  const auto repeats = std::ranges::unique(known);
  known.erase(repeats.begin(), repeats.end());
  if (std::ranges::find(known, text) != known.end()) return text;
  throw UsageError(fmt::format("{}: '{}' is no architecture with matrix units", option, text),
                   fmt::format("allowed: {}", fmt::join(known, " ")));
}

/// Everything borrowed by an Observed.
struct Given {
  std::unique_ptr<CodeSource> a, b, bias;
  Observed observed;
};

std::vector<Bits> chosen_codes(const Dump& dump, const GemmShape& shape,
                               const ChosenOutputs& chosen, const std::string& option) {
  std::vector<Bits> codes(chosen.size());
  const bool whole = dump.codes.size() == shape.m * shape.n && dump.codes.size() != chosen.size();
  if (!whole && dump.codes.size() != chosen.size())
    throw UsageError(
        fmt::format("{}: {} has {}, {} were chosen of an output of {}×{}", option, dump.name,
                    counted(dump.codes.size(), "element"), chosen.size(), shape.m, shape.n),
        "check --m and --n, or choose with --rows and --columns");
  const std::vector<std::uint64_t> part{chosen.rows.size(), chosen.columns.size()};
  if (dump.shape.size() > 1 && dump.shape != part &&
      dump.shape != std::vector<std::uint64_t>{shape.m, shape.n})
    throw UsageError(fmt::format("{}: {} is {}×{}, not {}×{}", option, dump.name, dump.shape[0],
                                 dump.shape[1], part[0], part[1]),
                     "write the output as rows × columns");
  for (std::size_t i = 0; i < chosen.rows.size(); ++i)
    for (std::size_t j = 0; j < chosen.columns.size(); ++j) {
      const std::size_t at = i * chosen.columns.size() + j;
      codes[at] = dump.codes[whole ? chosen.rows[i] * shape.n + chosen.columns[j] : at];
    }
  return codes;
}

Given from_recording(const Options& o) {
  RecordedOutputs recorded = recorded_outputs(read_recording(o.recording));
  return {std::move(recorded.a), std::move(recorded.b), nullptr, std::move(recorded.observed)};
}

Given from_options(const Options& o) {
  const Format type_a = format_option("--type", o.type);
  const Format type_b = o.type_b.empty() ? type_a : format_option("--type-b", o.type_b);
  const std::optional<Format> out_type =
      o.out_type.empty() ? std::nullopt : std::optional(format_option("--out-type", o.out_type));
  if (o.shape.m == 0 || o.shape.n == 0 || o.shape.k == 0)
    throw UsageError("--m, --n and --k are required", "or give a recording");
  if (o.out.empty()) throw UsageError("--out is required", "a dump of the output");
  Given given;
  for (const auto& [option, text] : {std::pair{"--a", &o.a}, {"--b", &o.b}})
    if (text->empty())
      throw UsageError(fmt::format("{} is required", option), "or give a recording");
  given.a = open_tensor("--a", o.a, type_a, {o.shape.m, o.shape.k});
  given.b = open_tensor("--b", o.b, type_b, {o.shape.k, o.shape.n});
  if (!o.bias.empty()) given.bias = open_tensor("--bias", o.bias, type_a, {o.shape.n});
  Observed& observed = given.observed;
  observed.operands.shape = o.shape;
  observed.operands.a = given.a.get();
  observed.operands.b = given.b.get();
  observed.operands.bias = given.bias.get();
  observed.chosen = {index_list_option("--rows", o.rows, o.shape.m),
                     index_list_option("--columns", o.columns, o.shape.n)};
  const Dump dump = read_dump(o.out, out_type);
  observed.out = dump.codes.format();
  observed.codes = chosen_codes(dump, o.shape, observed.chosen, "--out");
  return given;
}

/// Where two explained outputs part first.
std::string why_they_differ(const Observed& first, const Explanation& a, const Observed& second,
                            const Explanation& b) {
  std::size_t differ = 0;
  std::optional<std::size_t> where;
  for (std::size_t i = 0; i < first.codes.size(); ++i) {
    if (first.codes[i] == second.codes[i]) continue;
    if (!where) where = i;
    ++differ;
  }
  std::string out = how_many_differ(differ, first.codes.size(), "output") + " between the dumps\n";
  if (!where || !a.explained() || !b.explained()) return out;
  const Hypothesis& x = a.exact[0].hypothesis;
  const Hypothesis& y = b.exact[0].hypothesis;
  if (x.operands || y.operands) return out;
  const std::size_t columns = first.chosen.columns.size();
  const std::string title = fmt::format("Output [{},{}]", first.chosen.rows[*where / columns],
                                        first.chosen.columns[*where % columns]);
  GemmOptions one_thread;
  one_thread.threads = 1;
  for_each_output(first.operands,
                  {{first.chosen.rows[*where / columns]}, {first.chosen.columns[*where % columns]}},
                  one_thread, [&](std::size_t, std::size_t, const Leaves& leaves) {
                    out += "\n" + story_text(tell_output(first.operands.types(), leaves, x.topology,
                                                         y.topology),
                                             title);
                  });
  return out;
}

void run(const Options& o, CommandContext& context) {
  Given given = o.recording.empty() ? from_options(o) : from_recording(o);
  Observed& observed = given.observed;
  ExplainOptions options;
  options.architecture = architecture_option("--arch", o.architecture);
  const Explanation first = explain(observed, options);
  std::optional<Explanation> second;
  Observed other = observed;
  if (!o.vs.empty()) {
    const Dump dump = read_dump(o.vs, observed.out);
    other.codes = chosen_codes(dump, observed.operands.shape, observed.chosen, "--vs");
    second = explain(other, options);
  }
  const bool explained = first.explained() && (!second || second->explained());
  context.exit_code = explained ? 0 : not_explained;
  if (o.json) {
    const GemmShape& s = observed.operands.shape;
    nlohmann::ordered_json out{{"whybits_explain", 1},
                               {"shape", {{"m", s.m}, {"n", s.n}, {"k", s.k}}},
                               {"types",
                                {{"a", format_name(observed.operands.a->format())},
                                 {"b", format_name(observed.operands.b->format())},
                                 {"out", format_name(observed.out)}}}};
    out["out"] = explanation_json(first, observed);
    if (second) out["vs"] = explanation_json(*second, other);
    context.out << json_text(out);
    return;
  }
  context.out << printable(explanation_text(first, observed));
  if (second)
    context.out << "\n--vs " << printable(o.vs) << '\n'
                << printable(explanation_text(*second, other)) << '\n'
                << printable(why_they_differ(observed, first, other, *second));
}

}  // namespace
}  // namespace explain_command

void add_explain_command(Command app, CommandContext& context) {
  using namespace explain_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("explain", "Outputs of a matrix product: which known order gave them?");
  command->add_option("FILE", o.recording, "A recording, instead of the options below")
      ->type_name("");
  const std::vector<CommandOption> said_by_recordings{
      add_count_option(command, "--m", o.shape.m, most_addends, "Rows of A and of the output"),
      add_count_option(command, "--n", o.shape.n, most_addends, "Columns of B and of the output"),
      add_count_option(command, "--k", o.shape.k, most_addends, "Addends of each output"),
      command->add_value("--type", o.type, "FORMAT", "Format of A and B"),
      command->add_value("--type-b", o.type_b, "FORMAT", "Format of B, if it is another"),
      command->add_value("--a", o.a, "INPUT", "A, m×k, row-major"),
      command->add_value("--b", o.b, "INPUT", "B, k×n, row-major"),
      command->add_value("--bias", o.bias, "INPUT", "A bias of n elements, added after the sum"),
      command->add_value("--out", o.out, "DUMP", "The outputs"),
      command->add_value("--out-type", o.out_type, "FORMAT",
                         "Format of raw words, or of integers that hold them"),
      command->add_value("--rows", o.rows, "LIST",
                         "Rows that are compared, as in 0,5,7..9; all if not given"),
      command->add_value("--columns", o.columns, "LIST",
                         "Columns that are compared; all if not given")};
  command->add_value("--vs", o.vs, "DUMP",
                     "Other outputs of the same operands: why do they differ?");
  command->add_value("--arch", o.architecture, "NAME",
                     "Whose matrix units are tried: sm70 to sm120");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, said_by_recordings, &context] {
    for (const CommandOption& given : said_by_recordings)
      if (!options->recording.empty() && given->count() > 0)
        throw UsageError(given->get_name() + ": the recording says this itself", "leave it out");
    run(*options, context);
  });
}

}  // namespace whybits
