#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/support/catch.hpp"

namespace whybits::test {

/// splitmix64: small, the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound); bound > 0. The bias of at most bound / 2^64 does not matter here.
  std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }

  /// Uniform in [low, high], both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = width == 0 ? (*this)() : below(width);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

  bool coin() { return ((*this)() >> 63) != 0; }

  /// One element of a container with size() and operator[].
  template <class C>
  const auto& pick(const C& choices) {
    return choices[static_cast<std::size_t>(below(choices.size()))];
  }

 private:
  std::uint64_t state_;
};

/// The seed of this run: WHYBITS_SEED from the environment, else always the same.
inline std::uint64_t run_seed() {
  const char* text = std::getenv("WHYBITS_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 0x5eed2026U;
}

/// Checks a property on `rounds` random cases. A failing case prints the seed that repeats it:
///
///   TEST_CASE("addition commutes") {
///     for_all(1000, [](Random& random) {
///       const double a = ..., b = ...;
///       CAPTURE(a, b);
///       REQUIRE(add(a, b) == add(b, a));
///     });
///   }
template <class Property>
void for_all(int rounds, Property&& property) {
  const std::uint64_t seed = run_seed();
  Random seeds(seed);
  for (int round = 0; round < rounds; ++round) {
    INFO("repeat with WHYBITS_SEED=" << seed << " (round " << round << " of " << rounds << ")");
    Random random(seeds());
    property(random);
  }
}

}  // namespace whybits::test
