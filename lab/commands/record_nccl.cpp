#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "lab/all_reduce_spec.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/files.hpp"
#include "lab/nccl_model.hpp"
#include "lab/nccl_runs.hpp"
#include "lab/text_table.hpp"
#include "lab/verify.hpp"
#include "sim/libraries/nccl/all_reduce.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace record_nccl_command {
namespace {

constexpr int differs = 1, not_predicted = 3;

struct Options {
  std::uint64_t ranks = 0, repeats = 2, keep = 4096;
  std::string counts, type = "f32", input = "uniform:1", out, prefix = "nccl",
                      library = "libnccl.so.2", log;
  bool in_place = false, reveal = false;
};

constexpr const char* examples =
    R"(Runs ncclAllReduce on the first GPUs of this machine, one process for all, under the NCCL_*
variables of the environment. Every bit is compared with the prediction from the configuration,
every rank with rank 0, every repeat with the first. With --log (the file that NCCL_DEBUG_FILE
names, with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING) algorithm, protocol and channels are compared
with NCCL's own log.

Examples:
  NCCL_NVLS_ENABLE=0 whybits record-nccl --ranks 4 --count 1000,8195,100000 --type bf16 --out DIR
  NCCL_ALGO=Tree whybits record-nccl --ranks 3 --count 4096 --reveal
Exit codes: 0 every bit as predicted, 1 bits differ, 2 bad input, 3 too few GPUs, no NCCL, or a
call that no rule predicts.)";

std::vector<std::uint64_t> counts_option(const std::string& text) {
  std::vector<std::uint64_t> counts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    counts.push_back(index_option("--count", text.substr(begin, comma - begin), 1U << 30));
    if (counts.back() == 0) throw UsageError("--count 0: nothing is added");
    begin = comma + 1;
  }
  return counts;
}

struct Line {
  std::uint64_t count, wrong;
  std::string choice, controls, verdict;
  int exit_code;
};

/// One call: recorded, compared, written.
Line record(const Options& o, gpu::NcclGroup& group, std::uint64_t count, const Format& type) {
  NcclRun run{{type, count, o.in_place}, o.input};
  const int ranks = static_cast<int>(o.ranks);
  NcclOutcome outcome = record_nccl(
      group, ranks, run, static_cast<int>(o.repeats),
      fmt::format("whybits record-nccl --ranks {} --count {} --type {}", o.ranks, count, o.type));
  outcome.recording.name = fmt::format("{} of {}", count, o.type);
  const bool small = count <= 2'000'000;  // controls of large messages take too long
  const Verification v = verify(outcome.recording, small);
  Line line{count, v.wrong, v.unsupported.value_or(v.rule), "", "", 0};
  for (const ControlCount& control : v.controls)
    line.controls += fmt::format("{}{}", line.controls.empty() ? "" : " ", control.wrong);
  line.verdict = v.passed() ? "every bit" : v.unsupported ? "not checked" : "DIFFERS";
  if (!outcome.ranks_equal) line.verdict += ", RANKS DIFFER";
  if (!outcome.repeats_equal) line.verdict += ", REPEATS DIFFER";
  if (v.unsupported) line.exit_code = not_predicted;
  if (!outcome.ranks_equal || !outcome.repeats_equal || !(v.passed() || v.unsupported))
    line.exit_code = differs;
  if (!o.out.empty()) {
    if (count > o.keep) outcome.recording.output.words.reset();
    write_recording(std::filesystem::path(o.out) /
                        fmt::format("{}-{}-n{}-count{}.json", o.prefix, o.type, o.ranks, count),
                    outcome.recording);
  }
  return line;
}

/// Sizes that the log names with another choice than the model's; how many it names.
std::string compare_with_log(const Options& o, const std::string& version, const Format& type) {
  const std::vector<LoggedChoice> logged = read_nccl_log(read_text_file(o.log, 1U << 30));
  std::map<std::string, std::string> environment;
  const nlohmann::json settings = nccl_settings();
  for (const auto& [name, value] : settings.items()) environment[name] = value.get<std::string>();
  std::set<std::uint64_t> sizes, wrong;
  std::string text;
  for (const LoggedChoice& seen : logged) {
    if (!sizes.insert(seen.bytes).second) continue;
    nccl::Request request = nccl_request("--library", version, environment,
                                         {o.ranks, seen.bytes / type.word_bytes(), type, 1});
    request.context = {o.in_place, false, false};
    const nccl::Prediction made = nccl::predict_all_reduce(request);
    const auto upper = [](std::string name) {
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      return name;
    };
    const std::string algorithm =
        nccl::algorithm_names[static_cast<std::size_t>(made.choice.algorithm)];
    const std::string protocol =
        nccl::protocol_names[static_cast<std::size_t>(made.choice.protocol)];
    if (upper(seen.algorithm) == upper(algorithm) && upper(seen.protocol) == upper(protocol) &&
        seen.channels == made.parts.size())
      continue;
    wrong.insert(seen.bytes);
    text += fmt::format("  {} bytes: log {} {} {} channels, predicted {} {} {}\n", seen.bytes,
                        seen.algorithm, seen.protocol, seen.channels, algorithm, protocol,
                        made.parts.size());
  }
  return fmt::format("log: {} sizes, {} with another choice than predicted\n{}", sizes.size(),
                     wrong.size(), text);
}

/// The maps that masked pairs reveal, beside the predicted ones.
std::string reveal(const Options& o, gpu::NcclGroup& group, std::uint64_t count,
                   const Format& type) {
  std::string text = fmt::format("revealed, {} elements:\n", count);
  const auto regions = reveal_nccl(group, static_cast<int>(o.ranks), {type, count, o.in_place});
  constexpr std::size_t most = 32;
  for (std::size_t i = 0; i < std::min(regions.size(), most); ++i) {
    const RevealedRegion& region = regions[i];
    text += fmt::format(
        "  [{}, {}): {}\n", region.begin, region.end,
        region.tree ? print(*schema(Explicit{nccl::storage_add(type), *region.tree})) : "no tree");
  }
  if (regions.size() > most) text += fmt::format("  … {} regions\n", regions.size());
  return text;
}

void run(const Options& o, CommandContext& context) {
  const Format type = format_option("--type", o.type);
  const std::vector<std::uint64_t> counts = counts_option(o.counts);
  if (o.ranks < 2)
    throw UsageError(fmt::format("--ranks {}: two or more take part", o.ranks), "as in --ranks 4");
  if (o.repeats == 0) throw UsageError("--repeats 0: nothing is run", "as in --repeats 2");
  gpu::NcclGroup group(static_cast<int>(o.ranks), o.library);
  if (!o.out.empty()) std::filesystem::create_directories(o.out);
  context.out << fmt::format("NCCL {}, {} GPUs, settings {}{}\n", group.version(), o.ranks,
                             nccl_settings().dump(), o.in_place ? ", in place" : "");
  using enum TextTable::Align;
  TextTable table({"count", "verdict", "wrong", "predicted choice", "controls wrong"},
                  {right, left, right, left, left});
  for (const std::uint64_t count : counts) {
    const Line line = record(o, group, count, type);
    if (context.exit_code != differs && line.exit_code != 0) context.exit_code = line.exit_code;
    table.row({std::to_string(line.count), line.verdict, std::to_string(line.wrong), line.choice,
               line.controls});
  }
  context.out << table.text();
  if (o.reveal)
    for (const std::uint64_t count : counts) context.out << reveal(o, group, count, type);
  if (!o.log.empty()) context.out << compare_with_log(o, group.version(), type);
}

}  // namespace
}  // namespace record_nccl_command

void add_record_nccl_command(Command app, CommandContext& context) {
  using namespace record_nccl_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = app.add_subcommand(
      "record-nccl", "Run NCCL on this machine's GPUs, compared with the prediction");
  add_count_option(command, "--ranks", o.ranks, 64, "GPUs that take part")->required();
  command->add_option("--count", o.counts, "Elements of each message, with commas")
      ->type_name("N,N,…")
      ->required();
  command->add_option("--type", o.type, "f32, f16, bf16, e4m3 or e5m2")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--input", o.input, "Every rank's message")
      ->type_name("INPUT")
      ->capture_default_str();
  command->add_option("--out", o.out, "Folder for recordings; none are written without")
      ->type_name("FOLDER");
  command->add_option("--prefix", o.prefix, "How the files' names begin")
      ->type_name("NAME")
      ->capture_default_str();
  add_count_option(command, "--keep", o.keep, most_addends, "Larger messages keep a hash only")
      ->default_str("4096");
  add_count_option(command, "--repeats", o.repeats, 1000, "Runs of each call")->default_str("2");
  command->add_option("--library", o.library, "NCCL's file")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--log", o.log, "NCCL's own log of this process, to compare choices with")
      ->type_name("FILE");
  command->add_flag("--in-place", o.in_place, "Send and receive buffer are one");
  command->add_flag("--reveal", o.reveal, "Find every element's tree by masked pairs");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
