#include "tests/benchmarks/timing.hpp"

#include <algorithm>
#include <ctime>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#endif

namespace whybits::bench {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double thread_seconds() {
  return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double process_seconds() {
  return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_seconds() {
  return seconds(CLOCK_MONOTONIC);
}

Timing median(const std::vector<Timing>& samples) {
  std::vector<double> cpu, wall, all_cpu, instructions;
  for (const Timing& sample : samples) {
    cpu.push_back(sample.cpu);
    wall.push_back(sample.wall);
    all_cpu.push_back(sample.all_cpu);
    if (sample.instructions) instructions.push_back(*sample.instructions);
  }
  Timing middle{median_of(cpu), median_of(wall), {}, median_of(all_cpu)};
  if (instructions.size() == samples.size()) middle.instructions = median_of(instructions);
  return middle;
}

#ifdef __linux__
InstructionCounter::InstructionCounter() {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  file_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0UL));
  if (file_ < 0) missing_ = std::string("perf_event_open: ") + std::strerror(errno);
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) close(file_);
}

std::optional<std::uint64_t> InstructionCounter::read() const {
  std::uint64_t count = 0;
  if (file_ < 0 || ::read(file_, &count, sizeof count) != sizeof count) return std::nullopt;
  return count;
}
#else
InstructionCounter::InstructionCounter() : missing_("only Linux's perf_event_open is used") {}
InstructionCounter::~InstructionCounter() = default;
std::optional<std::uint64_t> InstructionCounter::read() const {
  return std::nullopt;
}
#endif

const InstructionCounter& instruction_counter() {
  thread_local const InstructionCounter counter;
  return counter;
}

}  // namespace whybits::bench
