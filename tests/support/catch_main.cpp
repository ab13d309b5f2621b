// Compiled only with a Catch2 version 2 that was installed without its library.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
