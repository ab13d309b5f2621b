#include "sim/message_passing/all_reduce.hpp"

#include <algorithm>
#include <bit>

namespace whybits::message_passing {
namespace {

using Sources = std::span<const CodeSource* const>;

Wire wire_of(const AllReduceConfig& config) {
  using enum AllReduce;
  const AllReduce a = config.algorithm;
  const bool vllm_like = a == vllm || a == vllm_one_stage || a == vllm_two_stage;
  Wire wire{config.type, config.type};
  wire.saturate = config.type.word_bytes() == 1;
  if (vllm_like && config.type.word_bytes() < 4) wire.wide = formats::f32;
  if (config.accumulate) wire.wide = *config.accumulate;
  wire.op = config.op;
  const std::uint64_t n = config.ranks;
  wire.from_zero =
      (a == symmetric_one_shot || a == symmetric_two_shot) && n != 2 && n != 4 && n != 8;
  return wire;
}

/// The subtree over nodes [low, high]: its root is the number with the most trailing zero bits.
void grow(std::uint64_t low, std::uint64_t high, std::optional<std::uint64_t> parent,
          std::vector<TreeNeighbours>& nodes) {
  if (low > high) return;
  std::uint64_t root = low;
  for (std::uint64_t i = low; i <= high; ++i)
    if (std::countr_zero(i) > std::countr_zero(root)) root = i;
  nodes[root].parent = parent;
  if (parent) nodes[*parent].children.push_back(root);
  if (root > low) grow(low, root - 1, root, nodes);
  grow(root + 1, high, root, nodes);
}

/// Parents and children of nodes; the second tree has them under other numbers.
std::vector<TreeNeighbours> node_neighbours(std::uint64_t nodes, bool second) {
  std::vector<TreeNeighbours> tree(nodes);
  if (nodes > 1) grow(1, nodes - 1, 0, tree);
  if (!second) return tree;
  const auto name = [&](std::uint64_t i) {
    return nodes % 2 == 0 ? nodes - 1 - i : (i + 1) % nodes;
  };
  std::vector<TreeNeighbours> other(nodes);
  for (std::uint64_t i = 0; i < nodes; ++i) {
    TreeNeighbours& to = other[name(i)];
    if (tree[i].parent) to.parent = name(*tree[i].parent);
    for (const std::uint64_t child : tree[i].children) to.children.push_back(name(child));
  }
  return other;
}

/// A chain in each node; links between nodes end at its first or second rank.
std::vector<TreeNeighbours> rank_neighbours(const AllReduceConfig& config, bool second) {
  const std::uint64_t per = config.ranks_per_node;
  const std::vector<TreeNeighbours> nodes = node_neighbours(config.ranks / per, second);
  std::vector<TreeNeighbours> ranks(config.ranks);
  for (std::uint64_t r = 0; r < config.ranks; ++r) {
    if (r % per != 0) ranks[r].parent = r - 1;
    if (r % per + 1 < per) ranks[r].children.push_back(r + 1);
  }
  for (std::uint64_t node = 0; node < nodes.size(); ++node) {
    const std::uint64_t head = node * per;
    const std::uint64_t next = head + (per > 1 ? 1 : 0);
    // NCCL's first child has the smaller number of the unmirrored tree; a root has a second only.
    const std::vector<std::uint64_t>& children = nodes[node].children;
    const bool is_root = !nodes[node].parent.has_value();
    for (std::size_t c = 0; c < children.size(); ++c) {
      const bool is_second = is_root || c == 1;
      std::uint64_t at = is_second ? head : next;
      if (config.links == TreeLinks::first) at = head;
      if (config.links == TreeLinks::second) at = next;
      ranks[at].children.push_back(children[c] * per);
      ranks[children[c] * per].parent = at;
    }
  }
  return ranks;
}

std::vector<TreeNeighbours> stars(const AllReduceConfig& config) {
  std::vector<TreeNeighbours> ranks(config.ranks);
  const std::uint64_t per = config.ranks_per_node;
  for (std::uint64_t r = 1; r < config.ranks; ++r) {
    const std::uint64_t parent = r % per == 0 ? 0 : r - r % per;
    ranks[r].parent = parent;
    ranks[parent].children.push_back(r);
  }
  return ranks;
}

std::vector<TreeNeighbours> chain(std::uint64_t ranks) {
  std::vector<TreeNeighbours> all(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r) {
    if (r > 0) all[r].parent = r - 1;
    if (r + 1 < ranks) all[r].children.push_back(r + 1);
  }
  return all;
}

/// A rank's parent has its lowest bit cleared.
std::vector<TreeNeighbours> binomial_tree(std::uint64_t ranks) {
  std::vector<TreeNeighbours> all(ranks);
  for (std::uint64_t bit = 1; bit < ranks; bit *= 2)
    for (std::uint64_t r = bit; r < ranks; r += 2 * bit) {
      all[r].parent = r - bit;
      all[r - bit].children.push_back(r);
    }
  return all;
}

/// Two programs of one rank, one after the other.
class InTurn final : public Rank {
 public:
  InTurn(std::unique_ptr<Rank> first, std::unique_ptr<Rank> second)
      : first_(std::move(first)), second_(std::move(second)) {
    first_->deliver = second_->deliver = [this](Piece piece) { deliver(std::move(piece)); };
  }
  bool done() const override { return first_->done() && second_->done(); }
  std::vector<Message> round(std::uint64_t round, std::vector<Message> arrived) override {
    std::vector<Message> mine, others;
    for (Message& message : arrived)
      (message.piece.begin == 0 ? mine : others).push_back(std::move(message));
    std::vector<Message> sent = first_->round(round, std::move(mine));
    for (Message& message : second_->round(round, std::move(others)))
      sent.push_back(std::move(message));
    return sent;
  }

 private:
  std::unique_ptr<Rank> first_, second_;
};

std::vector<std::uint64_t> pack_borders(const AllReduceConfig& config) {
  const std::uint64_t in_pack = 16 / config.type.word_bytes();
  const std::uint64_t packs = config.count / in_pack;
  std::vector<std::uint64_t> borders;
  for (std::uint64_t r = 0; r < config.ranks; ++r)
    borders.push_back(r * (packs / config.ranks) * in_pack);
  borders.push_back(config.count);
  return borders;
}

bool vllm_takes_two_stages(const AllReduceConfig& config) {
  if (config.ranks == 2) return false;
  const std::uint64_t kib = config.ranks <= 4 ? 512 : 256;
  return config.count * config.type.word_bytes() >= kib * 1024;
}

}  // namespace

Simulation all_reduce_ranks(const AllReduceConfig& config, Sources inputs) {
  using enum AllReduce;
  const std::uint64_t n = config.ranks;
  const Wire wire = wire_of(config);
  Simulation made;
  const auto each = [&](const auto& program) {
    for (std::uint64_t r = 0; r < n; ++r)
      made.ranks.push_back(program(Values(*inputs[r], wire, r, n), r));
  };
  const auto by_tree = [&](const std::vector<TreeNeighbours>& all) {
    each([&](Values values, std::uint64_t r) {
      return tree_rank(std::move(values), r, all[r], 0, config.count);
    });
  };
  const auto by_owners = [&](const Owners& owners) {
    each([&](Values values, std::uint64_t r) {
      return owner_rank(std::move(values), r, n, owners);
    });
  };
  const Owners everybody{{0, config.count}, false, true};
  switch (config.algorithm) {
    case ring:
      each([&](Values values, std::uint64_t r) {
        return ring_rank(std::move(values), r, n, {{0, config.count, 0}},
                         config.ring_starts_at_owner);
      });
      break;
    case tree:
      by_tree(rank_neighbours(config, false));
      break;
    case double_tree: {
      const auto first = rank_neighbours(config, false);
      const auto second = rank_neighbours(config, true);
      const std::uint64_t half = (config.count + 1) / 2;
      each([&](Values values, std::uint64_t r) {
        auto low = tree_rank(values, r, first[r], 0, half);
        return std::make_unique<InTurn>(
            std::move(low), tree_rank(std::move(values), r, second[r], half, config.count));
      });
      break;
    }
    case recursive_doubling:
      each([&](Values values, std::uint64_t r) {
        return doubling_rank(std::move(values), r, n, config.count);
      });
      break;
    case recursive_halving:
    case rabenseifner:
      if (config.algorithm == recursive_halving && !std::has_single_bit(n))
        throw ConfigurationError("ranks", n, "recursive halving passes messages among 2^n ranks");
      each([&](Values values, std::uint64_t r) {
        return halving_rank(std::move(values), r, n, config.count,
                            config.algorithm == recursive_halving);
      });
      break;
    case direct:
    case vllm_one_stage:
    case symmetric_one_shot:
      by_owners(everybody);
      break;
    case linear:
      by_tree(chain(n));
      break;
    case binomial:
      by_tree(binomial_tree(n));
      break;
    case hierarchical:
      by_tree(stars(config));
      break;
    case vllm:
      by_owners(vllm_takes_two_stages(config) ? Owners{pack_borders(config), true, false}
                                              : everybody);
      break;
    case vllm_two_stage:
      by_owners({pack_borders(config), true, false});
      break;
    case symmetric_two_shot:
      by_owners({pack_borders(config), false, false});
      break;
    case nvls:
      throw ConfigurationError("nvls: the switch adds, no rank does");
  }
  return made;
}

Simulation ring_ranks(Sources inputs, const std::vector<RingLoop>& loops, const Wire& wire) {
  Simulation made;
  for (std::uint64_t r = 0; r < inputs.size(); ++r)
    made.ranks.push_back(
        ring_rank(Values(*inputs[r], wire, r, inputs.size()), r, inputs.size(), loops, false));
  return made;
}

Results run_whole(Simulation simulation, std::uint64_t count, unsigned threads) {
  Results results;
  results.codes.assign(simulation.ranks.size(), std::vector<Bits>(count));
  for (std::size_t r = 0; r < simulation.ranks.size(); ++r)
    simulation.ranks[r]->deliver = [&results, r](const Piece& piece) {
      std::ranges::copy(*piece.codes,
                        results.codes[r].begin() + static_cast<std::ptrdiff_t>(piece.begin));
      if (r == 0 && !piece.codes->empty()) results.pieces.push_back(piece);
    };
  results.traffic = run(simulation.ranks, threads);
  std::ranges::sort(results.pieces, {}, &Piece::begin);
  return results;
}

}  // namespace whybits::message_passing
