#include "lab/shell.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <system_error>

namespace whybits {

ShellOutput run_in_shell(const std::string& line) {
  ShellOutput output;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  return output;
}

std::string shell_quoted(const std::string& argument) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::filesystem::path running_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace whybits
