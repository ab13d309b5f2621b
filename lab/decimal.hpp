// Exact numbers as decimal text, and the shortest text that comes back to the same code. All on
// rationals: no double takes part.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>

#include "sim/dyadic.hpp"

namespace whybits {

mpq_class to_rational(const Dyadic& value);

/// All digits, never an exponent: "-0.0009765625". nullopt if they do not end (1/3).
std::optional<std::string> exact_decimal(const mpq_class& value);

/// At most `digits` significant digits, rounded to nearest even, without trailing zeros:
/// "0.333333", "1.49e-09". Positional from 1e-5 up to 17 digits before the point.
std::string short_decimal(const mpq_class& value, int digits);

/// The exact decimal if it has at most `length` characters, else its first digits and "…":
/// "0.33333333333…", "1.0003319061…e-08".
std::string decimal_label(const mpq_class& value, std::size_t length);

/// The fewest digits that round to the code again; "inf", "-inf", "nan", "-0". Of several with
/// equally few digits the closest, and of two equally close the even one.
std::string shortest_decimal(const Format& format, Bits code);

/// "0x1.8p+11", normalised also for subnormals.
std::string hex_float(const Format& format, Bits code);

/// Rounds a rational to a format; `negative` is the sign of a zero.
Bits round_rational(const Format& format, const mpq_class& value, bool negative = false,
                    const RoundRule& rule = {}, RoundTrace* trace = nullptr);

}  // namespace whybits
