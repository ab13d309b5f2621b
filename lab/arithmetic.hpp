// The operations that the command line offers, by name.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/rounding.hpp"

namespace whybits {

enum class Arithmetic : std::uint8_t { add, sub, mul, fma, div, sqrt, convert };
inline constexpr std::array all_arithmetic = {Arithmetic::add,    Arithmetic::sub, Arithmetic::mul,
                                              Arithmetic::fma,    Arithmetic::div, Arithmetic::sqrt,
                                              Arithmetic::convert};
std::string_view operation_name(Arithmetic operation);
int operand_count(Arithmetic operation);

/// `format` is the operands'; `result_format` is the same, except for convert.
/// Precondition: operand_count(operation) operands.
Bits compute(Arithmetic operation, const Format& format, const Format& result_format,
             std::span<const Bits> operands, const RoundRule& rule, RoundTrace* trace = nullptr);

/// "inexact, underflow"; "none".
std::string flag_names(const Flags& flags);

std::string_view tininess_name(Tininess tininess);  ///< "before", "after"
std::optional<Tininess> parse_tininess(std::string_view name);

}  // namespace whybits
