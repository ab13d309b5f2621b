// Any bytes either are refused with UsageError or hold the tensor "w", whose data is all there.
#include <cstdlib>
#include <sstream>

#include "lab/tensor_file.hpp"
#include "lab/usage_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whybits;
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const TensorLayout layout = safetensors_layout(file, "fuzz", "w");
    if (layout.data_offset + layout.data_bytes() > size) std::abort();
    const Format format = tensor_format(layout, std::nullopt, "fuzz");
    if (read_tensor(file, layout, format, "fuzz").size() != layout.elements) std::abort();
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
