#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/catch.hpp"
#include "visualizer/model/worker.hpp"

using namespace whybits::viz;

namespace {

using IntWorker = Worker<int, int>;

/// Waits for a condition that another thread will make true.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 20000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

}  // namespace

TEST_CASE("the result is that of the newest state, outdated work is stopped") {
  std::atomic<int> begun = 0, stopped = 0;
  IntWorker worker([&](int state, const std::stop_token& stop, const ReportProgress&) {
    ++begun;
    if (state < 0)  // work without end, until stopped
      while (!stop.stop_requested()) std::this_thread::yield();
    if (stop.stop_requested()) {
      ++stopped;
      return std::shared_ptr<const int>();
    }
    return std::make_shared<const int>(state * 2);
  });
  worker.ask(-1);
  REQUIRE(eventually([&] { return begun == 1; }));
  CHECK(worker.latest() == nullptr);
  CHECK(worker.progress().busy);
  for (int i = 1; i <= 100; ++i) worker.ask(i);
  worker.wait();
  CHECK(worker.current());
  CHECK(*worker.latest() == 200);
  CHECK(stopped >= 1);
  // States in between are not all begun: the newest wins.
  worker.ask(7);
  worker.wait();
  CHECK(*worker.latest() == 14);
  CHECK_FALSE(worker.progress().busy);
}

TEST_CASE("a computation that throws is answered by its error, and the next one works") {
  IntWorker worker([](int state, const std::stop_token&, const ReportProgress&) {
    if (state == 1) throw std::runtime_error("one");
    return std::make_shared<const int>(state);
  });
  worker.ask(1);
  worker.wait();
  CHECK(worker.error() != nullptr);
  CHECK(worker.latest() == nullptr);
  worker.ask(2);
  worker.wait();
  CHECK(worker.error() == nullptr);
  CHECK(*worker.latest() == 2);
}

TEST_CASE("a worker that is destroyed stops what it computes") {
  std::atomic<bool> begun = false, stopped = false;
  {
    IntWorker worker([&](int, const std::stop_token& stop, const ReportProgress&) {
      begun = true;
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
      return std::shared_ptr<const int>();
    });
    worker.ask(1);
    REQUIRE(eventually([&] { return begun.load(); }));
  }
  CHECK(stopped);
}
