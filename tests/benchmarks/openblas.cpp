#include "tests/benchmarks/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "sim/fast/kernels/kernels.hpp"

namespace whybits::bench {
namespace {

/// The core type of OpenBLAS with as wide vectors; null: it chooses by the processor.
const char* core_type(std::string_view instruction_set) {
  if (instruction_set.starts_with("AVX3")) return "SkylakeX";
  if (instruction_set == "AVX2") return "Haswell";
  if (instruction_set.starts_with("SSE")) return "Nehalem";
  return nullptr;
}

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

OpenBlas::OpenBlas() {
  const fast::Kernels* kernels = fast::kernels();
  if (const char* core = kernels ? core_type(kernels->name) : nullptr)
    setenv("OPENBLAS_CORETYPE", core, 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    core_ = "not found (Debian: libopenblas0-pthread)";
    return;
  }
  sgemm_ = symbol<Sgemm>(library, "sgemm_");
  const auto name = symbol<const char* (*)()>(library, "openblas_get_corename");
  core_ = sgemm_ == nullptr ? "without sgemm_" : name ? name() : "of an unknown core type";
}

const OpenBlas& OpenBlas::get() {
  static const OpenBlas only;
  return only;
}

void OpenBlas::sgemm(int m, int n, int k, const float* a, const float* b, float* c) const {
  // Fortran's matrices are columns first: row-major c is its b'·a'.
  const float one = 1, zero = 0;
  sgemm_("N", "N", &n, &m, &k, &one, b, &n, a, &k, &zero, c, &n);
}

}  // namespace whybits::bench
