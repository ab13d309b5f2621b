#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "gpu/not_available.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/files.hpp"
#include "lab/kernel_runs.hpp"
#include "lab/output_text.hpp"
#include "lab/progress.hpp"
#include "lab/suite.hpp"
#include "lab/usage_error.hpp"
#include "lab/verify_report.hpp"

namespace whybits {
namespace record_command {
namespace {

struct Options {
  std::string suite, out = ".", summary;
  std::string kernel, name;
  std::vector<std::string> params;
  std::uint64_t m = 1, n = 1, k = 1;
  std::string a = "uniform:1", b = "uniform:2";
  bool no_controls = false, hash_only = false;
};

constexpr const char* examples =
    R"(Runs kernels of this project (whybits kernels) on this machine's GPU, checks every bit against
the emulator, counts what wrong neighbours of the topology get wrong, and writes one recording each.
A suite file (docs/kernels.md) may also hold sweeps over settings and repeated runs of atomics.
INPUT is as for whybits gemm: uniform:S, wide:S, bits:S, ones, …

Examples:
  whybits record tests/suites/h200.json --out recordings
  whybits record --kernel mma.gemm --param instruction=bf16 --param splits=4 --m 64 --n 64 --k 512
  whybits record --kernel block.sum --param instruction=cub --m 64 --k 1000
Exit codes: 0 every bit as claimed, 1 bits differ, 2 bad input, 3 no GPU here that can run it.)";

constexpr int differs = 1, missing = 3;

/// One entry made of options.
KernelRequest request_of_options(const Options& o) {
  nlohmann::json params = nlohmann::json::object();
  for (const std::string& text : o.params) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw UsageError("--param " + text + ": not NAME=VALUE", "for example --param splits=4");
    const std::string value = text.substr(equals + 1);
    const bool number = !value.empty() && value.size() < 19 &&
                        value.find_first_not_of("0123456789") == std::string::npos;
    params[text.substr(0, equals)] =
        number ? nlohmann::json(std::stoull(value)) : nlohmann::json(value);
  }
  const bool gemm = kernel_named(o.kernel).computation == gpu::Computation::gemm;
  nlohmann::json entry{{"name", o.name.empty() ? o.kernel : o.name},
                       {"kernel", o.kernel},
                       {"params", params},
                       {"shape", {{"m", o.m}, {"k", o.k}}},
                       {"inputs", {{"a", input_spec_to_json(parse_input_spec(o.a))}}},
                       {"keep", o.hash_only ? "hash" : "bits"}};
  if (gemm) {
    entry["shape"]["n"] = o.n;
    entry["inputs"]["b"] = input_spec_to_json(parse_input_spec(o.b));
  }
  const std::string file = "options";
  return read_request(JsonField(entry, file), {});
}

/// What an entry that this GPU cannot run does to the exit code: it never counts as a pass.
template <class Action>
void attempt(CommandContext& context, const std::string& name, Action action) {
  try {
    action();
  } catch (const gpu::NotAvailable& error) {
    context.err << "whybits: " << printable(name) << ": " << printable(error.what()) << '\n';
    if (context.exit_code == 0) context.exit_code = missing;
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {  // a knob that was not in force, a fault in a kernel
    context.err << "whybits: " << printable(name) << ": " << printable(error.what()) << '\n';
    context.exit_code = differs;
  }
}

void run(const Options& o, CommandContext& context) {
  if (o.suite.empty() == o.kernel.empty())
    throw UsageError("give either a suite file or --kernel", "see whybits kernels");
  Suite suite;
  if (!o.suite.empty())
    suite = read_suite(o.suite);
  else
    suite.runs.push_back(request_of_options(o));
  gpu::gpu_environment();  // without a GPU: one line, before any work
  const std::filesystem::path folder = o.out;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw UsageError("--out " + o.out + ": " + failed.message(), "choose a folder");

  const std::uint64_t steps = suite.runs.size() + suite.sweeps.size() + suite.arrivals.size();
  std::uint64_t done = 0;
  Progress progress("runs", steps);
  std::vector<Verification> list;
  for (const KernelRequest& request : suite.runs) {
    attempt(context, request.name, [&] {
      const std::string command =
          o.suite.empty() ? fmt::format("whybits record --kernel {}", request.kernel->name)
                          : fmt::format("whybits record {}",
                                        std::filesystem::path(o.suite).filename().string());
      Recording recording = record_kernel(request, command);
      const std::filesystem::path file = folder / (request.name + ".json");
      recording.name = file.string();
      list.push_back(verify(recording, !o.no_controls));
      write_recording(file, recording);
      if (!list.back().passed()) context.exit_code = differs;
    });
    progress.update(++done);
  }
  std::vector<SweepResult> sweeps;
  for (const SweepRequest& request : suite.sweeps) {
    attempt(context, request.base.name, [&] {
      sweeps.push_back(run_sweep(request));
      if (!sweeps.back().as_claimed()) context.exit_code = differs;
    });
    progress.update(++done);
  }
  std::vector<ArrivalResult> arrivals;
  for (const ArrivalRequest& request : suite.arrivals) {
    attempt(context, request.base.name, [&] {
      arrivals.push_back(run_arrivals(request));
      if (!arrivals.back().as_claimed()) context.exit_code = differs;
    });
    progress.update(++done);
  }

  std::string report;
  if (!list.empty()) report += verifications_text(list);
  if (!sweeps.empty()) report += "\n" + sweeps_text(sweeps);
  if (!arrivals.empty()) report += "\n" + arrivals_text(arrivals);
  context.out << printable(report);
  if (o.summary.empty()) return;
  nlohmann::json summary{{"whybits_summary", 1}};
  summary["runs"] = verifications_json(list);
  summary["sweeps"] = sweeps_json(sweeps)["sweeps"];
  summary["arrivals"] = arrivals_json(arrivals)["arrivals"];
  write_file_atomically(o.summary, json_text(summary));
}

}  // namespace
}  // namespace record_command

void add_record_command(Command app, CommandContext& context) {
  using namespace record_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("record", "Run kernels on this GPU, check every bit, write recordings");
  command->add_option("SUITE", o.suite, "Suite file (docs/kernels.md)")->type_name("");
  command->add_option("--out", o.out, "Folder for the recordings; made if need be")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--summary", o.summary, "All counts as one JSON file")->type_name("FILE");
  command->add_option("--kernel", o.kernel, "One kernel instead of a suite (whybits kernels)")
      ->type_name("NAME");
  command->add_option("--param", o.params, "A parameter of the kernel; may be repeated")
      ->type_name("NAME=VALUE");
  command->add_option("--name", o.name, "File NAME.json; that of the kernel if not given")
      ->type_name("NAME");
  add_count_option(command, "--m", o.m, most_addends, "Rows of a and of the output")
      ->default_str("1");
  add_count_option(command, "--n", o.n, most_addends,
                   "Columns of b and of the output; not for row sums")
      ->default_str("1");
  add_count_option(command, "--k", o.k, most_addends, "Addends of an output")->default_str("1");
  command->add_option("--a", o.a, "a, m×k, row-major")->type_name("INPUT")->capture_default_str();
  command->add_option("--b", o.b, "b, k×n, row-major; not for row sums")
      ->type_name("INPUT")
      ->capture_default_str();
  command->add_flag("--hash-only", o.hash_only, "Keep the hash of the output, not its bits");
  command->add_flag("--no-controls", o.no_controls, "Do not count what wrong neighbours get wrong");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
