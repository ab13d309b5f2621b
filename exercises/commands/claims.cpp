// whybits claims: what the article says, what was found, and the evidence.
#include "exercises/claims.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "exercises/commands/commands.hpp"
#include "exercises/glossary.hpp"
#include "exercises/run_evidence.hpp"
#include "exercises/toolchain.hpp"
#include "lab/files.hpp"
#include "lab/output_text.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {
namespace claims_command {
namespace {

using namespace course;

constexpr std::uint64_t largest_text = std::uint64_t{4} << 20;
constexpr std::size_t width = 98;

struct Options {
  std::string id, language, file;
  bool run = false, json = false, markdown = false, glossary = false;
};

nlohmann::ordered_json claim_json(const Claim& claim) {
  nlohmann::ordered_json evidence = nlohmann::ordered_json::array();
  for (const Evidence& one : claim.commands)
    evidence.push_back({{"command", one.command}, {"exit", one.exit}, {"contains", one.contains}});
  for (const std::string& recording : claim.recordings)
    evidence.push_back({{"recording", recording}});
  for (const std::string& summary : claim.summaries) evidence.push_back({{"summary", summary}});
  return {{"id", claim.id},
          {"claim", claim.claim.en},
          {"verdict", claim_verdict_name(claim.verdict)},
          {"says", claim.says.en},
          {"evidence", evidence},
          {"test", claim.test},
          {"source", claim.source}};
}

const Claim& find_claim(const Claims& claims, const std::string& id) {
  if (const Claim* claim = claims.find(id)) return *claim;
  std::vector<std::string> ids;
  for (const Claim& claim : claims.claims) ids.push_back(claim.id);
  const auto near = nearest_name(id, ids);
  throw UsageError(
      fmt::format("there is no claim '{}'{}", id, near ? "; did you mean " + *near + "?" : ""),
      "whybits claims lists them");
}

/// Runs the evidence of some claims where the sources are.
void run_evidence(const std::vector<const Claim*>& claims, CommandContext& context) {
  const std::filesystem::path root = shared_folder("docs").parent_path();
  std::error_code error;
  if (!std::filesystem::exists(root / "tests" / "recordings", error))
    throw UsageError("--run needs the recordings of the source tree, which are not installed",
                     "run build/release/lab/whybits claims --run there");
  const CommandRunner run = shell_runner(running_program().string(), root.string());
  for (const Claim* claim : claims)
    for (const Evidence& evidence : runnable_evidence(*claim)) {
      const std::string problem = evidence_problem(evidence, run(evidence.command));
      if (!problem.empty()) context.exit_code = 1;
      context.out << fmt::format("{:<4} {}  {}\n", claim->id, problem.empty() ? "holds" : "FAILS",
                                 problem.empty() ? evidence.command : problem)
                  << std::flush;
    }
}

/// One of the outputs is chosen, and nothing that it would not look at.
void check_options(const Options& o) {
  if (int{o.run} + int{o.json} + int{o.markdown} + int{o.glossary} > 1)
    throw UsageError("--run, --json, --markdown and --glossary are four outputs",
                     "give at most one of them");
  if (!o.id.empty() && (o.markdown || o.glossary))
    throw UsageError("--markdown and --glossary make a whole page, not that of '" + o.id + "'",
                     "leave it out, or see whybits claims " + o.id);
  if (!o.file.empty() && o.glossary)
    throw UsageError("--file names a file of claims, and the glossary has none", "leave it out");
}

void run(const Options& o, CommandContext& context) {
  check_options(o);
  const Language language =
      o.language.empty() ? language_of_environment() : language_option("--lang", o.language);
  const std::filesystem::path folder = shared_folder("docs");
  if (o.glossary) {
    const auto file = folder / "glossary.json";
    context.out << glossary_markdown(
        parse_glossary(read_text_file(file, largest_text), file.string()), language);
    return;
  }
  const std::filesystem::path file =
      o.file.empty() ? folder / "claims.json" : std::filesystem::path(o.file);
  const Claims claims = parse_claims(read_text_file(file, largest_text), file.string());
  if (o.markdown) {
    context.out << claims_markdown(claims, language);
    return;
  }
  std::vector<const Claim*> chosen;
  if (o.id.empty())
    for (const Claim& claim : claims.claims) chosen.push_back(&claim);
  else
    chosen.push_back(&find_claim(claims, o.id));
  if (o.run) {
    run_evidence(chosen, context);
  } else if (o.json) {
    nlohmann::ordered_json out{{"whybits_claims", 1}, {"claims", nlohmann::ordered_json::array()}};
    for (const Claim* claim : chosen) out["claims"].push_back(claim_json(*claim));
    context.out << json_text(out);
  } else {
    context.out << (o.id.empty() ? claims_text(claims, language, width)
                                 : claim_text(*chosen[0], language, width));
  }
}

}  // namespace
}  // namespace claims_command

void add_claims_command(Command app, CommandContext& context) {
  using namespace claims_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("claims", "Claims about batch invariance: verdict, evidence, test");
  command->add_option("ID", o.id, "One claim, with its evidence")->type_name("");
  command->add_flag("--run", o.run, "Run the evidence: commands and recordings");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->add_flag("--markdown", o.markdown, "docs/claims.md, made from docs/claims.json");
  command->add_flag("--glossary", o.glossary, "docs/glossary.md, made from docs/glossary.json");
  command->add_option("--lang", o.language, "en or zh")->type_name("LANGUAGE");
  command->add_option("--file", o.file, "Another file of claims")->type_name("FILE");
  command->footer(
      "  whybits claims            all of them, with the verdicts\n"
      "  whybits claims B7         one, with its evidence and the test that keeps it true\n"
      "  whybits claims B7 --run   runs the evidence\n"
      "Exit codes: 0 as asked, 1 evidence does not hold, 2 bad input.");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
