#include "sim/builders/f32_orders.hpp"

namespace whybits {

const Unit& f32_add() {
  static const Unit unit = ieee_add(formats::f32);
  return unit;
}

SchemaPtr f32_halves() {
  return schema(Halves{f32_add()});
}

}  // namespace whybits
