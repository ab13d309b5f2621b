// Left folds on lanes: one accumulator an output, leaves in order, k never reordered.
#if defined(WHYBITS_FOLD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_FOLD_INL
#undef WHYBITS_FOLD_INL
#else
#define WHYBITS_FOLD_INL
#endif

#include <hwy/highway.h>

#include <cmath>

#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Highway's MulAdd is fused only where the processor has it.
constexpr bool kHasFma = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

struct FusedProducts {
  template <class V>
  HWY_INLINE V operator()(V acc, V a, V b) const {
    return hn::MulAdd(a, b, acc);
  }
};
struct RoundedProducts {
  template <class V>
  HWY_INLINE V operator()(V acc, V a, V b) const {
    return hn::Add(acc, hn::Mul(a, b));
  }
};

/// kRows × kVectors accumulators stay in registers over all leaves.
template <std::size_t kRows, std::size_t kVectors, class T, class Take>
HWY_INLINE void FoldTile(const Leafs<T>& leafs, const Block<T>& block, std::size_t row,
                         std::size_t column, Take take) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V acc[kRows][kVectors];
  T* at = block.acc + row * block.stride + column;
  const T* rows[kRows];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
    rows[r] = leafs.a + (row + r) * leafs.a_stride;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      acc[r][v] = hn::LoadU(d, at + r * block.stride + v * lanes);
  }
  for (std::size_t i = 0; i < leafs.count; ++i) {
    V b[kVectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) b[v] = hn::LoadU(d, leafs.b[i] + column + v * lanes);
    const std::uint32_t which = leafs.which[i];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) {
      const V a = hn::Set(d, rows[r][which]);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = take(acc[r][v], a, b[v]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(acc[r][v], d, at + r * block.stride + v * lanes);
}

template <class T, class Take>
HWY_INLINE void FoldProducts(const Leafs<T>& leafs, const Block<T>& block, Take take) {
  constexpr bool wide = HWY_TARGET == HWY_AVX3;
  constexpr std::size_t rows = 6, vectors = wide ? 4 : 2;
  const std::size_t width = vectors * hn::Lanes(hn::ScalableTag<T>());
  for (std::size_t c = 0; c < block.columns; c += width) {
    std::size_t r = 0;
    for (; r + rows <= block.rows; r += rows) FoldTile<rows, vectors>(leafs, block, r, c, take);
    for (; r + 2 <= block.rows; r += 2) FoldTile<2, vectors>(leafs, block, r, c, take);
    for (; r < block.rows; ++r) FoldTile<1, vectors>(leafs, block, r, c, take);
  }
}

template <class T>
HWY_INLINE void FoldValues(const Leafs<T>& leafs, const Block<T>& block) {
  const hn::ScalableTag<T> d;
  for (std::size_t r = 0; r < block.rows; ++r)
    for (std::size_t c = 0; c < block.columns; c += hn::Lanes(d)) {
      auto acc = hn::LoadU(d, block.acc + r * block.stride + c);
      for (std::size_t i = 0; i < leafs.count; ++i)
        acc = hn::Add(acc, hn::LoadU(d, leafs.b[i] + c));
      hn::StoreU(acc, d, block.acc + r * block.stride + c);
    }
}

template <class T>
void AddLeafs(const Leafs<T>& leafs, const Block<T>& block) {
  if (leafs.a == nullptr) return FoldValues(leafs, block);
  FoldProducts(leafs, block, RoundedProducts());
}

/// By any rule: leaves and accumulators in double.
template <class T>
HWY_INLINE V64 LoadDouble(const T* from) {
  const D64 d;
  if constexpr (sizeof(T) == 8)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(H32(), from));
}
template <class T>
HWY_INLINE void StoreDouble(V64 v, T* to) {
  if constexpr (sizeof(T) == 8)
    hn::StoreU(v, D64(), to);
  else
    hn::StoreU(hn::DemoteTo(H32(), v), H32(), to);
}

HWY_INLINE V64 GeneralAdd(const Arithmetic& f, V64 acc, V64 x) {
  if (!f.step) return hn::Add(acc, x);
  return AddLanes(*f.step, FlushOperand(*f.step, acc), FlushOperand(*f.step, x));
}
HWY_INLINE V64 After(const Arithmetic& f, V64 v) {
  return f.after ? ConvertLanes(*f.after, v) : v;
}

template <class T>
void General(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
  const D64 d;
  const bool fused = f.unit.kind == Unit::Kind::fma;
  for (std::size_t r = 0; r < block.rows; ++r)
    for (std::size_t c = 0; c < block.columns; c += hn::Lanes(d)) {
      T* at = block.acc + r * block.stride + c;
      V64 acc = LoadDouble(at);
      for (std::size_t i = 0; i < leafs.count; ++i) {
        V64 x = LoadDouble(leafs.b[i] + c);
        if (leafs.a != nullptr) {
          const V64 a = hn::Set(d, leafs.a[r * leafs.a_stride + leafs.which[i]]);
          x = fused ? hn::Mul(FlushOperand(*f.step, a), FlushOperand(*f.step, x)) : hn::Mul(a, x);
          if (f.product) x = ConvertLanes(*f.product, x);
          // A narrower lane's own product: rounded as the lane's multiply would.
          else if (!fused && sizeof(T) == 4)
            x = hn::PromoteTo(d, hn::DemoteTo(H32(), x));
        }
        if (fused)
          acc = AddLanes(*f.step, x, FlushOperand(*f.step, acc));
        else
          acc = GeneralAdd(f, acc, x);
        acc = After(f, acc);
      }
      StoreDouble(acc, at);
    }
}

void Fma32(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block) {
  if constexpr (kHasFma)
    FoldProducts(leafs, block, FusedProducts());
  else
    General(f, leafs, block);
}

void Fma64(const Arithmetic&, const Leafs<double>& leafs, const Block<double>& block) {
  if constexpr (kHasFma) {
    FoldProducts(leafs, block, FusedProducts());
  } else {
    for (std::size_t r = 0; r < block.rows; ++r)
      for (std::size_t c = 0; c < block.columns; ++c) {
        double& acc = block.acc[r * block.stride + c];
        for (std::size_t i = 0; i < leafs.count; ++i)
          acc = std::fma(leafs.a[r * leafs.a_stride + leafs.which[i]], leafs.b[i][c], acc);
      }
  }
}

template <class T>
void Sum(const Arithmetic& f, T* acc, const T* x, std::size_t count) {
  if (f.kernel == Arithmetic::Kernel::add) {
    const hn::ScalableTag<T> d;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d))
      hn::StoreU(hn::Add(hn::LoadU(d, acc + i), hn::LoadU(d, x + i)), d, acc + i);
    return;
  }
  for (std::size_t i = 0; i < count; i += hn::Lanes(D64()))
    StoreDouble(After(f, GeneralAdd(f, LoadDouble(acc + i), LoadDouble(x + i))), acc + i);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
