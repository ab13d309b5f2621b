// How far a result is from another one, or from the truth.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/dyadic.hpp"
#include "sim/format.hpp"

namespace whybits::exact {

/// The narrowest format that has every value of both: one of the two where it contains the other,
/// tf32 for f16 and bf16. nullopt if it would have more than 11 exponent or 52 fraction bits.
std::optional<Format> common_format(const Format& a, const Format& b);

/// Steps from one value to the other through the numbers of their common format: for one format the
/// ordinary ulp distance; across zero and to infinity as there. 0 exactly if the values are equal.
/// nullopt if one is NaN or there is no common format.
std::optional<std::uint64_t> ulp_distance(const Format& fa, Bits a, const Format& fb, Bits b);

/// (result − exact) / ulp, with the ulp that `format` has at the exact value: what a correct
/// rounding to nearest keeps within ±½. NaN if the result is not finite. To a relative 2^−50.
double error_in_ulps(const Format& format, Bits result, const Dyadic& exact);

/// |result − exact| / |exact|: 0 for an exact result, infinity where only the exact value is 0, NaN
/// if the result is not finite. To a relative 2^−50.
double relative_error(const Format& format, Bits result, const Dyadic& exact);

/// Σ|x| / |Σx|, by which a relative error of the terms may be magnified in their sum: 1 if nothing
/// cancels (also for no terms), infinity if everything does.
double condition_number(const Dyadic& absolute_sum, const Dyadic& sum);

/// a / b as a double to a relative 2^−50, whatever the exponents. Precondition: b is not 0.
double quotient(const Dyadic& a, const Dyadic& b);

}  // namespace whybits::exact
