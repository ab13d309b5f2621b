# Wrong builds that must be refused, at configure time or by the self-test of the floating-point
# environment. Without them a self-test that always says "ok" would go unseen.

add_test(NAME control.fast_math_is_refused_at_configure COMMAND ${CMAKE_COMMAND}
  -S ${PROJECT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/control-fast-math
  -G ${CMAKE_GENERATOR} -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  -D CMAKE_CXX_FLAGS=-ffast-math -D WHYBITS_CUDA=OFF -D WHYBITS_TESTS=OFF)
set_tests_properties(control.fast_math_is_refused_at_configure PROPERTIES
  LABELS full TIMEOUT 120 PASS_REGULAR_EXPRESSION "asks for fast math")

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR WHYBITS_SANITIZE)
  return()
endif()

# The self-test compiled so that a*b+c becomes one fma.
add_executable(whybits_control_contracted
  controls/expect_refusal.cpp ${PROJECT_SOURCE_DIR}/sim/fp_environment.cpp)
target_compile_options(whybits_control_contracted PRIVATE -O2 -mfma -ffp-contract=fast)
add_test(NAME control.contraction_is_noticed
  COMMAND whybits_control_contracted "a*b + c is not contracted")

# Compiled strictly, linked with fast math: start-up code then flushes subnormals.
add_executable(whybits_control_flushed
  controls/expect_refusal.cpp ${PROJECT_SOURCE_DIR}/sim/fp_environment.cpp)
target_compile_options(whybits_control_flushed PRIVATE -ffp-contract=off)
target_link_options(whybits_control_flushed PRIVATE -ffast-math)
add_test(NAME control.fast_math_at_link_time_is_noticed
  COMMAND whybits_control_flushed "subnormal")

foreach(control contracted flushed)
  target_include_directories(whybits_control_${control} PRIVATE ${PROJECT_SOURCE_DIR})
endforeach()
set_tests_properties(control.contraction_is_noticed control.fast_math_at_link_time_is_noticed
  PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77)
