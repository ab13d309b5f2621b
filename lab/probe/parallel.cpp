#include "lab/probe/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace whybits {

void parallel_for(std::uint64_t count, unsigned threads,
                  const std::function<void(std::uint64_t)>& work) {
  constexpr std::uint64_t at_once = 8;  // indices that a thread takes
  std::atomic<std::uint64_t> next{0};
  std::mutex failing;
  std::exception_ptr error;
  const auto run = [&] {
    for (;;) {
      const std::uint64_t first = next.fetch_add(at_once);
      if (first >= count) return;
      try {
        for (std::uint64_t i = first; i < std::min(first + at_once, count); ++i) work(i);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (!error) error = std::current_exception();
        next = count;
        return;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const std::uint64_t useful = std::min<std::uint64_t>(threads, count / at_once + 1);
    try {
      for (std::uint64_t t = 1; t < useful; ++t) others.emplace_back(run);
    } catch (const std::system_error&) {
      // The system gives no more threads: those that run share the work with this one.
      run();
    }
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace whybits
