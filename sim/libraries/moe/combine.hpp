// How the outputs of a token's k experts become one: Σ over the k terms, element by element.
//
// vLLM's moe_sum, source read, with a version axis: until June 2026 two to four terms were added in
// the type of the activations, a rounding an add (vllm#15045); since vllm#46643 any number of them
// in f32, rounded once. More than four went to an eager sum before, whose order was not measured.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

struct MoeCombine {
  std::string_view name;
  bool chain;            ///< every add is rounded to the type; else one rounding at the end
  std::uint64_t most_k;  ///< more terms are not known; 0: any number
  std::string_view evidence;
};
std::span<const MoeCombine> moe_combines();
/// Null if there is none of that name.
const MoeCombine* find_moe_combine(std::string_view name);

/// Over k terms, ascending. Errors: ConfigurationError for k = 0, more than it is known for, and
/// types other than f32, f16 and bf16.
SchemaPtr moe_combine_sum(const MoeCombine& combine, std::uint64_t k, const Format& type);

/// The k experts with the largest logits, in that order; of equal ones the lower number first. NaN
/// comes last. Precondition: k ≤ the number of logits, codes of `format`.
std::vector<std::uint32_t> top_experts(const Format& format, std::span<const Bits> logits,
                                       std::uint64_t k);

}  // namespace whybits
