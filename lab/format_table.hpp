#pragma once

#include <string>

namespace whybits {

/// The named formats as a Markdown table: widths, limits, last place at 1, special values.
/// docs/formats.md holds it; a test compares the two.
std::string format_table_markdown();

}  // namespace whybits
