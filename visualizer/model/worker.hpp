// Background computation: the newest state wins. A thread computes results of states; a state that
// comes while another is computed stops that one; states in between are never begun.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace whybits::viz {

struct WorkProgress {
  bool busy = false;
  double share = 0;    ///< 0 … 1 of the computation under way
  double seconds = 0;  ///< since it began
};

/// How a computation reports: fraction done, from any thread.
using ReportProgress = std::function<void(double)>;

template <class State, class Result>
class Worker {
 public:
  using Compute =
      std::function<std::shared_ptr<const Result>(const State&, std::stop_token, ReportProgress)>;
  /// `wake` is called from the thread after each result: to ask the window for a frame.
  explicit Worker(Compute compute, std::function<void()> wake = {})
      : compute_(std::move(compute)),
        wake_(std::move(wake)),
        thread_([this](std::stop_token stop) { run(stop); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      current_stop_.request_stop();
    }
    thread_.request_stop();
    changed_.notify_all();
  }

  /// Asks for the result of a state. Outdated work is stopped.
  void ask(State state) {
    const std::lock_guard lock(mutex_);
    wanted_ = std::move(state);
    ++asked_;
    current_stop_.request_stop();
    changed_.notify_all();
  }

  /// The newest result that is ready, maybe of an older state; null before the first.
  std::shared_ptr<const Result> latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  /// The newest result is that of the newest state.
  bool current() const {
    const std::lock_guard lock(mutex_);
    return asked_ == answered_;
  }
  WorkProgress progress() const {
    const std::lock_guard lock(mutex_);
    if (asked_ == answered_) return {};
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - began_;
    return {true, share_.load(), since.count()};
  }
  /// Waits until the newest result is that of the newest state: for tests and screenshots.
  void wait() const {
    std::unique_lock lock(mutex_);
    answered_changed_.wait(lock, [&] { return asked_ == answered_; });
  }
  /// What the last computation threw; it counts as answered, `latest` stays.
  std::exception_ptr error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      State state;
      std::uint64_t number = 0;
      std::stop_source source;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [&] { return wanted_.has_value(); });
        if (stop.stop_requested()) return;
        state = std::move(*wanted_);
        wanted_.reset();
        number = asked_;
        current_stop_ = source;
        began_ = std::chrono::steady_clock::now();
        share_ = 0;
      }
      compute(state, number, source);
    }
  }

  void compute(const State& state, std::uint64_t number, const std::stop_source& source) {
    std::shared_ptr<const Result> result;
    std::exception_ptr error;
    try {
      result = compute_(state, source.get_token(), [this](double share) { share_ = share; });
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      if (number != asked_ || source.stop_requested()) return;  // outdated: what it gave is dropped
      if (result) latest_ = std::move(result);
      error_ = error;
      answered_ = number;
    }
    answered_changed_.notify_all();
    if (wake_) wake_();
  }

  Compute compute_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  mutable std::condition_variable answered_changed_;
  std::optional<State> wanted_;
  std::uint64_t asked_ = 0, answered_ = 0;
  std::stop_source current_stop_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<double> share_ = 0;
  std::shared_ptr<const Result> latest_;
  std::exception_ptr error_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace whybits::viz
