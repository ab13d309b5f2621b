// Text between the marks of an SVG document.
#pragma once

#include <string>
#include <string_view>

namespace whybits {

/// With &, <, > and quotes written out: no text ends its element or attribute.
std::string svg_text(std::string_view text);

}  // namespace whybits
