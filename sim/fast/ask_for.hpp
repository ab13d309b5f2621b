// Memory that is to be read soon.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whybits::fast {

/// Fetches it; nothing happens where the compiler cannot say so.
inline void ask_for([[maybe_unused]] const std::byte* memory,
                    [[maybe_unused]] std::uint64_t bytes) {
#if defined(__GNUC__)
  constexpr std::uint64_t cache_line = 64;
  for (std::uint64_t i = 0; i < bytes; i += cache_line) __builtin_prefetch(memory + i);
#endif
}

}  // namespace whybits::fast
