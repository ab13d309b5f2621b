// Tests of kernels on the GPU of this machine are skipped, not failed, where there is none.
#pragma once

#include <iostream>

#include "gpu/run_kernel.hpp"

namespace whybits::test {

/// Runs `test`; says in one line why not if this machine cannot.
template <class Test>
void on_gpu(Test test) {
  try {
    gpu::gpu_environment();
  } catch (const gpu::NotAvailable& error) {
    std::cout << "SKIPPED: " << error.what() << '\n';
    return;
  }
  test();
}

}  // namespace whybits::test
