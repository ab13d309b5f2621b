// Results of a probe as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/probe/probe.hpp"

namespace whybits {

/// One instruction: mismatches for each kind of data and question, what the controls get wrong, and
/// examples.
std::string probe_text(const ProbeResult& result);
/// The same with every vector and the device's answer.
nlohmann::ordered_json probe_json(const ProbeResult& result);
/// A line for each instruction, and the sum.
std::string probe_summary(const std::vector<ProbeResult>& results);

}  // namespace whybits
