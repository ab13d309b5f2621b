#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/probe/probe_recordings.hpp"
#include "lab/probe/probe_report.hpp"
#include "lab/progress.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "sim/share_work.hpp"

namespace whybits {
namespace probe_command {
namespace {

struct Options {
  std::vector<std::string> instructions, kinds;
  std::uint64_t dots = std::uint64_t{1} << 20, control_dots = std::uint64_t{1} << 17;
  std::uint64_t seed = 1, threads = 0;
  std::string record;
  bool list = false, json = false;
};

constexpr const char* examples =
    R"(Examples:
  whybits probe --list
  whybits probe --instruction mma.m16n8k16.f32.bf16
  whybits probe --dots 100000 --record recordings
Each instruction answers the vectors of docs/measured-h200.md and random dot products of eight
kinds: uniform, wide, bits, finite, cancelling, tiny, huge, special. Every bit is compared with the
unit that the table of units claims the instruction to be. Controls are wrong neighbours of the
claim: each says how many outputs it would get wrong.
Exit codes: 0 every bit the same, 1 bits differ, 2 bad input, 3 no GPU of compute capability 9.0.)";

std::string instruction_list() {
  TextTable table({"instruction", "unit", "PTX"});
  for (const gpu::MatrixInstruction& row : gpu::instruction_table)
    table.row({std::string(row.name), std::string(row.unit), std::string(row.ptx)});
  return table.text();
}

nlohmann::ordered_json instruction_list_json() {
  nlohmann::ordered_json out{{"whybits_probe", 1},
                             {"instructions", nlohmann::ordered_json::array()}};
  for (const gpu::MatrixInstruction& row : gpu::instruction_table)
    out["instructions"].push_back({{"name", row.name}, {"unit", row.unit}, {"ptx", row.ptx}});
  return out;
}

/// A name stands for its row, or for all that begin with it: "wgmma".
bool chooses(const std::string& name, std::string_view row) {
  return gpu::find_instruction(name) ? row == name : row.starts_with(name);
}

std::vector<const gpu::MatrixInstruction*> chosen_instructions(
    const std::vector<std::string>& names) {
  std::vector<const gpu::MatrixInstruction*> chosen;
  std::vector<std::string> all;
  for (const gpu::MatrixInstruction& row : gpu::instruction_table) all.emplace_back(row.name);
  for (const std::string& name : names)
    if (std::none_of(all.begin(), all.end(),
                     [&](const std::string& row) { return chooses(name, row); })) {
      const auto near = nearest_name(name, all);
      throw UsageError("--instruction: no instruction begins with '" + name + "'" +
                           (near ? "; did you mean " + *near + "?" : ""),
                       "whybits probe --list has them all");
    }
  for (const gpu::MatrixInstruction& row : gpu::instruction_table)
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return chooses(name, row.name);
        }))
      chosen.push_back(&row);
  return chosen;
}

std::vector<DataKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<DataKind> kinds;
  const std::vector<std::string> all(data_kind_names.begin(), data_kind_names.end());
  for (const std::string& name : names.empty() ? all : names) {
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end())
      throw UsageError(fmt::format("--kind: '{}' is no kind of data", name),
                       fmt::format("allowed: {}", fmt::join(all, ", ")));
    kinds.push_back(static_cast<DataKind>(found - all.begin()));
  }
  return kinds;
}

/// Tiles of a stream that are worth keeping: about a thousand dot products.
std::uint64_t recorded_tiles(const Claim& claim) {
  constexpr std::uint64_t dots = 1024;
  return std::max<std::uint64_t>(1, dots / claim.outputs());
}

void record(const std::filesystem::path& folder, const ProbeResult& result, std::uint64_t seed) {
  const Claim& claim = result.claim;
  const std::string command =
      fmt::format("whybits probe --instruction {} --seed {}", claim.instruction->name, seed);
  const auto source = probe_source(command);
  write_recording(folder / recording_file(claim, "vectors"), vectors_recording(result, source));
  for (const DataKind kind : {DataKind::wide, DataKind::bits})
    write_recording(
        folder / recording_file(claim, data_kind_name(kind)),
        stream_recording(claim, kind, seed, recorded_tiles(claim), gpu::run_tiles, source));
}

void probe_all(const Options& o, const std::vector<const gpu::MatrixInstruction*>& instructions,
               const std::vector<DataKind>& kinds, CommandContext& context) {
  ProbeOptions options;
  options.dots = o.dots;
  options.control_dots = o.control_dots;
  options.seed = o.seed;
  options.threads = thread_count(static_cast<unsigned>(o.threads));
  std::vector<ProbeResult> results;
  nlohmann::ordered_json json{{"whybits_probe", 1}, {"source", probe_source("whybits probe")}};
  std::uint64_t done = 0;
  Progress progress("instructions", instructions.size());
  for (const gpu::MatrixInstruction* instruction : instructions) {
    for (const bool with_c : {true, false}) {
      if (!with_c && !instruction->is_wgmma()) continue;
      results.push_back(probe_instruction(*instruction, with_c, kinds, options, gpu::run_tiles));
      if (!o.record.empty()) record(o.record, results.back(), o.seed);
      if (o.json)
        json["instructions"].push_back(probe_json(results.back()));
      else
        context.out << probe_text(results.back()) << '\n' << std::flush;
      if (results.back().wrong() > 0) context.exit_code = 1;
    }
    progress.update(done += 1);
  }
  if (o.json)
    context.out << json_text(json);
  else
    context.out << probe_summary(results);
}

void run(const Options& o, CommandContext& context) {
  if (o.list) {
    context.out << (o.json ? json_text(instruction_list_json()) : instruction_list());
    return;
  }
  const auto instructions = chosen_instructions(o.instructions);
  const std::vector<DataKind> kinds = chosen_kinds(o.kinds);
  if (!o.record.empty() && !std::filesystem::is_directory(o.record))
    throw UsageError("--record: '" + o.record + "' is no folder", "make it first");
  try {
    gpu::require_matrix_instructions();
  } catch (const gpu::DeviceError& error) {
    context.err << "whybits: probe needs a GPU of compute capability 9.0: " << error.what() << '\n';
    context.exit_code = 3;
    return;
  }
  try {
    probe_all(o, instructions, kinds, context);
  } catch (const gpu::DeviceError& error) {
    context.err << "whybits: the GPU failed: " << error.what() << '\n';
    context.exit_code = 3;
  }
}

}  // namespace
}  // namespace probe_command

void add_probe_command(Command app, CommandContext& context) {
  using namespace probe_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("probe", "This GPU's matrix instructions beside their units, bit by bit");
  command
      ->add_option("--instruction", o.instructions, "Names or their beginnings; all if not given")
      ->type_name("NAME");
  command->add_option("--kind", o.kinds, "Kinds of random data; all if not given")
      ->type_name("KIND");
  add_count_option(command, "--dots", o.dots, most_addends,
                   "Random dot products of each instruction")
      ->default_str(std::to_string(o.dots));
  add_count_option(command, "--control-dots", o.control_dots, most_addends,
                   "How many of them the controls see")
      ->default_str(std::to_string(o.control_dots));
  add_count_option(command, "--seed", o.seed, most_addends, "Names the random data")
      ->default_str("1");
  add_count_option(command, "--threads", o.threads, 4096,
                   "Threads of the comparison; 0: as many as there are cores")
      ->default_str("0");
  command->add_option("--record", o.record, "Write recordings into this folder")
      ->type_name("FOLDER");
  command->add_flag("--list", o.list, "The table of instructions; needs no GPU");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
