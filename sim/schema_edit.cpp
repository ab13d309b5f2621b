#include "sim/schema_edit.hpp"

namespace whybits {
namespace {

struct Rebuild {
  const std::function<SchemaPtr(const Schema&)>& edit;

  SchemaPtr of(const SchemaPtr& old) const {
    if (!old) return old;  // chain
    if (SchemaPtr replacement = edit(*old)) return replacement;
    return std::visit([&](const auto& form) { return rebuilt(old, form); }, old->form);
  }

  template <class Form>
  SchemaPtr rebuilt(const SchemaPtr& old, const Form& form) const {
    if constexpr (requires { form.each; }) {
      Form copy = form;
      copy.each = of(form.each);
      copy.merge = of(form.merge);
      bool same = copy.each == form.each && copy.merge == form.merge;
      if constexpr (requires { form.ragged; }) {
        copy.ragged = of(form.ragged);
        same = same && copy.ragged == form.ragged;
      }
      return same ? old : schema(std::move(copy));
    } else if constexpr (requires { form.inner; }) {
      Form copy = form;
      copy.inner = of(form.inner);
      return copy.inner == form.inner ? old : schema(std::move(copy));
    } else {
      return old;
    }
  }
};

}  // namespace

SchemaPtr edit_schema(const SchemaPtr& schema,
                      const std::function<SchemaPtr(const Schema&)>& edit) {
  return Rebuild{edit}.of(schema);
}

SchemaPtr edit_units(const SchemaPtr& old, const std::function<Unit(const Unit&)>& edit) {
  return edit_schema(old, [&](const Schema& s) {
    return std::visit(
        [&](const auto& form) -> SchemaPtr {
          if constexpr (requires { form.unit; }) {
            auto copy = form;
            copy.unit = edit(form.unit);
            return schema(std::move(copy));
          } else {
            return nullptr;
          }
        },
        s.form);
  });
}

}  // namespace whybits
