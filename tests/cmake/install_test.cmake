# Run by ctest: installs BUILD_DIR into a fresh prefix, then configures, builds and runs the
# consumer project against it. cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D WORK_DIR=... -P this

function(run_step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
run_step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
# Headers lie under a root of whybits' own: include/sim or include/lab might be anybody's.
file(GLOB roots RELATIVE ${prefix}/include ${prefix}/include/*)
if(NOT roots STREQUAL "whybits" OR NOT EXISTS ${prefix}/include/whybits/sim/format.hpp)
  message(FATAL_ERROR "include/ must hold whybits/ and nothing else, but holds: ${roots}")
endif()
run_step(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/consumer -B ${WORK_DIR}/build
  -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_CXX_FLAGS=${CXX_FLAGS}
  -D CMAKE_PREFIX_PATH=${prefix})
run_step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run_step(${WORK_DIR}/build/consumer)
execute_process(COMMAND ${WORK_DIR}/build/sum OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${SOURCE_DIR}/docs/library.md document)
string(FIND "${document}" "```text\n${printed}```" position)
if(position EQUAL -1)
  message(FATAL_ERROR "docs/library.md does not show what tests/consumer/sum.cpp prints:\n${printed}")
endif()
run_step(${prefix}/bin/whybits --version)
