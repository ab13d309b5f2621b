#include "sim/special/operation.hpp"

#include <stdexcept>

namespace whybits::special {

MapOperation operation(std::string_view function, Mode mode) {
  const Function* found = find_function(function);
  if (found == nullptr)
    throw std::invalid_argument("no special function '" + std::string(function) + "'");
  return operations::given(full_name(*found, mode), {formats::f32}, formats::f32,
                           [of = found->of, mode](std::span<const Bits> x) {
                             return Bits{of(static_cast<std::uint32_t>(x[0]), mode)};
                           });
}

}  // namespace whybits::special
