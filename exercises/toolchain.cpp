#include "exercises/toolchain.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "lab/shell.hpp"

namespace whybits::course {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// A path as it is, a name looked up on PATH; empty if there is no such program.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const std::string program = (fs::path(folder) / name).string();
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

std::string find_compiler() {
  if (const char* chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0')
    return find_program(chosen);
  for (const char* name : {WHYBITS_COURSE_CXX, "c++", "g++", "clang++"})
    if (const std::string program = find_program(name); !program.empty()) return program;
  return "";
}

/// Where `bin/whybits` is installed under, or empty in a build tree.
fs::path installed_prefix() {
  std::error_code error;
  const fs::path prefix = running_program().parent_path().parent_path();
  return fs::exists(prefix / WHYBITS_COURSE_INSTALLED / "exercises", error) ? prefix : fs::path();
}

}  // namespace

std::string find_visualizer() {
  const fs::path folder = running_program().parent_path();
  for (const fs::path& program :
       {folder / "whybits-viz", folder.parent_path() / "visualizer" / "whybits-viz"})
    if (access(program.c_str(), X_OK) == 0) return program.string();
  return find_program("whybits-viz");
}

fs::path shared_folder(const std::string& name) {
  const fs::path prefix = installed_prefix();
  return prefix.empty() ? fs::path(WHYBITS_COURSE_SOURCE) / name
                        : prefix / WHYBITS_COURSE_INSTALLED / name;
}

Toolchain find_toolchain() {
  Toolchain tools;
  tools.compiler = find_compiler();
  const fs::path prefix = installed_prefix();
  tools.flags = {"-std=c++20", "-O1",     "-ffp-contract=off",     "-fno-fast-math",
                 "-Wall",      "-Wextra", "-fno-diagnostics-color"};
  const std::string sanitize = WHYBITS_COURSE_SANITIZE;
  if (!sanitize.empty()) {
    tools.flags.push_back("-fsanitize=" + sanitize);
    tools.limits_memory = false;
  }
  tools.flags.push_back("-I" + (prefix.empty() ? std::string(WHYBITS_COURSE_SOURCE)
                                               : (prefix / WHYBITS_COURSE_HEADERS).string()));
  for (const std::string& folder : split(WHYBITS_COURSE_SYSTEM_INCLUDES, '|'))
    tools.flags.push_back("-isystem" + folder);
  for (const std::string& library : split(WHYBITS_COURSE_ROOMS, '|'))
    tools.libraries.push_back(
        prefix.empty()
            ? library
            : (prefix / WHYBITS_COURSE_LIBRARIES / fs::path(library).filename()).string());
  for (const std::string& library : split(WHYBITS_COURSE_EXTERNAL, '|'))
    tools.libraries.push_back(library);
  return tools;
}

}  // namespace whybits::course
