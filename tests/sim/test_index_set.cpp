#include <set>

#include "sim/index_set.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/property.hpp"

using whybits::IndexSet;
using whybits::test::for_all;
using whybits::test::Random;

TEST_CASE("an index set agrees with std::set") {
  for_all(300, [](Random& random) {
    std::set<std::uint64_t> expected;
    IndexSet set;
    for (int round = 0; round < 12; ++round) {
      const std::uint64_t begin = random.below(60);
      const std::uint64_t end = begin + random.below(8);
      for (std::uint64_t i = begin; i < end; ++i) expected.insert(i);
      if (random.coin())
        set.insert(begin, end);
      else
        set.insert(IndexSet::range(begin, end));
    }
    std::vector<std::uint64_t> members;
    set.for_each([&](std::uint64_t i) { members.push_back(i); });
    REQUIRE(members == std::vector<std::uint64_t>(expected.begin(), expected.end()));
    REQUIRE(set.size() == expected.size());
    REQUIRE(set.empty() == expected.empty());
    for (std::size_t i = 0; i < members.size(); ++i) REQUIRE(set.position(members[i]) == i);
    for (std::uint64_t i = 0; i < 70; ++i) REQUIRE(set.contains(i) == expected.contains(i));

    // One set, one representation: however it was made.
    std::vector<std::uint64_t> shuffled = members;
    for (std::size_t i = shuffled.size(); i > 1; --i)
      std::swap(shuffled[i - 1], shuffled[static_cast<std::size_t>(random.below(i))]);
    if (!members.empty()) shuffled.push_back(members.front());
    REQUIRE(IndexSet::of(shuffled) == set);
    if (members.empty()) return;
    REQUIRE(set.first() == members.front());
    REQUIRE(set.last() == members.back());
    for (std::uint64_t& i : shuffled) i += 17;
    REQUIRE(IndexSet::of(shuffled) == set.moved(17));
  });
}
