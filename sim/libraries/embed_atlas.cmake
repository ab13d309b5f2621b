# The choice atlas of cuBLASLt as a source file: every atlas/*.tsv a string literal of known length,
# which a compiler need not count.
file(GLOB atlas_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/libraries/cublaslt/atlas/*.tsv)
set(entries "")
foreach(file IN LISTS atlas_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"atlas(${text})atlas\"sv},\n")
endforeach()
set(atlas_source ${CMAKE_CURRENT_BINARY_DIR}/cublaslt_atlas_files.cpp)
string(CONCAT atlas_text
  "#include \"sim/libraries/cublaslt/atlas_files.hpp\"\n\n"
  "namespace whybits::cublaslt {\n\nusing namespace std::string_view_literals;\n\n"
  "std::span<const EmbeddedAtlas> embedded_atlases() {\n"
  "  static constexpr EmbeddedAtlas files[] = {\n${entries}  };\n"
  "  return files;\n}\n\n"
  "}  // namespace whybits::cublaslt\n")
file(CONFIGURE OUTPUT ${atlas_source} CONTENT "${atlas_text}" @ONLY)
list(APPEND sources ${atlas_source})
# Longer than the 65,536 characters that every compiler must take; ours take more.
set_source_files_properties(${atlas_source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
