# The floating-point model, for host and device, in one target. Everything that computes links it,
# and it is exported: a consumer that inlines our headers computes by the same rules.
#
# g++ contracts a*b+c into an fma wherever the processor has one, even written with intrinsics;
# nvcc does by default. Here kernels and code ask for an fma by name or get none.

add_library(whybits_fp INTERFACE)
add_library(whybits::fp ALIAS whybits_fp)
set_target_properties(whybits_fp PROPERTIES EXPORT_NAME fp)

set(WHYBITS_FP_FLAGS -ffp-contract=off -fno-fast-math)
target_compile_features(whybits_fp INTERFACE cxx_std_20)
target_compile_options(whybits_fp INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${WHYBITS_FP_FLAGS}>"
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>
  $<$<COMPILE_LANGUAGE:CUDA>:-ftz=false>
  $<$<COMPILE_LANGUAGE:CUDA>:-prec-div=true>
  $<$<COMPILE_LANGUAGE:CUDA>:-prec-sqrt=true>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>)

# At link time too: g++ adds start-up code that flushes subnormals to zero for the whole process.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
foreach(flags CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_${build_type} CMAKE_EXE_LINKER_FLAGS)
  if("${${flags}}" MATCHES "-Ofast|-ffast-math|-funsafe-math|-fassociative-math|-freciprocal-math")
    message(FATAL_ERROR "${flags} = '${${flags}}' asks for fast math. whybits predicts bits and "
                        "cannot be built so. Remove '${CMAKE_MATCH_0}'.")
  endif()
endforeach()
