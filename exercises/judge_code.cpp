#include "exercises/judge_code.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sstream>

#include "exact/distance.hpp"
#include "exercises/code_task.hpp"
#include "exercises/judge_value.hpp"
#include "exercises/sandbox.hpp"
#include "lab/files.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits::course {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_source = std::uint64_t{1} << 20;

/// A private folder, removed with everything in it.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string pattern = (fs::temp_directory_path() / "whybits-learn-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw UsageError("no private folder can be made in " + fs::temp_directory_path().string(),
                       "set TMPDIR to a folder that can be written");
    path_ = pattern;
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < count && end < text.size(); ++line) {
    const std::size_t next = text.find('\n', end);
    end = next == std::string::npos ? text.size() : next + 1;
  }
  return printable(text.substr(0, end)) + (end < text.size() ? "…\n" : "");
}

Verdict broken(std::string text) {
  return {Outcome::broken, std::move(text), nullptr};
}

/// Why a run gave no results, in words.
std::string end_text(const SandboxResult& run, const SandboxLimits& limits, Language language) {
  using End = SandboxResult::End;
  switch (run.end) {
    case End::out_of_time:
      return fmt::format(
          fmt::runtime(say(language,
                           "It did not end within {} seconds: is there a loop without end?",
                           "它没有在 {} 秒内结束：是否有死循环？")),
          limits.seconds);
    case End::out_of_room:
      return fmt::format(
          fmt::runtime(say(language, "It wrote more than {}.", "它的输出超过了 {}。")),
          human_bytes(run.code == SIGXFSZ ? limits.file : limits.output));
    case End::forbidden:
      return std::string(
          say(language,
              "It was ended: it tried to write or remove a file, to start a program or a process,\n"
              "to signal another or to use the network. Code of the course may do none of that.",
              "它被终止了：它试图写入或删除文件、启动程序或进程、向别的进程发信号或使用网络。\n"
              "课程中的代码不允许做这些事。"));
    case End::signalled:
      if (run.code == SIGABRT && run.output.find("std::bad_alloc") != std::string::npos)
        return fmt::format(fmt::runtime(say(language, "It asked for more memory than there is: {}.",
                                            "它申请的内存超出了限制：{}。")),
                           human_bytes(limits.memory));
      return fmt::format(fmt::runtime(say(language, "It crashed: {}.", "它崩溃了：{}。")),
                         ::strsignal(run.code));
    case End::exited:
      return fmt::format(fmt::runtime(say(language, "It ended early, with exit code {}.",
                                          "它提前结束，退出码 {}。")),
                         run.code);
    case End::not_started:
      break;
  }
  return fmt::format(fmt::runtime(say(language, "It could not be started: {}.", "无法启动：{}。")),
                     std::strerror(run.code));
}

/// What the sandbox cannot do on this kernel, or "".
std::string missing_walls(Language language) {
  const SandboxWalls walls = sandbox_walls();
  if (walls.landlock && walls.seccomp) return "";
  return fmt::format(
      fmt::runtime(say(language,
                       "\n(This kernel has no {}: only limits on time, memory and files hold.)",
                       "\n（此内核没有 {}：只有时间、内存和文件的限制有效。）")),
      walls.seccomp    ? "Landlock"
      : walls.landlock ? "seccomp filters"
                       : "Landlock and no seccomp filters");
}

/// What it printed, if anything, below the message.
std::string with_output(std::string text, const std::string& output, Language language) {
  if (output.empty()) return text;
  return text + fmt::format("\n{}\n{}", say(language, "It printed:", "它打印了："),
                            first_lines(output, 12));
}

/// What the compiler warned of, which may be the reason.
std::string with_warnings(std::string text, const std::string& compiler, Language language) {
  if (compiler.empty()) return text;
  return text + fmt::format("\n{}\n{}", say(language, "The compiler warned:", "编译器的警告："),
                            first_lines(compiler, 8));
}

bool uses_library(const std::string& source) {
  for (const std::string_view room : {"sim/", "exact/"})
    for (const char quote : {'"', '<'})
      if (source.find(fmt::format("{}{}", quote, room)) != std::string::npos) return true;
  return false;
}

SandboxLimits compiler_limits(const Toolchain& tools) {
  SandboxLimits limits;
  limits.seconds = 120;
  limits.memory = tools.limits_memory ? std::uint64_t{4} << 30 : 0;
  limits.file = std::uint64_t{256} << 20;
  return limits;
}

SandboxResult compile(const PrivateFolder& folder, const WriteCode& work, const std::string& source,
                      const Toolchain& tools, const fs::path& shown_as) {
  SandboxRequest request;
  request.argv = {tools.compiler};
  request.argv.insert(request.argv.end(), tools.flags.begin(), tools.flags.end());
  // The declaration comes first: another result type is an error then. The compiler's messages name
  // the learner's own file and lines.
  write_file_atomically(folder / "learner.cpp",
                        fmt::format("{}#line 1 \"{}\"\n{}", harness_prelude(work),
                                    shown_as.filename().string(), source));
  for (const char* word : {"main.cpp", "learner.cpp", "-o", "program"})
    request.argv.emplace_back(word);
  if (uses_library(source))
    request.argv.insert(request.argv.end(), tools.libraries.begin(), tools.libraries.end());
  request.folder = folder.path();
  request.alone = false;
  request.limits = compiler_limits(tools);
  return run_in_sandbox(request);
}

/// What the function must look like, where the compiler complains about the function as a whole: it
/// is not there, or returns something else. "In function …" only says where another mistake is.
std::string signature_help(const WriteCode& work, const std::string& output, Language language) {
  const std::string name = "learner::" + work.function;
  std::istringstream lines(output);
  bool about_it = false;
  for (std::string line; std::getline(lines, line);)
    about_it = about_it || (line.find(name) != std::string::npos &&
                            line.find("In function") == std::string::npos);
  if (!about_it) return "";
  return fmt::format("{}\n  namespace learner {{ {}; }}\n",
                     say(language, "The checker looks for", "检查程序寻找的是"), declaration(work));
}

std::string difference_text(const WriteCode& work, const std::vector<CodeCase>& cases,
                            std::size_t first, std::size_t differ, Bits expected, Bits yours,
                            Language language) {
  const Format format = code_result_format(work);
  std::string text = fmt::format(
      fmt::runtime(
          say(language,
              "{} of {} results are not the bits that were asked for. The first, number {}:\n",
              "{} 个（共 {} 个）结果的比特与要求的不同。第一个是第 {} 个：\n")),
      grouped(differ), grouped(cases.size()), first);
  text += case_text(work, cases[first]);
  text += fmt::format("  {:<8} {}\n", "asked", code_line(format, expected));
  const bool is_code = (yours & ~format.code_mask()) == 0;
  text += fmt::format(
      "  {:<8} {}\n", "yours",
      is_code ? code_line(format, yours)
              : fmt::format("0x{:08X}  {}", yours,
                            say(language, "has bits above the word", "超出了字的宽度")));
  if (is_code)
    if (const auto ulp = exact::ulp_distance(format, expected, format, yours))
      text += fmt::format(fmt::runtime(say(language, "  {} ulp apart\n", "  相差 {} ulp\n")),
                          grouped(*ulp));
  return text;
}

std::size_t count_different(const Format& format, const std::vector<Bits>& a,
                            const std::vector<Bits>& b, std::size_t* first = nullptr) {
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same_code(format, a[i], b[i])) continue;
    if (differ++ == 0 && first != nullptr) *first = i;
  }
  return differ;
}

}  // namespace

Verdict judge_results(const WriteCode& work, const std::vector<WrongAnswer>& wrong,
                      const std::vector<Bits>& results, Language language) {
  const std::vector<CodeCase> cases = code_cases(work);
  const std::vector<Bits> expected = expected_results(work, work.same_as, cases);
  const Format format = code_result_format(work);
  std::size_t first = 0;
  const std::size_t differ = count_different(format, results, expected, &first);
  if (differ == 0)
    return {Outcome::passed,
            fmt::format(fmt::runtime(say(language, "The right bits for all {} hidden inputs.",
                                         "全部 {} 个隐藏输入的比特都正确。")),
                        grouped(cases.size())),
            nullptr};
  Verdict verdict{
      Outcome::wrong,
      difference_text(work, cases, first, differ, expected[first], results[first], language),
      nullptr};
  const auto known = std::find_if(wrong.begin(), wrong.end(), [&](const WrongAnswer& answer) {
    return count_different(format, results, expected_results(work, answer.reference, cases)) == 0;
  });
  if (known != wrong.end()) verdict.recognized = &*known;
  return verdict;
}

Verdict judge_code(const Task& task, const fs::path& source, const Toolchain& tools,
                   Language language) {
  const auto& work = std::get<WriteCode>(task.work);
  if (tools.compiler.empty())
    return broken(
        std::string(say(language, "There is no C++ compiler: install g++ or clang++, or set CXX.",
                        "找不到 C++ 编译器：请安装 g++ 或 clang++，或设置 CXX。")));
  const std::string code = read_text_file(source, largest_source);
  const PrivateFolder folder;
  write_file_atomically(folder / "main.cpp", harness_source(work));
  const SandboxResult compiled = compile(folder, work, code, tools, source);
  if (compiled.end != SandboxResult::End::exited || compiled.code != 0) {
    const bool refused = compiled.end == SandboxResult::End::exited;
    return broken(fmt::format("{}\n{}{}", say(language, "It does not compile.", "无法编译。"),
                              refused ? signature_help(work, compiled.output, language) : "",
                              refused
                                  ? first_lines(compiled.output, 12)
                                  : end_text(compiled, compiler_limits(tools), language) + "\n"));
  }
  const std::vector<CodeCase> cases = code_cases(work);
  write_file_atomically(folder / "cases", harness_input(cases));
  SandboxRequest request;
  request.argv = {(folder / "program").string()};
  request.folder = folder.path();
  request.input = folder / "cases";
  request.results = folder / "results";
  if (!tools.limits_memory) request.limits.memory = 0;
  const SandboxResult run = run_in_sandbox(request);
  const std::string bytes = read_text_file(folder / "results", request.limits.file);
  const std::size_t answered = bytes.size() / sizeof(std::uint32_t);
  if (run.end != SandboxResult::End::exited || run.code != 0 || answered != cases.size()) {
    std::string text = end_text(run, request.limits, language);
    if (answered < cases.size() && run.end != SandboxResult::End::not_started)
      text += fmt::format("\n{}\n{}", say(language, "It was at this input:", "当时的输入是："),
                          case_text(work, cases[answered]));
    return broken(with_output(with_warnings(std::move(text), compiled.output, language), run.output,
                              language));
  }
  std::vector<Bits> results;
  for (std::size_t i = 0; i < answered; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    results.push_back(word);
  }
  Verdict verdict = judge_results(work, task.wrong, results, language);
  verdict.text += missing_walls(language);
  if (!verdict.passed())
    verdict.text = with_output(with_warnings(std::move(verdict.text), compiled.output, language),
                               run.output, language);
  return verdict;
}

}  // namespace whybits::course
