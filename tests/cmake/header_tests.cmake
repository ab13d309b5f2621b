# Every header compiles alone, and twice: one generated source per header. Built by its target
# whybits_headers, which scripts/test does; not by default.

set(header_sources "")
get_property(rooms GLOBAL PROPERTY WHYBITS_ROOMS)
foreach(room IN LISTS rooms)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/${room}/*.hpp)
  list(FILTER headers EXCLUDE REGEX "-inl\\.hpp$")  # parts of one source, once an instruction set
  foreach(header IN LISTS headers)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
    set(text "#include \"${header}\"\n#include \"${header}\"  // the guard works\n")
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
    list(APPEND header_sources ${source})
  endforeach()
endforeach()

list(TRANSFORM rooms PREPEND whybits::)
add_library(whybits_headers OBJECT EXCLUDE_FROM_ALL ${header_sources})
target_include_directories(whybits_headers PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(whybits_headers PRIVATE ${rooms} CLI11::CLI11 whybits_warnings)
target_compile_options(whybits_headers PRIVATE -O0)
