// From the algorithm of an all-reduce to the topology of every element, for any number of ranks.
//
// NCCL's own partition of a message over channels is in sim/libraries/nccl; these are the plain
// algorithms, as textbooks and MPI libraries have them, and the kernels of inference engines.
// docs/allreduce.md names the source of each and what was compared with a real library.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/builders/binary_tree.hpp"
#include "sim/recipe.hpp"
#include "sim/reduce_op.hpp"

namespace whybits {

enum class AllReduce : std::uint8_t {
  ring,                ///< block b of the message is added along the ring, ending at rank b
  tree,                ///< a binary tree of nodes, chains inside (NodeTree)
  double_tree,         ///< half of the message by each of two trees
  recursive_doubling,  ///< neighbours first; ranks beyond a power of two first join a neighbour
  recursive_halving,   ///< far ones first
  rabenseifner,        ///< reduce-scatter by halves, neighbours first: recursive doubling's order
  direct,              ///< every rank adds all in the order of ranks
  linear,              ///< the last rank's value first, down to rank 0 (MPI's basic linear)
  binomial,            ///< a binomial tree to rank 0, neighbours first (MPI's reduce)
  hierarchical,        ///< in the order of ranks inside nodes, then over nodes
  vllm,                ///< vLLM's custom one: one or two stages, by the size
  vllm_one_stage,      ///< the order of ranks, f32 accumulator, rounded once
  vllm_two_stage,      ///< the owner's value first, around
  symmetric_one_shot,  ///< PyTorch's symmetric memory: the order of ranks, storage type
  symmetric_two_shot,  ///< the same by owners: the same order
  nvls                 ///< the switch adds, f32 accumulator: order not defined by hardware
};
struct AllReduceName {
  AllReduce algorithm;
  std::string_view name, description;
};
inline constexpr std::array<AllReduceName, 16> all_reduce_names{{
    {AllReduce::ring, "ring", "block b along the ring, ending at rank b"},
    {AllReduce::tree, "tree", "a binary tree of nodes, chains inside"},
    {AllReduce::double_tree, "double-tree", "half of the message by each of two trees"},
    {AllReduce::recursive_doubling, "recursive-doubling", "neighbours first"},
    {AllReduce::recursive_halving, "recursive-halving", "far ones first"},
    {AllReduce::rabenseifner, "rabenseifner", "reduce-scatter by halves, neighbours first"},
    {AllReduce::direct, "direct", "the order of ranks"},
    {AllReduce::linear, "linear", "from the last rank down to rank 0"},
    {AllReduce::binomial, "binomial", "a binomial tree to rank 0, neighbours first"},
    {AllReduce::hierarchical, "hierarchical", "the order of ranks in nodes, then over nodes"},
    {AllReduce::vllm, "vllm", "vLLM's custom one, one or two stages by the size"},
    {AllReduce::vllm_one_stage, "vllm-one-stage", "the order of ranks, f32, rounded once"},
    {AllReduce::vllm_two_stage, "vllm-two-stage", "the owner's first, around, f32"},
    {AllReduce::symmetric_one_shot, "symmetric-one-shot", "PyTorch: the order of ranks"},
    {AllReduce::symmetric_two_shot, "symmetric-two-shot", "the same by owners"},
    {AllReduce::nvls, "nvls", "in the switch: order not defined"},
}};

struct AllReduceConfig {
  AllReduce algorithm = AllReduce::ring;
  std::uint64_t ranks = 2;
  std::uint64_t count = 0;     ///< elements of the message
  Format type = formats::f32;  ///< of inputs, messages and outputs
  /// Of every add; none: what the algorithm does, which is the type itself but for vLLM's and NVLS,
  /// that add in f32. With a wider one partial results travel in it and are rounded once, at the
  /// end.
  std::optional<Format> accumulate = {};
  std::uint64_t ranks_per_node = 1;  ///< tree, double_tree, hierarchical
  TreeLinks links = TreeLinks::balanced;
  /// Ring: the rank that adds last owns block b: rank b as in NCCL; MPI libraries start there.
  bool ring_starts_at_owner = false;
  /// Of max and min the map is that of the sum; vLLM's and PyTorch's kernels have sums only.
  ReduceOp op = ReduceOp::sum;
};

/// Regions cover the message; empty for count 0. O(ranks). Errors: ConfigurationError.
TopologyMap all_reduce_map(const AllReduceConfig& config);

/// vLLM takes one stage below this number of bytes; 0: always two. Errors: ConfigurationError for
/// numbers of ranks that its kernel does not have.
std::uint64_t vllm_two_stage_bytes(std::uint64_t ranks);

enum class Average : std::uint8_t {
  none,  ///< the sum
  pre,   ///< every input times 1/ranks, rounded to the type, then the sum (NCCL)
  post   ///< the sum, divided by the number of ranks and rounded
};
/// Input x (ranks × count); output y (1 × count).
Recipe all_reduce_recipe(const TopologyMap& map, std::uint64_t ranks, const Format& type,
                         Average average = Average::none);

}  // namespace whybits
