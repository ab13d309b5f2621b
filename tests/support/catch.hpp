#pragma once

#include <string>

// Catch2 version 2 or 3. Write Catch::Approx, and Contains from here, so that both work.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch {
using Detail::Approx;
}
#endif

namespace whybits::test {

/// Matches text that contains part: `CHECK_THAT(message, contains("column 3"))`.
inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace whybits::test
