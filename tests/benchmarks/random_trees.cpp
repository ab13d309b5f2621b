#include "tests/benchmarks/random_trees.hpp"

#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

class Dice {
 public:
  std::uint64_t below(std::uint64_t n) { return random_word(next_++) % n; }

 private:
  std::uint64_t next_ = std::uint64_t{7} << 32;
};

std::vector<Nested> shuffled_leaves(std::uint64_t n, Dice& dice) {
  std::vector<Nested> leaves(n);
  for (std::uint64_t i = 0; i < n; ++i) leaves[i].leaf = i;
  for (std::uint64_t i = n; i > 1; --i) std::swap(leaves[i - 1], leaves[dice.below(i)]);
  return leaves;
}

}  // namespace

Nested random_tree(std::uint64_t n, std::uint64_t nodes) {
  Dice dice;
  // Every node has two items; the others that are needed go to nodes at random.
  std::vector<std::uint64_t> items(nodes, 2);
  for (std::uint64_t i = 0; i < n - 1 - nodes; ++i) ++items[dice.below(nodes)];
  std::vector<Nested> pool = shuffled_leaves(n, dice);
  for (const std::uint64_t count : items) {
    Nested node;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::swap(pool[dice.below(pool.size())], pool.back());
      node.items.push_back(std::move(pool.back()));
      pool.pop_back();
    }
    pool.push_back(std::move(node));
  }
  return std::move(pool.front());
}

Nested random_chain(std::uint64_t n, std::uint64_t nodes, std::uint64_t piece) {
  Dice dice;
  std::vector<std::uint64_t> takes(nodes, piece);
  for (std::uint64_t i = 0; i < n / piece - nodes; ++i) takes[dice.below(nodes)] += piece;
  std::vector<Nested> leaves = shuffled_leaves(n, dice);
  Nested chain;
  for (const std::uint64_t count : takes) {
    Nested node;
    if (!chain.items.empty()) node.items.push_back(std::move(chain));
    for (std::uint64_t i = 0; i < count; ++i) {
      node.items.push_back(std::move(leaves.back()));
      leaves.pop_back();
    }
    chain = std::move(node);
  }
  return chain;
}

}  // namespace whybits::bench
