// The few functions of NCCL that are used, found in the library at run time. Declared here so that
// building needs no nccl.h; names, enumerators and signatures are NCCL 2's stable interface.
#pragma once

#include <cstddef>
#include <string>

struct CUstream_st;  // cudaStream_t points to it; named so, this header needs no CUDA toolkit

namespace whybits::gpu {

struct ncclComm;
using NcclComm = ncclComm*;

struct NcclLibrary {
  /// Errors: NotAvailable with the loader's message.
  explicit NcclLibrary(const std::string& file);

  int (*get_version)(int*) = nullptr;
  const char* (*get_error_string)(int) = nullptr;
  int (*comm_init_all)(NcclComm*, int, const int*) = nullptr;
  int (*comm_destroy)(NcclComm) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, NcclComm, CUstream_st*) = nullptr;

  /// Throws std::runtime_error "ncclAllReduce: unhandled system error" unless `result` is success.
  void check(int result, const char* call) const;
};

}  // namespace whybits::gpu
