// Counts instructions without a processor's counters: by stepping through every one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace whybits::bench {

/// How many instructions of this thread `work` takes: the same in every run, whatever else the
/// machine does. A microsecond or more for each. Nothing where this machine cannot (it is done by
/// x86's trap flag under Linux). Not for use by two threads at once.
std::optional<std::uint64_t> count_instructions(const std::function<void()>& work);

}  // namespace whybits::bench
