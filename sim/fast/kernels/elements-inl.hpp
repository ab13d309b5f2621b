// Elementwise operations on lanes.
#if defined(WHYBITS_ELEMENTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_ELEMENTS_INL
#undef WHYBITS_ELEMENTS_INL
#else
#define WHYBITS_ELEMENTS_INL
#endif

#include <hwy/highway.h>

#include <cmath>

#include "sim/fast/kernels/fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out = op(x…) on vectors of the lane itself; true if a result is NaN.
template <std::size_t kOperands, class T, class Op>
HWY_INLINE bool ForLanes(const T* const* x, T* out, std::size_t count, Op op) {
  const hn::ScalableTag<T> d;
  auto nan = hn::IsNaN(hn::Zero(d));
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> v[kOperands];
    for (std::size_t j = 0; j < kOperands; ++j) v[j] = hn::LoadU(d, x[j] + i);
    const auto result = op(v);
    nan = hn::Or(nan, hn::IsNaN(result));
    hn::StoreU(result, d, out + i);
  }
  return !hn::AllFalse(d, nan);
}

/// The same on double vectors, whatever the lane.
template <std::size_t kOperands, class T, class Op>
HWY_INLINE bool ForDoubles(const T* const* x, T* out, std::size_t count, Op op) {
  const D64 d;
  auto nan = hn::IsNaN(hn::Zero(d));
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    V64 v[kOperands];
    for (std::size_t j = 0; j < kOperands; ++j) v[j] = LoadDouble(x[j] + i);
    const V64 result = op(v);
    nan = hn::Or(nan, hn::IsNaN(result));
    StoreDouble(result, out + i);
  }
  return !hn::AllFalse(d, nan);
}

/// A NaN loses to any number; of zeros, +0 is larger.
template <class V>
HWY_INLINE V MaxLanes(V a, V b) {
  const V larger = hn::IfThenElse(hn::Gt(a, b), a, b);
  const V chosen = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), larger);
  return hn::IfThenElse(hn::IsNaN(b), a, chosen);  // where a is NaN, b was chosen
}

template <class T>
HWY_INLINE bool FusedElements(const ElementStep& step, const T* const* x, T* out,
                              std::size_t count) {
  if constexpr (kHasFma) {
    return ForLanes<3>(x, out, count, [](const auto* v) { return hn::MulAdd(v[0], v[1], v[2]); });
  } else if constexpr (sizeof(T) == 4) {
    const Rounder& r = *step.rounder;
    return ForDoubles<3>(x, out, count,
                         [&](const V64* v) { return AddLanes(r, hn::Mul(v[0], v[1]), v[2]); });
  } else {
    (void)step;
    bool nan = false;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = std::fma(x[0][i], x[1][i], x[2][i]);
      nan |= out[i] != out[i];
    }
    return nan;
  }
}

template <class T>
bool NativeElements(const ElementStep& step, const T* const* x, T* out, std::size_t count) {
  using enum MapOperation::Kind;
  switch (step.kind) {
    case add:
      return ForLanes<2>(x, out, count, [](const auto* v) { return hn::Add(v[0], v[1]); });
    case sub:
      return ForLanes<2>(x, out, count, [](const auto* v) { return hn::Sub(v[0], v[1]); });
    case mul:
      return ForLanes<2>(x, out, count, [](const auto* v) { return hn::Mul(v[0], v[1]); });
    case div:
      return ForLanes<2>(x, out, count, [](const auto* v) { return hn::Div(v[0], v[1]); });
    case sqrt:
      return ForLanes<1>(x, out, count, [](const auto* v) { return hn::Sqrt(v[0]); });
    case max:
      return ForLanes<2>(x, out, count, [](const auto* v) { return MaxLanes(v[0], v[1]); });
    case negate:
      return ForLanes<1>(x, out, count, [](const auto* v) {
        return hn::Xor(v[0], hn::SignBit(hn::ScalableTag<T>()));
      });
    case fma:
      return FusedElements(step, x, out, count);
    case convert:
    case given:
      break;
  }
  return ForLanes<1>(x, out, count, [](const auto* v) { return v[0]; });
}

template <class T>
bool RoundedElements(const ElementStep& step, const T* const* x, T* out, std::size_t count) {
  using enum MapOperation::Kind;
  const Rounder& r = *step.rounder;
  const auto in = [&](V64 v) { return FlushOperand(r, v); };
  switch (step.kind) {
    case add:
      return ForDoubles<2>(x, out, count,
                           [&](const V64* v) { return AddLanes(r, in(v[0]), in(v[1])); });
    case sub:
      return ForDoubles<2>(x, out, count,
                           [&](const V64* v) { return AddLanes(r, in(v[0]), hn::Neg(in(v[1]))); });
    case mul:
      return ForDoubles<2>(
          x, out, count, [&](const V64* v) { return RoundLanes(r, hn::Mul(in(v[0]), in(v[1]))); });
    case div:
      return ForDoubles<2>(
          x, out, count, [&](const V64* v) { return RoundLanes(r, hn::Div(in(v[0]), in(v[1]))); });
    case sqrt:
      return ForDoubles<1>(x, out, count,
                           [&](const V64* v) { return RoundLanes(r, hn::Sqrt(in(v[0]))); });
    case fma:
      return ForDoubles<3>(x, out, count, [&](const V64* v) {
        return AddLanes(r, hn::Mul(in(v[0]), in(v[1])), in(v[2]));
      });
    default:
      break;
  }
  if constexpr (sizeof(T) == 4)
    if (r.shortcut != Shortcut::none)
      return ForLanes<1>(x, out, count, [&](const auto* v) { return ConvertFloats(r, v[0]); });
  return ForDoubles<1>(x, out, count, [&](const V64* v) { return ConvertLanes(r, v[0]); });
}

template <class T>
bool Elements(const ElementStep& step, const T* const* x, T* out, std::size_t count) {
  if (step.kernel == ElementStep::Kernel::native) return NativeElements(step, x, out, count);
  return RoundedElements(step, x, out, count);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
