#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/files.hpp"
#include "lab/kernel_runs.hpp"
#include "lab/output_text.hpp"
#include "lab/progress.hpp"
#include "lab/usage_error.hpp"
#include "lab/verify_operations.hpp"
#include "lab/verify_report.hpp"

namespace whybits {
namespace verify_command {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string functions{element_functions()[0].name};
  bool no_controls = false;
  bool live = false;
  bool derive = false;
  bool json = false, csv = false;
};

constexpr const char* examples =
    R"(Examples:
  whybits verify tests/recordings/cublas-*.json
  whybits verify --json recording.json
  whybits verify --derive tests/recordings/cublaslt-*.json
  whybits verify --live tests/recordings/gpu-*.json
Controls are wrong neighbours of the topology (one fraction bit more, other seams, …): each says
how many outputs it would get wrong, hence what "every bit" is worth.
Without a topology in the file, or with --derive, the topology is a prediction by a model of the
library (docs/cublaslt.md).
--live runs the recorded kernel again on this machine's GPU and checks these outputs instead of the
recorded ones, and whether they are those recorded (unless atomics leave the order open).
Exit codes: 0 every bit of every file, 1 bits differ, 2 bad file, 3 a file needs a model that does
not exist yet or --live a GPU that is not here (never a pass).)";

/// The same kernel, operands and parameters, now.
Verification verify_live(const Recording& recorded, bool with_controls) {
  const KernelRequest request = request_of(recorded);
  Recording now = record_kernel(request, "whybits verify --live");
  now.name = recorded.name;
  Verification result = verify(now, with_controls);
  if (recorded.guarantee != Guarantee::none)
    result.as_recorded = now.output.xxh3_128 == recorded.output.xxh3_128;
  return result;
}

/// One of a recording, one an output of a recording of operations.
std::vector<Verification> verified(const Options& o, const std::string& file) {
  const std::filesystem::path path(file);
  const std::string text = read_text_file(path, largest_recording_bytes);
  if (is_operation_recording(text)) {
    if (o.live)
      throw UsageError(
          file + ": --live runs this project's own kernels, not a library's operations",
          "record it again with scripts/record_torch_ops.py");
    return verify_operations(parse_operation_recording(text, path.string()),
                             element_functions("--functions", o.functions), !o.no_controls);
  }
  const Recording recording = parse_recording(text, path.string(), path.parent_path());
  if (o.live) return {verify_live(recording, !o.no_controls)};
  return {
      verify(recording, !o.no_controls, {}, o.derive ? TopologyFrom::model : TopologyFrom::file)};
}

void run(const Options& o, CommandContext& context) {
  if (o.json && o.csv) throw UsageError("--json and --csv exclude each other", "give one of them");
  constexpr int differs = 1, bad = 2, missing = 3;
  std::vector<Verification> list;
  int code = 0;
  Progress progress("recordings", o.files.size());
  for (std::size_t i = 0; i < o.files.size(); ++i) {
    try {
      for (Verification& v : verified(o, o.files[i])) {
        if (!v.unsupported && !v.passed() && code != bad) code = differs;
        if (v.unsupported && code == 0) code = missing;
        list.push_back(std::move(v));
      }
    } catch (const UsageError& error) {  // the other files are checked all the same
      context.err << "whybits: " << printable(error.what()) << '\n';
      if (!error.remedy.empty()) context.err << "  " << printable(error.remedy) << '\n';
      code = bad;
    }
    progress.update(i + 1);
  }
  context.exit_code = code;
  if (o.json)
    context.out << json_text(verifications_json(list));
  else if (o.csv)
    context.out << verifications_csv(list);
  else if (!list.empty())
    context.out << printable(verifications_text(list));
}

}  // namespace
}  // namespace verify_command

void add_verify_command(Command app, CommandContext& context) {
  using namespace verify_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("verify", "Recordings of real GPUs, replayed: is every bit the same?");
  command->add_option("FILE", o.files, "Recordings (docs/recordings.md)")
      ->type_name("")
      ->required();
  command->add_flag("--no-controls", o.no_controls, "Do not count what wrong neighbours get wrong");
  const CommandOption derive = command->add_flag(
      "--derive", o.derive, "Ignore the files' topologies: derive them from reported fields");
  command->add_flag("--live", o.live, "Run the kernels on this GPU now instead of reading words")
      ->excludes(derive);
  command
      ->add_option("--functions", o.functions,
                   "Where exp, log and 1/√ of operations come from: mufu or correct")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->add_flag("--csv", o.csv, "One line a file");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
