# Warnings for our own sources. Linked privately by our targets, never exported.

add_library(whybits_warnings INTERFACE)
set(warnings
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2 -Wimplicit-fallthrough
  -Wundef -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND warnings -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
else()
  # Branch-free rounding combines bools with & and | on purpose.
  list(APPEND warnings -Wno-bitwise-instead-of-logical)
  # clang sees std::stable_sort of libstdc++ 12 call std::get_temporary_buffer, deprecated in C++17.
  list(APPEND warnings -Wno-deprecated-declarations)
endif()
if(CMAKE_UNITY_BUILD)
  # In a group of sources the names of one file are around in the next; file by file it is checked.
  list(APPEND warnings -Wno-shadow)
endif()
if(WHYBITS_WERROR)
  list(APPEND warnings -Werror)
endif()
target_compile_options(whybits_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
