#include <stdexcept>
#include <string>

#include "gpu/cuda_error.cuh"
#include "gpu/kernels/tensor_map.cuh"

namespace whybits::gpu {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode driver_encode() {
  constexpr unsigned since = 12000;  // CUDA version of this form of the function
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since,
                                         cudaEnableDefault, &result),
        "cudaGetDriverEntryPointByVersion");
  if (result != cudaDriverEntryPointSuccess || function == nullptr)
    throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
  return reinterpret_cast<Encode>(function);
}

/// The engine moves bits: unsigned words of the element's width keep it from touching values.
CUtensorMapDataType words_of(std::uint32_t bytes) {
  return bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
         : bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                      : CU_TENSOR_MAP_DATA_TYPE_UINT32;
}

CUtensorMapSwizzle swizzle_of(std::uint32_t bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                       : CU_TENSOR_MAP_SWIZZLE_32B;
}

CUtensorMapL2promotion promotion_of(std::uint32_t bytes) {
  return bytes == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
         : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                        : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

}  // namespace

CUtensorMap tensor_map(const TensorBox& box) {
  static const Encode encode = driver_encode();
  CUtensorMap map{};
  const cuuint64_t extents[] = {box.k, box.rows};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(box.ld) * box.element_bytes};
  const cuuint32_t part[] = {box.box_k, box.box_rows};
  const cuuint32_t steps[] = {1, 1};
  const CUresult result =
      encode(&map, words_of(box.element_bytes), 2, const_cast<void*>(box.matrix), extents, strides,
             part, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(box.swizzle),
             promotion_of(box.promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw std::runtime_error("cuTensorMapEncodeTiled refuses: error " + std::to_string(result));
  return map;
}

}  // namespace whybits::gpu
