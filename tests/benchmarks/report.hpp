// A table for people and JSON for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {

void print_table(const Results& results);
nlohmann::json json_of(const Results& results);

}  // namespace whybits::bench
