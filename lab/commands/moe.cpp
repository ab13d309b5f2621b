// whybits moe: combining the outputs of a token's experts, and choosing them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/output_text.hpp"
#include "lab/router_study.hpp"
#include "lab/story.hpp"
#include "lab/study_report.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/libraries/moe/combine.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most_size = std::uint64_t{1} << 24;

// --- combine -----------------------------------------------------------------------------------
struct CombineOptions {
  std::uint64_t tokens = 64, k = 8, hidden = 1024;
  std::string kernel = "vllm", vs, type = "bf16", input = "uniform:1";
  bool json = false, no_exact = false;
};

constexpr const char* combine_examples =
    R"(KERNEL is vllm (f32, one rounding), vllm-old (a rounding an add, up to 4 experts), chain (that for
any number), or a topology over the k terms: the order of experts is part of it.

Examples:
  whybits moe combine --k 2 --vs chain
  whybits moe combine --k 8 --vs chain
  whybits moe combine --k 8 --kernel chain --vs 'reverse(fold(bf16))'
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

/// Terms as they lie in memory, tokens × k × hidden, read as outputs × k.
class TermsOfOutputs final : public CodeSource {
 public:
  TermsOfOutputs(std::unique_ptr<CodeSource> terms, std::uint64_t k, std::uint64_t hidden)
      : terms_(std::move(terms)), k_(k), hidden_(hidden) {}
  Format format() const override { return terms_->format(); }
  std::uint64_t size() const override { return terms_->size(); }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i, first += stride) {
      const std::uint64_t output = first / k_, term = first % k_;
      terms_->read((output / hidden_ * k_ + term) * hidden_ + output % hidden_, 1,
                   out.subspan(i, 1));
    }
  }

 private:
  std::unique_ptr<CodeSource> terms_;
  std::uint64_t k_, hidden_;
};

SchemaPtr combine_option(const std::string& option, const std::string& text, std::uint64_t k,
                         const Format& type) {
  if (text.find('(') != std::string::npos) return topology_option(option, text);
  const MoeCombine* combine = find_moe_combine(text);
  if (combine == nullptr) {
    std::vector<std::string> names;
    for (const MoeCombine& known : moe_combines()) names.emplace_back(known.name);
    const auto near = nearest_name(text, names);
    throw UsageError(
        fmt::format("{}: unknown kernel '{}'{}", option, text,
                    near ? "; did you mean " + *near + "?" : ""),
        fmt::format("kernels: {}; or a topology such as fold(bf16)", fmt::join(names, " ")));
  }
  try {
    return moe_combine_sum(*combine, k, type);
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

void run_combine(const CombineOptions& o, CommandContext& context) {
  const Format type = format_option("--type", o.type);
  const std::vector<SchemaPtr> topologies{combine_option("--kernel", o.kernel, o.k, type),
                                          combine_option("--vs", o.vs, o.k, type)};
  const std::uint64_t outputs = checked_product("--tokens × --hidden", o.tokens, o.hidden);
  checked_product("--tokens × --k × --hidden", outputs, o.k);
  const TermsOfOutputs terms(open_tensor("--input", o.input, type, {o.tokens, o.k, o.hidden}), o.k,
                             std::max<std::uint64_t>(1, o.hidden));
  StudyRequest request = sum_request(terms, outputs, o.k, topologies);
  require_runnable(topologies, o.k, request.types, "terms are values");
  request.with_exact = !o.no_exact;
  const Study study = run_study(request);
  if (study.any_output_differs()) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{
        {"whybits_moe_combine", 1}, {"tokens", o.tokens}, {"k", o.k},
        {"hidden", o.hidden},       {"type", o.type},     {"input", o.input}};
    out.update(study_json(study, topologies));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("{} of {} each, hidden {}, {}, {}\n\n", counted(o.tokens, "token"),
                             counted(o.k, "expert"), o.hidden, o.type, printable(o.input))
              << study_text(study, topologies);
}

void add_combine(Command moe, CommandContext& context) {
  auto options = std::make_shared<CombineOptions>();
  CombineOptions& o = *options;
  const Command command =
      moe.add_subcommand("combine", "The outputs of a token's k experts added up in two ways");
  add_count_option(command, "--tokens", o.tokens, most_size, "Tokens")->default_str("64");
  add_count_option(command, "--k", o.k, most_size, "Experts of a token")->default_str("8");
  add_count_option(command, "--hidden", o.hidden, most_size, "Elements of an expert's output")
      ->default_str("1024");
  command->add_option("--kernel", o.kernel, "How they are added")
      ->type_name("KERNEL")
      ->capture_default_str();
  command->add_option("--vs", o.vs, "Another to compare with")->type_name("KERNEL")->required();
  command->add_option("--type", o.type, "Format of terms and output")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--input", o.input, "The terms, tokens × k × hidden, weights included")
      ->type_name("INPUT")
      ->capture_default_str();
  command->add_flag("--no-exact", o.no_exact, "No exact sums, and no errors against them");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(combine_examples);
  command->callback([options, &context] { run_combine(*options, context); });
}

// --- route -------------------------------------------------------------------------------------
struct RouteOptions {
  std::uint64_t tokens = 256, experts = 128, k = 8, hidden = 2048;
  std::string topology = "fold(sm90.wgmma.bf16) > bf16";
  std::string vs = "slices(512, fold(sm90.wgmma.bf16), fold(f32)) > bf16";
  std::string type = "bf16", x = "uniform:1", w = "uniform:2";
  bool json = false;
};

constexpr const char* route_examples =
    R"(A router's logits under two topologies: which tokens get other experts. Of equal logits the lower
expert wins.

Examples:
  whybits moe route --experts 128 --k 8
  whybits moe route --topology 'fold(sm90.wgmma.bf16) > bf16' --vs 'fold(f32.fma) > bf16'
Exit codes: 0 every token gets the same experts, 1 some get others, 2 bad input.)";

void run_route(const RouteOptions& o, CommandContext& context) {
  const Format type = format_option("--type", o.type);
  RouterRequest request{o.tokens, o.experts, o.hidden, o.k, {}, {}, {}, {}};
  request.a = topology_option("--topology", o.topology);
  request.b = topology_option("--vs", o.vs);
  require_runnable({request.a, request.b}, o.hidden, {.a = type, .b = type},
                   "a logit has no operands but its products");
  request.x = open_tensor("--x", o.x, type, {o.tokens, o.hidden});
  request.w = open_tensor("--w", o.w, type, {o.hidden, o.experts});
  const RouterStudy study = run_router_study(request);
  if (study.sets_differ > 0) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_moe_route", 1},
                               {"tokens", o.tokens},
                               {"experts", o.experts},
                               {"k", o.k},
                               {"hidden", o.hidden},
                               {"type", o.type},
                               {"inputs", {{"x", o.x}, {"w", o.w}}},
                               {"topologies", {print(*request.a), print(*request.b)}}};
    out.update(router_json(study));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("Top {} of {}, {}, hidden {}, {}, x={} w={}\n\n  A  {}\n  B  {}\n\n",
                             o.k, counted(o.experts, "expert"), counted(o.tokens, "token"),
                             o.hidden, o.type, printable(o.x), printable(o.w), print(*request.a),
                             print(*request.b))
              << router_text(request, study);
}

void add_route(Command moe, CommandContext& context) {
  auto options = std::make_shared<RouteOptions>();
  RouteOptions& o = *options;
  const Command command =
      moe.add_subcommand("route", "The experts that a router chooses under two topologies");
  add_count_option(command, "--tokens", o.tokens, most_size, "Tokens")->default_str("256");
  add_count_option(command, "--experts", o.experts, most_size, "Experts")->default_str("128");
  add_count_option(command, "--k", o.k, most_size, "Experts of a token")->default_str("8");
  add_count_option(command, "--hidden", o.hidden, most_size, "Elements of a token")
      ->default_str("2048");
  command->add_value("--topology", o.topology, "TOPOLOGY", "How a logit is added up");
  command->add_value("--vs", o.vs, "TOPOLOGY", "Another to compare with");
  command->add_value("--type", o.type, "FORMAT", "Format of x and w");
  command->add_value("--x", o.x, "INPUT", "The tokens, tokens × hidden");
  command->add_value("--w", o.w, "INPUT", "The router's weights, hidden × experts");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(route_examples);
  command->callback([options, &context] { run_route(*options, context); });
}

}  // namespace

void add_moe_command(Command app, CommandContext& context) {
  const Command command =
      app.add_subcommand("moe", "Mixture of experts: combining their outputs, choosing them");
  command->require_subcommand(1);
  add_combine(command, context);
  add_route(command, context);
}

}  // namespace whybits
