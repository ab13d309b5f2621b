# whybits_embed(NAME FILES...) makes NAME.cpp, which defines std::span<const EmbeddedFile> NAME()
# with the files' text (visualizer/model/embedded.hpp), so that the program is one file.
set(WHYBITS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)

function(whybits_embed name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}.list)
  list(JOIN ARGN "\n" lines)
  file(GENERATE OUTPUT ${list} CONTENT "${lines}\n")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D LIST=${list} -D OUTPUT=${output}
      -P ${WHYBITS_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${list} ${WHYBITS_EMBED_SCRIPT}
    COMMENT "Embedding ${name}" VERBATIM)
endfunction()
