# Finds MPI, or says in one line what was left out. Sets WHYBITS_MPI_FOUND.

set(WHYBITS_MPI_FOUND OFF)
if(NOT WHYBITS_MPI)
  message(STATUS "whybits: built without the MPI engine (WHYBITS_MPI=OFF)")
  return()
endif()

set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is used
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(WHYBITS_MPI_FOUND ON)
  return()
endif()

set(remedy "install libopenmpi-dev and openmpi-bin (scripts/setup does)")
if(NOT WHYBITS_MPI STREQUAL "AUTO")
  message(FATAL_ERROR "WHYBITS_MPI=${WHYBITS_MPI} but there is no MPI: ${remedy}")
endif()
message(STATUS "whybits: left out: the MPI engine (no MPI). To get it, ${remedy}")
