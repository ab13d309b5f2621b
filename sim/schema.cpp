#include "sim/schema.hpp"

namespace whybits {

const MapRegion* TopologyMap::find(std::uint64_t element) const& {
  for (const MapRegion& region : regions)
    if (element >= region.begin && element < region.end) return &region;
  return nullptr;
}

namespace {

struct ResultFormat {
  using Result = std::optional<Format>;
  Result of(const Schema& schema) const { return std::visit(*this, schema.form); }
  Result of(const Unit& unit) const {
    if (unit.kind == Unit::Kind::exact && !unit.after) return {};
    return unit.result_format();
  }
  template <class Pieces>
  Result merged(const Pieces& f) const {
    return of(f.merge ? *f.merge : *f.each);
  }

  Result operator()(const Fold& f) const { return of(f.unit); }
  Result operator()(const Pairs& f) const { return of(f.unit); }
  Result operator()(const Halves& f) const { return of(f.unit); }
  Result operator()(const Any& f) const { return of(f.unit); }
  Result operator()(const Explicit& f) const { return of(f.unit); }
  Result operator()(const Slices& f) const { return merged(f); }
  Result operator()(const Parts& f) const { return merged(f); }
  Result operator()(const Cut& f) const { return merged(f); }
  Result operator()(const Lanes& f) const { return merged(f); }
  Result operator()(const Rotate& f) const { return of(*f.inner); }
  Result operator()(const Reverse& f) const { return of(*f.inner); }
  Result operator()(const Order& f) const { return of(*f.inner); }
  Result operator()(const Take& f) const { return of(*f.inner); }
  Result operator()(const RoundTo& f) const { return f.conversion.to; }
  Result operator()(const AddOperand&) const { return formats::f32; }
};

}  // namespace

std::optional<Format> result_format(const Schema& schema) {
  return ResultFormat{}.of(schema);
}

}  // namespace whybits
