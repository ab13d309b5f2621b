// Options that several commands share, and their checks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/commands/command.hpp"
#include "lab/option_values.hpp"
#include "sim/leaves.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// --topology and every --vs, at most 26.
std::vector<SchemaPtr> topology_options(const std::string& topology,
                                        const std::vector<std::string>& vs);

/// Decimal digits and nothing else; nullopt also above 2⁶⁴ − 1.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// One index below `size`, in decimal digits. Else UsageError.
std::uint64_t index_option(const std::string& option, std::string_view text, std::uint64_t size);

/// "0,5,7..9" → 0 5 7 8 (a..b is half open, as in take(a..b, T)); "" → all of 0 … size − 1.
/// UsageError if one is named twice or the list would take more memory than a command may.
std::vector<std::uint64_t> index_list_option(const std::string& option, const std::string& text,
                                             std::uint64_t size);

/// "1..256" → 1 and 256: both ends belong to it, the first at least 1, the last at most 2^20.
/// Else UsageError.
std::pair<std::uint64_t, std::uint64_t> range_option(const std::string& option,
                                                     const std::string& text);

/// An option that takes a whole number from 0 to `most`, in decimal digits and nothing else. One
/// with a default (`value`) is not required.
CommandOption add_count_option(Command command, const std::string& name, std::uint64_t& value,
                               std::uint64_t most, const std::string& description);
/// The most rows, columns or addends: what a tree can have.
inline constexpr std::uint64_t most_addends = std::uint64_t{1} << 40;

/// UsageError that names the option and the topology if one cannot run on these leaves. `operands`
/// says how the command is given c and named operands.
void require_runnable(const std::vector<SchemaPtr>& topologies, std::uint64_t n,
                      const LeafTypes& types, const std::string& operands);

}  // namespace whybits
