#include "sim/work_budget.hpp"

#include "sim/expand.hpp"

namespace whybits {

void WorkBudget::exhausted() {
  throw TopologyError(
      "this topology is too irregular for so many addends: laying it out would take too much time "
      "or memory; choose fewer addends or larger pieces");
}

}  // namespace whybits
