#include "gpu/nccl/library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "gpu/not_available.hpp"

namespace whybits::gpu {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw NotAvailable(std::string("the NCCL library has no function ") + name);
}

}  // namespace

NcclLibrary::NcclLibrary(const std::string& file) {
  // Never closed: NCCL's threads outlive its communicators.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw NotAvailable("no NCCL here: " + std::string(dlerror()) +
                       "; install libnccl2, or name its file with --library");
  find(library, "ncclGetVersion", get_version);
  find(library, "ncclGetErrorString", get_error_string);
  find(library, "ncclCommInitAll", comm_init_all);
  find(library, "ncclCommDestroy", comm_destroy);
  find(library, "ncclGroupStart", group_start);
  find(library, "ncclGroupEnd", group_end);
  find(library, "ncclAllReduce", all_reduce);
}

void NcclLibrary::check(int result, const char* call) const {
  if (result != 0) throw std::runtime_error(std::string(call) + ": " + get_error_string(result));
}

}  // namespace whybits::gpu
