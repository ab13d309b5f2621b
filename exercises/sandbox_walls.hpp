// What a child process puts around itself between fork and exec. Only system calls are made here.
#pragma once

#include <filesystem>

namespace whybits::course {

/// Version of Landlock's interface, 0 without it.
int landlock_version();

/// Prepared by the parent, because a child of a process with threads may not allocate.
class Landlock {
 public:
  /// Files can be written below `folder`, and to /dev/null.
  explicit Landlock(const std::filesystem::path& folder);
  ~Landlock();
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  bool ready() const { return ruleset_ >= 0; }
  /// False if the kernel refused.
  bool enter() const;

 private:
  int ruleset_ = -1;
};

bool seccomp_available();
/// No new processes, sockets, signals to others, files opened for writing, or renamed, or removed:
/// SIGSYS ends the program that tries.
bool enter_seccomp();
/// execve that the filter lets pass; returns only if it fails.
void execute_marked(const char* path, char* const* argv, char* const* environment);

}  // namespace whybits::course
