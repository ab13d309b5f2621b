// A loop over independent indices on several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace whybits {

/// Calls work(i) for 0 ≤ i < count, each once, from up to `threads` threads. What a call throws
/// ends the loop and is thrown again.
void parallel_for(std::uint64_t count, unsigned threads,
                  const std::function<void(std::uint64_t)>& work);

}  // namespace whybits
