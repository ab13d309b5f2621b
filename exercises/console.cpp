#include "exercises/console.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

namespace whybits::course {

std::optional<std::string> StandardConsole::line() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string text = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (text.ends_with('\r')) text.pop_back();
      return text;
    }
    if (ended_) {
      if (buffer_.empty()) return std::nullopt;
      return std::exchange(buffer_, {});
    }
    std::array<char, 4096> bytes{};
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got > 0)
      buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      ended_ = true;
  }
}

bool StandardConsole::wait(std::chrono::milliseconds time) {
  if (buffer_.find('\n') != std::string::npos) return true;
  if (ended_) {
    std::this_thread::sleep_for(time);
    return false;
  }
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace whybits::course
