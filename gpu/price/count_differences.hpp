// How many 16-bit words of two arrays on the device differ.
#pragma once

#include <cstdint>

struct CUstream_st;  // what a cudaStream_t points to

namespace whybits::gpu {

/// Adds to *differ, on the stream, how many of `count` words differ. Pointers to device memory.
void count_differences(const std::uint16_t* a, const std::uint16_t* b, std::uint64_t count,
                       unsigned long long* differ, CUstream_st* stream);

}  // namespace whybits::gpu
