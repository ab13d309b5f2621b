# NVIDIA's number headers (cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, cuda_fp4.h) also work in plain C++:
# a second opinion on conversions, without a GPU and without nvcc.

find_path(WHYBITS_NUMBER_HEADERS cuda_fp8.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} PATHS /usr/local/cuda/include /opt/cuda/include)
mark_as_advanced(WHYBITS_NUMBER_HEADERS)
if(WHYBITS_NUMBER_HEADERS)
  target_include_directories(whybits_test_sim SYSTEM PRIVATE ${WHYBITS_NUMBER_HEADERS})
  target_compile_definitions(whybits_test_sim PRIVATE WHYBITS_NUMBER_HEADERS)
else()
  message(STATUS "whybits: left out: tests against NVIDIA's number headers (no cuda_fp8.h). "
                 "To get them, install the CUDA Toolkit; -D WHYBITS_NUMBER_HEADERS=DIR names its include folder")
endif()
