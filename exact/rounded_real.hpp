// Correct rounding of numbers that are only known to lie between two others.
#pragma once

#include <optional>

#include "exact/real.hpp"

namespace whybits::exact {

/// The code to which every number rounds that lies strictly between `value` and the next MPFR
/// number of its precision away from zero; to which `value` rounds if `exact`. Precondition: the
/// precision is at least that of the format and 2 bits more, so that no border between two codes
/// lies strictly between (S. Boldo, G. Melquiond, IEEE TC 57(4), 2008: rounding to odd).
Bits code_from_truncated(const Format& format, const Real& value, bool exact,
                         const RoundRule& rule);

/// The code of a positive number x with low ≤ x ≤ high that is known not to lie on a border between
/// two codes; nullopt if it cannot be told yet. The bounds have any precision.
std::optional<Bits> code_between(const Format& format, const Real& low, const Real& high,
                                 const RoundRule& rule);

}  // namespace whybits::exact
