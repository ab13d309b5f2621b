# One executable per tests/fuzz/fuzz_NAME.cpp. clang links libFuzzer; other compilers link our own
# driver, which replays and mutates the corpus. ctest runs each for a few seconds on
# tests/fuzz/corpus/NAME (label full), with tests/fuzz/NAME.dict when there is one.

add_custom_target(whybits_fuzzers)
file(GLOB stale_scripts ${CMAKE_CURRENT_BINARY_DIR}/fuzz/*.sh)  # of targets that are gone
if(stale_scripts)
  file(REMOVE ${stale_scripts})
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.cpp)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target ${source} NAME_WE)
  string(REPLACE "fuzz_" "" name ${target})
  set(target whybits_${target})
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  set(dictionary ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict)

  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE whybits_viz_model whybits::exercises whybits_warnings)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
  else()
    target_sources(${target} PRIVATE support/fuzz_driver.cpp)
  endif()
  add_dependencies(whybits_fuzzers ${target})

  # libFuzzer writes what it finds into the first directory: a scratch one, not the source tree.
  set(scratch ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
  file(MAKE_DIRECTORY ${scratch})
  set(arguments -seed=1 -max_len=4096)
  if(EXISTS ${dictionary})
    list(APPEND arguments -dict=${dictionary})
  endif()
  list(APPEND arguments ${scratch})
  if(EXISTS ${corpus})
    list(APPEND arguments ${corpus})
  endif()
  add_test(NAME fuzz.${name} COMMAND ${target} -max_total_time=5 ${arguments}
    WORKING_DIRECTORY ${scratch})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS full TIMEOUT 120)
  # scripts/test runs this one for minutes: fuzz_NAME.sh SECONDS
  list(JOIN arguments "' '" quoted)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name}.sh CONTENT
"#!/bin/sh
cd '${scratch}' && exec '$<TARGET_FILE:${target}>' -max_total_time=\"$1\" '${quoted}'
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
