// OpenBLAS as a peer, found at run time only: neither building nor running needs it.
#pragma once

#include <string>

namespace whybits::bench {

class OpenBlas {
 public:
  /// Loads libopenblas.so.0 for one thread, with the kernels of the instruction set that the
  /// optimized evaluator is pinned to. Later calls give the same.
  static const OpenBlas& get();

  bool found() const { return sgemm_ != nullptr; }
  /// The core type whose kernels run ("SkylakeX"), or why there are none.
  const std::string& core() const { return core_; }

  /// c = a·b, row-major: m×k, k×n. Precondition: found().
  void sgemm(int m, int n, int k, const float* a, const float* b, float* c) const;

 private:
  OpenBlas();

  using Sgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const float*,
                         const float*, const int*, const float*, const int*, const float*, float*,
                         const int*);
  Sgemm sgemm_ = nullptr;
  std::string core_;
};

}  // namespace whybits::bench
