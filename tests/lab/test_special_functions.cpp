// The special functions of an H200, compared with digests of what it gave for every argument, and
// with MPFR, which must differ as often as the hardware does.
#include <map>

#include "sim/share_work.hpp"
#include "sim/special/halves.hpp"
#include "sim/special/instructions.hpp"
#include "sim/special/unit.hpp"
#include "tests/lab/special_digests.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mpfr_oracle.hpp"

using namespace whybits;
using namespace whybits::test;
using special::Ftz;

namespace {

/// Every `step`-th block: an odd step meets all signs, exponents and parts of the significand.
std::string wrong_blocks(const SpecialDigests& recorded, std::uint32_t step) {
  const SpecialFunction f = special_function(recorded.name);
  if (f.of == nullptr) return recorded.name + ": no such function";
  std::string wrong;
  for (std::uint32_t block = 0; block < special_blocks; block += step)
    if ((block_digest(f, block) & 255U) != recorded.lowest_bytes[block])
      wrong += recorded.name + ": block " + std::to_string(block) + "\n";
  return wrong;
}

/// a·6364136223846793005 + result, over n results.
template <class F>
std::uint64_t ordered_digest(std::uint32_t n, const F& f) {
  std::uint64_t a = 0;
  for (std::uint32_t i = 0; i < n; ++i) a = a * 6364136223846793005U + f(i);
  return a;
}

std::uint32_t fraction(std::uint32_t i) {
  return special::word(static_cast<float>(i) * 0x1p-23F);
}

constexpr std::uint32_t pair_blocks = 64;

std::uint32_t of_two(const std::string& name, std::uint32_t x, std::uint32_t y) {
  if (name == "div.approx.f32") return special::div_approx(x, y, Ftz::no);
  if (name == "div.approx.ftz.f32") return special::div_approx(x, y, Ftz::yes);
  if (name == "div.full.f32") return special::div_full(x, y, Ftz::no);
  if (name == "div.full.ftz.f32") return special::div_full(x, y, Ftz::yes);
  const std::size_t space = name.find(' ');
  const special::Mode mode = mode_of(name.substr(0, space));
  const std::string function = name.substr(space + 1);
  if (function == "x/y") return special::divide(x, y, mode);
  if (function == "__fdividef") return special::fast_divide(x, y, mode);
  if (function != "__powf") FAIL(function);
  return special::fast_powf(x, y, mode);
}

/// Stream 0: any words; 1: exponents within 2^±8; 2: divisors of 2^126 and more.
std::uint64_t pair_digest(const std::string& name, std::uint32_t stream, std::uint32_t block) {
  std::uint64_t sum = 0;
  for (std::uint32_t k = 0; k < special_block_size; ++k) {
    const std::uint32_t i = block * special_block_size + k;
    const std::uint64_t h = mix(mix(stream) + i);
    auto x = static_cast<std::uint32_t>(h);
    auto y = static_cast<std::uint32_t>(h >> 32);
    if (stream == 1) {
      x = (x & 0x807fffffU) | ((119U + ((x >> 23) & 15U)) << 23);
      y = (y & 0x807fffffU) | ((119U + ((y >> 23) & 15U)) << 23);
    } else if (stream == 2) {
      y = (y & 0x80ffffffU) | (253U << 23);
    }
    sum += mix((std::uint64_t{i} << 32) | of_two(name, x, y));
  }
  return sum;
}

std::uint64_t recorded_digest(const PairDigests& recorded, std::uint32_t stream,
                              std::uint32_t block) {
  std::uint64_t sum = 0;
  for (unsigned byte = 0; byte < 8; ++byte)
    sum |= std::uint64_t{recorded.digests[(stream * pair_blocks + block) * 8 + byte]} << (8 * byte);
  return sum;
}

}  // namespace

TEST_CASE("blocks of 2^19 arguments of each instruction have the digests of an H200") {
  std::size_t count = 0;
  for (const SpecialDigests& recorded : special_digests()) {
    if (recorded.name.find(".approx.") == std::string::npos) continue;
    ++count;
    CHECK(wrong_blocks(recorded, 257) == "");
  }
  CHECK(count == 15);
}

TEST_CASE("blocks of each CUDA function in each mode have the digests of an H200") {
  std::size_t count = 0;
  for (const SpecialDigests& recorded : special_digests()) {
    if (recorded.name.find(".approx.") != std::string::npos) continue;
    ++count;
    CHECK(wrong_blocks(recorded, 1531) == "");
  }
  CHECK(count == 54);
}

TEST_CASE("all 2^32 arguments of every special function have the digests of an H200", "[.long]") {
  for (const SpecialDigests& recorded : special_digests()) {
    const SpecialFunction f = special_function(recorded.name);
    REQUIRE(f.of != nullptr);
    std::vector<std::uint64_t> digests(special_blocks);
    share_work(special_blocks, 0, [&](std::uint64_t block) {
      digests[block] = block_digest(f, static_cast<std::uint32_t>(block));
    });
    std::uint64_t sum = 0;
    std::size_t wrong = 0;
    for (std::size_t block = 0; block < digests.size(); ++block) {
      sum += digests[block];
      wrong += (digests[block] & 255U) == recorded.lowest_bytes[block] ? 0U : 1U;
    }
    INFO(recorded.name);
    CHECK(wrong == 0);
    CHECK(sum == recorded.sum);
  }
}

TEST_CASE("five digests that public tables gave before an H200 ran are met by its own tables") {
  constexpr std::uint32_t m = 1U << 23;
  const Ftz ftz = Ftz::yes;
  CHECK(ordered_digest(2 * m, [&](std::uint32_t i) {
          return special::rsqrt(0x3f800000U + i, ftz);
        }) == 0x1723991a3e2f21a1);
  CHECK(ordered_digest(m, [&](std::uint32_t i) { return special::ex2(fraction(i), ftz); }) ==
        0x20a1a548767027a6);
  CHECK(ordered_digest(m, [&](std::uint32_t i) {
          return special::ex2(fraction(i) | 0x80000000U, ftz);
        }) == 0x9545f6c13913a953);
  CHECK(ordered_digest(2 * m, [&](std::uint32_t i) {
          return special::lg2(0x3f000000U + i, ftz);
        }) == 0x2631a938edcff8a3);
  CHECK(ordered_digest(m, [&](std::uint32_t i) { return special::rcp(0x3f800000U + i, ftz); }) ==
        0x365f0a699424ddf9);
}

TEST_CASE("functions of two words have the digests of an H200 on three streams of pairs") {
  const auto all = pair_digests();
  CHECK(all.size() == 13);
  for (const PairDigests& recorded : all)
    for (const std::uint32_t stream : {0U, 1U, 2U}) {
      INFO(recorded.name << ", stream " << stream);
      CHECK(pair_digest(recorded.name, stream, 5) == recorded_digest(recorded, stream, 5));
    }
}

TEST_CASE("functions of two words have the digests of an H200 on all recorded pairs", "[.long]") {
  for (const PairDigests& recorded : pair_digests())
    for (const std::uint32_t stream : {0U, 1U, 2U})
      for (std::uint32_t block = 0; block < pair_blocks; ++block) {
        INFO(recorded.name << ", stream " << stream << ", block " << block);
        CHECK(pair_digest(recorded.name, stream, block) ==
              recorded_digest(recorded, stream, block));
      }
}

TEST_CASE("all words of 16 bits have the digests of an H200") {
  const auto digest = [](Bits (*f)(const Format&, Bits), const Format& format) {
    std::uint64_t sum = 0;
    for (std::uint32_t x = 0; x < (1U << 16); ++x)
      sum += mix((std::uint64_t{x} << 32) | static_cast<std::uint64_t>(f(format, x)));
    return sum;
  };
  const std::map<std::string, std::uint64_t> ours{
      {"ex2.approx.f16", digest(special::ex2, formats::f16)},
      {"ex2.approx.ftz.bf16", digest(special::ex2, formats::bf16)},
      {"tanh.approx.f16", digest(special::tanh, formats::f16)},
      {"tanh.approx.bf16", digest(special::tanh, formats::bf16)}};
  const nlohmann::json recording = special_recording();
  CHECK(recording.at("halves").size() == ours.size());
  for (const auto& entry : recording.at("halves"))
    CHECK(ours.at(entry.at("name").get<std::string>()) ==
          std::stoull(entry.at("sum").get<std::string>(), nullptr, 16));
}
