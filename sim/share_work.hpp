// Pieces of work dealt to threads.
#pragma once

#include <cfenv>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace whybits {

/// IEEE 754 as written on this thread, whatever its owner has set: a process that flushes
/// subnormals or rounds otherwise gets the same bits. (Threads begin with the registers of their
/// parent.)
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : outermost_(depth_++ == 0) {
    if (!outermost_) return;  // it is so already; asking the processor takes longer than short work
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() {
    --depth_;
    if (outermost_) std::fesetenv(&saved_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  inline static thread_local int depth_ = 0;
  bool outermost_;
  std::fenv_t saved_;
};

/// As many threads as asked for; 0: as the machine has.
unsigned thread_count(unsigned wanted);

/// Calls piece(i) once for every i < pieces. `worker` makes such a function for each thread, with
/// what that thread needs for itself; this thread works too. Threads that the system does not give
/// are done without. When stopped, the remaining pieces are left out. The first exception ends the
/// work and is thrown again here.
void share_work(std::uint64_t pieces, unsigned threads, const std::stop_token& stop,
                const std::function<std::function<void(std::uint64_t)>()>& worker);
/// The same where threads need nothing for themselves.
void share_work(std::uint64_t pieces, unsigned threads,
                const std::function<void(std::uint64_t)>& piece);

}  // namespace whybits
