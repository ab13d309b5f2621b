# Tests of the program whybits-viz: its views in a Catch2 room of their own, the program itself by
# running it. Label gui: what needs EGL with Mesa and the fonts of scripts/setup.
whybits_add_tests(visualizer_app LIBRARIES whybits_viz_app)

add_test(NAME visualizer.self_test COMMAND whybits-viz --self-test)
set_tests_properties(visualizer.self_test PROPERTIES LABELS full TIMEOUT 900)
add_test(NAME visualizer.ten_thousand_random_actions
  COMMAND whybits-viz --self-test --actions 10000)
set_tests_properties(visualizer.ten_thousand_random_actions PROPERTIES LABELS full TIMEOUT 3600)

# Without a display: one line on stderr, exit code 3.
add_test(NAME visualizer.no_display COMMAND ${CMAKE_COMMAND}
  -D VIZ=$<TARGET_FILE:whybits-viz> -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/no_display_test.cmake)
set_tests_properties(visualizer.no_display PROPERTIES LABELS quick TIMEOUT 120)

file(GLOB golden CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/visualizer_app/golden/*.png)
foreach(picture IN LISTS golden)
  get_filename_component(preset ${picture} NAME_WE)
  add_test(NAME visualizer.picture.${preset}
    COMMAND whybits-viz --preset ${preset} --size 1280x800 --expect ${picture})
  set_tests_properties(visualizer.picture.${preset} PROPERTIES LABELS gui TIMEOUT 300)
endforeach()
# The control: another preset's picture must not pass.
if(golden)
  list(GET golden 0 picture)
  add_test(NAME visualizer.picture.another_preset_is_another_picture
    COMMAND whybits-viz --preset tie-2049 --size 1280x800 --expect ${picture})
  set_tests_properties(visualizer.picture.another_preset_is_another_picture
    PROPERTIES LABELS gui TIMEOUT 300 WILL_FAIL ON)
endif()
