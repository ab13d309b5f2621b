// What an H200 gave for every argument of its special functions, as digests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/base64.hpp"
#include "lab/files.hpp"
#include "lab/strict_json.hpp"
#include "sim/special/catalog.hpp"

namespace whybits::test {

inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// One function and mode; several can share their results.
struct SpecialDigests {
  std::string name;                        ///< "ex2.approx.ftz.f32", "fast expf"
  std::uint64_t sum = 0;                   ///< of all 2^32 terms
  std::vector<std::uint8_t> lowest_bytes;  ///< of the sum of each 2^19 arguments
};
/// The same for functions of two words, on pairs that a generator makes.
struct PairDigests {
  std::string name;
  std::vector<std::uint8_t> digests;  ///< u64: 3 streams of 64 blocks of 2^19 pairs
};

inline nlohmann::json special_recording() {
  const std::string path = WHYBITS_SOURCE_DIR "/tests/lab/data/special_functions_h200.json";
  return parse_strict_json(read_text_file(path, 1U << 20), path);
}

inline std::vector<SpecialDigests> special_digests() {
  std::vector<SpecialDigests> all;
  const nlohmann::json recording = special_recording();
  for (const auto& entry : recording.at("functions"))
    for (const std::string& name : entry.at("names").get<std::vector<std::string>>())
      all.push_back({name, std::stoull(entry.at("sum").get<std::string>(), nullptr, 16),
                     base64_decode(entry.at("lowest_bytes").get<std::string>()).value()});
  return all;
}

inline std::vector<PairDigests> pair_digests() {
  std::vector<PairDigests> all;
  const nlohmann::json recording = special_recording();
  for (const auto& entry : recording.at("pairs"))
    for (const std::string& name : entry.at("names").get<std::vector<std::string>>())
      all.push_back({name, base64_decode(entry.at("digests").get<std::string>()).value()});
  return all;
}

inline special::Mode mode_of(const std::string& prefix) {
  return prefix == "default" ? special::Mode::standard
         : prefix == "ftz"   ? special::Mode::flush
                             : special::Mode::fast;
}

/// The emulator's function of that recorded name; `of` is null if there is none.
struct SpecialFunction {
  std::uint32_t (*of)(std::uint32_t, special::Mode) = nullptr;
  special::Mode mode{};
  std::uint32_t operator()(std::uint32_t x) const { return of(x, mode); }
};
inline SpecialFunction special_function(const std::string& recorded) {
  const std::size_t space = recorded.find(' ');
  const bool cuda = space != std::string::npos;
  const std::string name =
      cuda ? recorded.substr(space + 1) : recorded.substr(0, recorded.find('.'));
  const special::Function* found = special::find_function(name);
  if (found == nullptr) return {};
  const special::Mode instruction =
      recorded.find(".ftz.") == std::string::npos ? special::Mode::standard : special::Mode::flush;
  return {found->of, cuda ? mode_of(recorded.substr(0, space)) : instruction};
}

constexpr std::uint32_t special_blocks = 8192;
constexpr std::uint32_t special_block_size = 1U << 19;

/// Sum of mix(x·2^32 + f(x)) over the block's arguments.
template <class F>
std::uint64_t block_digest(const F& f, std::uint32_t block) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < special_block_size; ++i) {
    const std::uint32_t x = block * special_block_size + i;
    sum += mix((std::uint64_t{x} << 32) | f(x));
  }
  return sum;
}

}  // namespace whybits::test
