#include "sim/message_passing/origin.hpp"

#include <algorithm>

#include "sim/hash.hpp"

namespace whybits::message_passing {
namespace {

std::uint64_t member(const Origin& run, std::uint64_t i) {
  const std::uint64_t away = i % run.ranks;
  return (run.first + (run.step > 0 ? away : run.ranks - away)) % run.ranks;
}

/// Appends items that are added from the left; recursion as deep as sums nest.
void print_items(const OriginPtr& origin, std::string& out) {
  if (origin->is_run()) {
    for (std::uint64_t i = 0; i < origin->count; ++i)
      out += (i == 0 ? "" : " ") + std::to_string(member(*origin, i));
    return;
  }
  print_items(origin->left, out);
  const bool single = origin->right->is_run() && origin->right->count == 1;
  out += single ? " " : " (";
  print_items(origin->right, out);
  if (!single) out += ")";
}

/// The run with one more rank, or null. A run of one or two may be read from either end.
OriginPtr continued(const Origin& run, std::uint64_t rank) {
  for (const int step : {1, -1}) {
    Origin longer = run;
    if (run.count > 2 && run.step != step) continue;
    if (run.count == 2 && run.step != step) longer.first = member(run, 1);
    longer.step = step;
    if (member(longer, run.count) != rank) continue;
    ++longer.count;
    return std::make_shared<const Origin>(longer);
  }
  return nullptr;
}

}  // namespace

OriginPtr own_value(std::uint64_t rank, std::uint64_t ranks) {
  return std::make_shared<const Origin>(Origin{rank, 1, ranks, 1, nullptr, nullptr});
}

OriginPtr added(const OriginPtr& a, const OriginPtr& b) {
  // Addition commutes: the longer one first, so that chains stay runs from either end.
  const auto alone = [](const OriginPtr& origin) { return origin->is_run() && origin->count == 1; };
  if (alone(a) && !alone(b)) return added(b, a);
  if (a->is_run() && alone(b) && a->count < a->ranks)
    if (const OriginPtr longer = continued(*a, b->first)) return longer;
  Origin sum;
  sum.ranks = a->ranks;
  sum.left = a;
  sum.right = b;
  return std::make_shared<const Origin>(std::move(sum));
}

std::uint64_t added_ranks(const OriginPtr& origin) {
  return origin->is_run() ? origin->count : added_ranks(origin->left) + added_ranks(origin->right);
}

std::uint64_t leaf_hash(std::uint64_t rank) {
  return mix(rank + 1);
}

std::uint64_t sum_hash(std::uint64_t a, std::uint64_t b) {
  return mix(mix(std::min(a, b)) + std::max(a, b));
}

std::uint64_t addition_hash(const OriginPtr& origin) {
  if (!origin->is_run()) return sum_hash(addition_hash(origin->left), addition_hash(origin->right));
  std::uint64_t hash = leaf_hash(origin->first);
  for (std::uint64_t i = 1; i < origin->count; ++i)
    hash = sum_hash(hash, leaf_hash(member(*origin, i)));
  return hash;
}

std::string print(const OriginPtr& origin) {
  std::string out = "(";
  print_items(origin, out);
  return out + ")";
}

}  // namespace whybits::message_passing
