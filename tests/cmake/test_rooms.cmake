# whybits_add_tests(ROOM LIBRARIES targets...)
#
# One executable whybits_test_ROOM from tests/ROOM/test_*.cpp. Every TEST_CASE becomes a ctest entry
# "ROOM.name". Tiers are Catch tags: untagged cases are labelled quick, [.full] full, [.long] long,
# [.gpu] gpu: these run kernels and are skipped, not failed, where that is impossible.

add_library(whybits_catch INTERFACE)
if(TARGET Catch2::Catch2WithMain)
  target_link_libraries(whybits_catch INTERFACE Catch2::Catch2WithMain)
else()
  add_library(whybits_catch_main OBJECT support/catch_main.cpp)
  target_link_libraries(whybits_catch_main PUBLIC Catch2::Catch2)
  target_link_libraries(whybits_catch INTERFACE whybits_catch_main Catch2::Catch2)
  target_sources(whybits_catch INTERFACE $<TARGET_OBJECTS:whybits_catch_main>)
endif()

function(whybits_add_tests room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/test_*.cpp)
  if(NOT sources)
    return()
  endif()
  whybits_refuse_semicolons(${sources})
  set(target whybits_test_${room})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} whybits_fp whybits_warnings whybits_catch)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${WHYBITS_XXHASH_INCLUDE_DIR})
  target_compile_definitions(${target} PRIVATE
    WHYBITS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" XXH_INLINE_ALL)
  # Catch2 is slow to compile, and its assertions are no hot loop.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)

  # Without optimisation, or with sanitizers, everything takes about ten times as long.
  set(quick_timeout 120)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    set(quick_timeout 900)
  endif()
  whybits_discover_tier(${target} ${room} quick ${quick_timeout})
  foreach(tier_and_timeout full:900 long:7200 gpu:600)
    string(REPLACE ":" ";" pair ${tier_and_timeout})
    list(GET pair 0 tier)
    list(GET pair 1 timeout)
    whybits_sources_mention("[.${tier}]" mentioned ${sources})
    if(mentioned)
      whybits_discover_tier(${target} ${room} ${tier} ${timeout})
    endif()
  endforeach()
endfunction()

# CMake takes a name with a semicolon for two, neither of which Catch2 finds: the test would pass
# without having run.
function(whybits_refuse_semicolons)
  foreach(source IN LISTS ARGN)
    file(READ ${source} content)
    if(content MATCHES "TEST_CASE\\(([ \n]*\"[^\"]*\")*[ \n]*\"[^\"]*;")
      message(FATAL_ERROR "${source}: the name of a test has a semicolon, so that ctest would not run "
        "it; write a comma")
    endif()
  endforeach()
endfunction()

# Catch2 takes "no test matches" for success, so a tier is discovered only where a test names it.
function(whybits_sources_mention text result)
  set(${result} OFF PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  foreach(source IN LISTS ARGN)
    file(READ ${source} content)
    string(FIND "${content}" "${text}" position)
    if(NOT position EQUAL -1)
      set(${result} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(whybits_discover_tier target room tier timeout)
  set(spec "[${tier}]")
  if(tier STREQUAL "quick")
    set(spec "")
  endif()
  catch_discover_tests(${target}
    TEST_SPEC ${spec}
    TEST_PREFIX "${room}."
    TEST_LIST ${target}_${tier}
    PROPERTIES LABELS ${tier} TIMEOUT ${timeout} SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()
