#include "lab/probe/vector_maker.hpp"

#include <algorithm>
#include <cmath>

#include "sim/arith.hpp"

namespace whybits {
namespace {

/// The word's code of a number that the unit's format has: a tf32 number in an f32 word.
Bits in_word(const Format& format, const Format& word, Bits code) {
  return format == word ? code : word_from_code(format, code);
}

/// Exponents of powers of two that a format has.
std::pair<int, int> exponent_range(const Format& f) {
  return {f.quantum_exponent(), f.max_exponent()};
}

}  // namespace

std::optional<Bits> exact_code(const Format& format, std::int64_t significand, int exponent) {
  const bool negative = significand < 0;
  const auto magnitude = static_cast<Uint128>(negative ? -significand : significand);
  RoundTrace trace;
  const Bits code = round_pack(format, {negative, false, exponent, magnitude}, {}, &trace);
  if (trace.flags.inexact || trace.flags.overflow) return std::nullopt;
  return code;
}

VectorMaker::VectorMaker(const Claim& claim, std::vector<ProbeVector>& vectors)
    : claim_(claim),
      vectors_(vectors),
      a_(*parse_format(claim.instruction->a)),
      b_(*parse_format(claim.instruction->b)) {}

void VectorMaker::start() {
  now_ = {question,
          {},
          std::vector<Bits>(static_cast<std::size_t>(k()), 0),
          std::vector<Bits>(static_cast<std::size_t>(k()), 0),
          0};
  sound_ = true;
}

void VectorMaker::power(int lane, int exponent, bool negative) {
  const auto [low_a, high_a] = exponent_range(a_);
  const auto [low_b, high_b] = exponent_range(b_);
  // Shared evenly, as far as both formats reach.
  const int half = exponent >= 0 ? exponent / 2 : -(-exponent / 2);
  const int eb = std::clamp(half, low_b, high_b);
  const int ea = std::clamp(exponent - eb, low_a, high_a);
  product(lane, negative ? -1 : 1, ea, 1, std::clamp(exponent - ea, low_b, high_b));
  if (ea + std::clamp(exponent - ea, low_b, high_b) != exponent) sound_ = false;
}

void VectorMaker::product(int lane, std::int64_t sa, int ea, std::int64_t sb, int eb) {
  const auto x = exact_code(a_, sa, ea);
  const auto y = exact_code(b_, sb, eb);
  if (!x || !y) {
    sound_ = false;
    return;
  }
  codes(lane, in_word(a_, claim_.a, *x), in_word(b_, claim_.b, *y));
}

void VectorMaker::codes(int lane, Bits a, Bits b) {
  if (lane < 0 || lane >= k()) {
    sound_ = false;
    return;
  }
  now_.a[static_cast<std::size_t>(lane)] = a;
  now_.b[static_cast<std::size_t>(lane)] = b;
}

void VectorMaker::c_number(std::int64_t significand, int exponent) {
  const auto code = exact_code(claim_.c, significand, exponent);
  if (code)
    c_code(*code);
  else
    sound_ = false;
}

void VectorMaker::c_code(Bits code) {
  now_.c = code;
  if (code != 0 && !claim_.with_c) sound_ = false;
}

void VectorMaker::add(std::string text) {
  if (!sound_) return;
  now_.text = std::move(text);
  vectors_.push_back(now_);
}

}  // namespace whybits
