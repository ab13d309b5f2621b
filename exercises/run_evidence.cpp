#include "exercises/run_evidence.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace whybits::course {

CommandRunner shell_runner(const std::string& binary, const std::string& folder) {
  return [binary, folder](const std::string& command) {
    const std::string line = fmt::format("cd '{}' && {{ whybits() {{ '{}' \"$@\"; }}; {} ; }} 2>&1",
                                         folder, binary, command);
    CommandOutput output;
    std::FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return output;
    std::array<char, 4096> buffer{};
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      output.text.append(buffer.data(), n);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
    return output;
  };
}

std::string evidence_problem(const Evidence& evidence, const CommandOutput& output) {
  if (output.exit_code != evidence.exit)
    return fmt::format("'{}' ends with exit code {}, not {}", evidence.command, output.exit_code,
                       evidence.exit);
  for (const std::string& text : evidence.contains)
    if (output.text.find(text) == std::string::npos)
      return fmt::format("'{}' does not print '{}'", evidence.command, text);
  return "";
}

}  // namespace whybits::course
