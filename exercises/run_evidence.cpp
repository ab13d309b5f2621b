#include "exercises/run_evidence.hpp"

#include <fmt/format.h>

namespace whybits::course {

CommandRunner shell_runner(const std::string& binary, const std::string& folder) {
  return [binary, folder](const std::string& command) {
    return run_in_shell(fmt::format("cd {} && {{ whybits() {{ {} \"$@\"; }}; {} ; }} 2>&1",
                                    shell_quoted(folder), shell_quoted(binary), command));
  };
}

std::string evidence_problem(const Evidence& evidence, const ShellOutput& output) {
  if (output.exit_code != evidence.exit)
    return fmt::format("'{}' ends with exit code {}, not {}", evidence.command, output.exit_code,
                       evidence.exit);
  for (const std::string& text : evidence.contains)
    if (output.out.find(text) == std::string::npos)
      return fmt::format("'{}' does not print '{}'", evidence.command, text);
  return "";
}

}  // namespace whybits::course
