# Runs whybits_bench at small sizes and checks that programs can read what it says. No figure is
# tested: they belong to a machine and a moment.
#
#   cmake -D BENCH=PROGRAM -P bench_test.cmake

cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${BENCH} --quick --json
  OUTPUT_VARIABLE report ERROR_VARIABLE messages RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "whybits_bench --quick --json ended with ${status}\n${messages}")
endif()
foreach(field whybits_bench processor instruction_set openblas instruction_counter load_average runs)
  string(JSON value GET "${report}" ${field})
endforeach()

string(JSON count LENGTH "${report}" results)
set(groups "")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON line GET "${report}" results ${i})
  foreach(field name group item peer note)
    string(JSON type TYPE "${line}" ${field})
    if(NOT type STREQUAL STRING)
      message(FATAL_ERROR "'${field}' is a ${type} in ${line}")
    endif()
  endforeach()
  foreach(field rate peer_rate ratio)
    string(JSON type TYPE "${line}" ${field})
    string(JSON value GET "${line}" ${field})
    if(NOT type STREQUAL NUMBER OR NOT value GREATER 0)
      message(FATAL_ERROR "'${field}' is no number above 0 in ${line}")
    endif()
  endforeach()
  string(JSON group GET "${line}" group)
  list(APPEND groups ${group})
endforeach()

list(REMOVE_DUPLICATES groups)
set(expected weights topologies threads single_instructions
  exact_sums exact_products evaluator arithmetic trees rows collectives)
string(JSON openblas GET "${report}" openblas)
if(NOT openblas MATCHES "^not found")
  list(APPEND expected matrix_products)
endif()
foreach(group IN LISTS expected)
  if(NOT group IN_LIST groups)
    message(FATAL_ERROR "no line of the group ${group}")
  endif()
endforeach()

foreach(wrong "--isa;AVX9" "--runs;0" "no_such_group")
  execute_process(COMMAND ${BENCH} ${wrong}
    OUTPUT_QUIET ERROR_VARIABLE messages RESULT_VARIABLE status)
  if(NOT status EQUAL 2)
    message(FATAL_ERROR "whybits_bench ${wrong} ended with ${status}, not 2\n${messages}")
  endif()
endforeach()
message(STATUS "${count} lines")
