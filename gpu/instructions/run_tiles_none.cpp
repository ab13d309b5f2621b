#include "gpu/instructions/run_tiles.hpp"

namespace whybits::gpu {

std::string instruction_compiler() {
  return {};
}

void require_matrix_instructions() {
  throw DeviceError("built without CUDA (CONTRIBUTING.md: cmake --preset cuda)");
}

std::vector<std::uint8_t> run_tiles(const MatrixInstruction&, const TileBatch&) {
  throw DeviceError("built without CUDA");
}

}  // namespace whybits::gpu
