// Schemas that differ from another in one respect: the wrong neighbours that controls need.
#pragma once

#include <functional>

#include "sim/schema.hpp"

namespace whybits {

/// The schema with every form replaced that `edit` gives a replacement for (null: keep). Forms are
/// visited from the outside in; a replacement is not visited again.
SchemaPtr edit_schema(const SchemaPtr& schema, const std::function<SchemaPtr(const Schema&)>& edit);

/// The schema with every unit passed through `edit`.
SchemaPtr edit_units(const SchemaPtr& schema, const std::function<Unit(const Unit&)>& edit);

}  // namespace whybits
