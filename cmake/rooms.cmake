# whybits_add_room(NAME SOURCES... [PUBLIC targets...] [PRIVATE targets...])
#
# A room is a static library whybits_NAME, known as whybits::NAME here and to consumers. Its headers
# lie beside its sources and are included as "NAME/header.hpp", from the source tree as from the
# install tree.
function(whybits_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SOURCES;PUBLIC;PRIVATE")
  set(target whybits_${name})
  add_library(${target} STATIC ${room_SOURCES})
  add_library(whybits::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/whybits>)
  target_link_libraries(${target}
    PUBLIC ${room_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:whybits_warnings> ${room_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY WHYBITS_ROOMS ${name})
endfunction()
