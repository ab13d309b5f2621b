#include "lab/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace whybits {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  if (!terminal_ || total_ == 0 || now - start_ < 1s || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  constexpr int width = 30;
  const int full = static_cast<int>(share * width);
  const std::string bar = std::string(static_cast<std::size_t>(full), '#') +
                          std::string(static_cast<std::size_t>(width - full), '.');
  const std::string left =
      share > 0 ? fmt::format("  {:.0f} s left", elapsed * (1 - share) / share) : std::string();
  const std::string line =
      fmt::format("\r\x1b[K{} [{}] {:3.0f} %{}", what_, bar, 100 * share, left);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace whybits
