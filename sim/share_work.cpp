#include "sim/share_work.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace whybits {
namespace {

/// False if the system gives no more threads: those that run share the work.
template <class Work>
bool started(std::vector<std::jthread>& threads, const Work& work) {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

unsigned thread_count(unsigned wanted) {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

void share_work(std::uint64_t pieces, unsigned threads, const std::stop_token& stop,
                const std::function<std::function<void(std::uint64_t)>()>& worker) {
  std::atomic<std::uint64_t> next{0};
  std::mutex reporting;
  std::exception_ptr error;
  const auto work = [&] {
    const DefaultFloatEnvironment environment;
    try {
      const std::function<void(std::uint64_t)> piece = worker();
      for (;;) {
        const std::uint64_t i = next++;
        if (i >= pieces || stop.stop_requested()) return;
        piece(i);
      }
    } catch (...) {
      const std::lock_guard lock(reporting);
      if (!error) error = std::current_exception();
      next = pieces;
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::uint64_t wanted = std::min<std::uint64_t>(threads, pieces);
    while (helpers.size() + 1 < wanted && started(helpers, work)) {
    }
    work();
  }
  if (error) std::rethrow_exception(error);
}

void share_work(std::uint64_t pieces, unsigned threads,
                const std::function<void(std::uint64_t)>& piece) {
  share_work(pieces, threads, {}, [&] { return piece; });
}

}  // namespace whybits
