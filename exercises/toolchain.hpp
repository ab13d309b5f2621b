// How a learner's file becomes a program: the compiler, whybits' headers and its libraries, in the
// build tree or where whybits is installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace whybits::course {

struct Toolchain {
  std::string compiler;            ///< a path; empty: there is none
  std::vector<std::string> flags;  ///< floating-point model, warnings, include folders
  std::vector<std::string> libraries;
  bool limits_memory = true;  ///< sanitizers reserve more address space than any limit
};

/// The compiler is what CXX in the environment says, else the one that built whybits, else c++, g++
/// or clang++ on PATH.
Toolchain find_toolchain();

/// The program whybits-viz where it is built or installed, else "".
std::string find_visualizer();

/// <prefix>/share/whybits/NAME where this program is installed, else NAME in the source tree.
std::filesystem::path shared_folder(const std::string& name);

}  // namespace whybits::course
