// Runs a program of unknown manners: in one folder, with limits on time, memory, files and output,
// and nothing left running when it returns.
//
// Two walls where the kernel has them. Landlock (Linux 5.13): files can be written only below the
// folder. A seccomp filter, for programs that need no others: no new processes, no sockets, no
// signals to others, no file opened for writing; what tries is ended. Without them the limits still
// hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whybits::course {

struct SandboxLimits {
  double seconds = 10;                              ///< of wall clock; as many of the processor
  std::uint64_t memory = std::uint64_t{1} << 30;    ///< bytes of address space; 0: not limited
  std::uint64_t file = std::uint64_t{64} << 20;     ///< bytes of any file
  std::uint64_t output = std::uint64_t{256} << 10;  ///< bytes on both streams together
};

struct SandboxRequest {
  std::vector<std::string> argv;  ///< argv[0] is a path
  std::filesystem::path folder;   ///< current and only writable one
  std::filesystem::path input;    ///< standard input; empty: nothing
  std::filesystem::path results;  ///< file behind descriptor 3, made new; empty: none
  SandboxLimits limits;
  bool alone = true;  ///< it needs no other programs and writes to no file (not so a compiler)
};

struct SandboxResult {
  enum class End : std::uint8_t {
    exited,       ///< code is its exit status
    signalled,    ///< code is the signal
    forbidden,    ///< it tried what the filter refuses; it was ended
    out_of_time,  ///< it was ended
    out_of_room,  ///< more output or larger files than allowed; it was ended
    not_started   ///< code is errno
  };
  End end = End::not_started;
  int code = 0;
  std::string output;  ///< both streams, up to the limit
  double seconds = 0;
};

SandboxResult run_in_sandbox(const SandboxRequest& request);

/// What this kernel has.
struct SandboxWalls {
  bool landlock = false;
  bool seccomp = false;
};
SandboxWalls sandbox_walls();

}  // namespace whybits::course
