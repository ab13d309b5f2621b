#include "tests/benchmarks/single_steps.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>

#include <csignal>

namespace whybits::bench {
namespace {

volatile std::sig_atomic_t stepping = 0;
volatile std::uint64_t steps = 0;

/// Comes after every instruction while the trap flag is set.
void on_trap(int, siginfo_t*, void* context) {
  constexpr greg_t trap_flag = 0x100;
  greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  if (stepping != 0) {
    flags |= trap_flag;
    steps = steps + 1;
  } else {
    flags &= ~trap_flag;
  }
}

std::uint64_t stepped(const std::function<void()>& work) {
  steps = 0;
  stepping = 1;
  std::raise(SIGTRAP);  // the handler sets the flag
  work();
  stepping = 0;  // … and clears it at the next instruction
  return steps;
}

}  // namespace

std::optional<std::uint64_t> count_instructions(const std::function<void()>& work) {
  struct sigaction handler{};
  struct sigaction before{};
  handler.sa_sigaction = on_trap;
  handler.sa_flags = SA_SIGINFO;
  sigemptyset(&handler.sa_mask);
  if (sigaction(SIGTRAP, &handler, &before) != 0) return std::nullopt;
  const std::uint64_t around = stepped([] {});
  const std::uint64_t all = stepped(work);
  sigaction(SIGTRAP, &before, nullptr);
  if (all <= around) return std::nullopt;
  return all - around;
}

}  // namespace whybits::bench
#else
namespace whybits::bench {

std::optional<std::uint64_t> count_instructions(const std::function<void()>&) {
  return std::nullopt;
}

}  // namespace whybits::bench
#endif
