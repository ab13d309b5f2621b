#pragma once

#include <stdexcept>

namespace whybits::gpu {

/// What was asked for needs a GPU, a driver or a compute capability that is not here. A normal
/// state of a machine: commands say it in one line and end with exit code 3.
struct NotAvailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace whybits::gpu
