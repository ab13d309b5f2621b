// Writes one dot product term by term, in powers of two and other exact numbers.
#pragma once

#include <optional>

#include "lab/probe/vectors.hpp"

namespace whybits {

/// The code of significand · 2^exponent, or nullopt if the format does not have that number.
std::optional<Bits> exact_code(const Format& format, std::int64_t significand, int exponent);

class VectorMaker {
 public:
  VectorMaker(const Claim& claim, std::vector<ProbeVector>& vectors);

  int k() const { return claim_.instruction->k; }
  const Claim& claim() const { return claim_; }
  /// Formats that the instruction reads: tf32, not the f32 word around it.
  const Format& a() const { return a_; }
  const Format& b() const { return b_; }
  const Format& c() const { return claim_.c; }
  std::string question;  ///< of the vectors that follow

  /// Begins a vector of zero products and c = +0.
  void start();
  /// ±2^exponent as a product at `lane`. What cannot be said spoils the vector: add() drops it.
  void power(int lane, int exponent, bool negative = false);
  /// sa·2^ea times sb·2^eb.
  void product(int lane, std::int64_t sa, int ea, std::int64_t sb, int eb);
  void codes(int lane, Bits a, Bits b);  ///< storage words' codes
  void c_number(std::int64_t significand, int exponent);
  void c_code(Bits code);
  /// Ends it. Vectors with a c other than +0 need an instruction that takes one.
  void add(std::string text);

 private:
  const Claim& claim_;
  std::vector<ProbeVector>& vectors_;
  Format a_, b_;
  ProbeVector now_;
  bool sound_ = true;
};

}  // namespace whybits
