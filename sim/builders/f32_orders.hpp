// What rows of kernels are made of: f32 additions in the orders that warps and threads take.
#pragma once

#include "sim/schema.hpp"

namespace whybits {

const Unit& f32_add();
SchemaPtr f32_halves();  ///< halves(f32)

}  // namespace whybits
