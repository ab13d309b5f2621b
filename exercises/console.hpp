// Lines that a learner types, and a pause that ends early when one comes.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace whybits::course {

class Console {
 public:
  virtual ~Console() = default;
  /// The next line without its end; nullopt at the end of input.
  virtual std::optional<std::string> line() = 0;
  /// Waits at most so long for a line. False if none came.
  virtual bool wait(std::chrono::milliseconds time) = 0;
};

/// Standard input. At its end wait() only waits.
class StandardConsole : public Console {
 public:
  std::optional<std::string> line() override;
  bool wait(std::chrono::milliseconds time) override;

 private:
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace whybits::course
