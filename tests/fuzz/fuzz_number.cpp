// Any text either is refused with UsageError or is a number whose code comes back from its shortest
// decimal and its hex float, and whose description has 80 columns.
#include <cstdlib>
#include <string_view>

#include "lab/decimal.hpp"
#include "lab/number_text.hpp"
#include "lab/text_layout.hpp"
#include "lab/usage_error.hpp"

namespace {

using namespace whybits;

void check(const NumberInput& input, const Format& format) {
  const Bits code = input_code(input, format);
  if (unpack(format, code).cls == FpClass::nan) return;
  for (const std::string& text : {shortest_decimal(format, code), hex_float(format, code)})
    if (input_code(parse_number(text), format) != code) std::abort();

  const std::string block = number_block(view_input(input, format), false);
  for (std::string_view rest = block; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    if (columns(rest.substr(0, end)) > text_columns) std::abort();
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const NumberInput input = parse_number({reinterpret_cast<const char*>(data), size});
    for (const Format& format : {formats::f64, formats::f16, formats::e4m3, formats::e2m1}) {
      try {
        check(input, format);
      } catch (const UsageError&) {
        if (input.kind != NumberInput::Kind::code) std::abort();  // only a code can be too wide
      }
    }
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
