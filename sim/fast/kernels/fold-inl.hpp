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
constexpr bool kHasFma = HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3;

/// What follows the lane's own step.
struct NoRounding {
  template <class V>
  HWY_INLINE V operator()(V v) const {
    return v;
  }
};
struct BrainRounding {
  int fraction_bits;
  HWY_INLINE V32 operator()(V32 v) const { return RoundToBrain(fraction_bits, v); }
};
struct HalfRounding {
  const Rounder& rounder;
  HWY_INLINE V32 operator()(V32 v) const { return RoundToHalf(rounder, v); }
};

/// Calls function(rounding) with the rounding of an arithmetic's steps.
template <class T, class Function>
HWY_INLINE void WithRounding(const Arithmetic& f, Function function) {
  if constexpr (sizeof(T) == 4)
    if (f.post) {
      if (f.post->shortcut == Shortcut::half) return function(HalfRounding{*f.post});
      return function(BrainRounding{f.post->fraction_bits});
    }
  function(NoRounding());
}

template <class Rounding>
struct FusedProducts {
  Rounding rounding;
  template <class V>
  HWY_INLINE V operator()(V acc, V a, V b) const {
    return rounding(hn::MulAdd(a, b, acc));
  }
  template <class V>
  HWY_INLINE V first(V a, V b) const {
    return hn::Mul(a, b);
  }
};
template <class Rounding>
struct RoundedProducts {
  Rounding rounding;
  template <class V>
  HWY_INLINE V operator()(V acc, V a, V b) const {
    return rounding(hn::Add(acc, hn::Mul(a, b)));
  }
  template <class V>
  HWY_INLINE V first(V a, V b) const {
    return hn::Mul(a, b);
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
  const bool copied = leafs.first_is_copied;
  const T* b0 = leafs.b[0] + column;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
    rows[r] = leafs.a + (row + r) * leafs.a_stride;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      acc[r][v] =
          copied ? take.first(hn::Set(d, rows[r][leafs.which[0]]), hn::LoadU(d, b0 + v * lanes))
                 : hn::LoadU(d, at + r * block.stride + v * lanes);
  }
  for (std::size_t i = copied ? 1 : 0; i < leafs.count; ++i) {
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
  constexpr bool wide = HWY_TARGET <= HWY_AVX3;
  constexpr std::size_t rows = 6, vectors = wide ? 4 : 2;
  const std::size_t width = vectors * hn::Lanes(hn::ScalableTag<T>());
  for (std::size_t c = 0; c < block.columns; c += width) {
    std::size_t r = 0;
    for (; r + rows <= block.rows; r += rows) FoldTile<rows, vectors>(leafs, block, r, c, take);
    for (; r + 2 <= block.rows; r += 2) FoldTile<2, vectors>(leafs, block, r, c, take);
    for (; r < block.rows; ++r) FoldTile<1, vectors>(leafs, block, r, c, take);
  }
}

template <class T, class Rounding>
HWY_INLINE void FoldValues(const Leafs<T>& leafs, const Block<T>& block, Rounding rounding) {
  const hn::ScalableTag<T> d;
  for (std::size_t r = 0; r < block.rows; ++r)
    for (std::size_t c = 0; c < block.columns; c += hn::Lanes(d)) {
      T* at = block.acc + r * block.stride + c;
      auto acc = hn::LoadU(d, leafs.first_is_copied ? leafs.b[0] + c : at);
      for (std::size_t i = leafs.first_is_copied ? 1 : 0; i < leafs.count; ++i)
        acc = rounding(hn::Add(acc, hn::LoadU(d, leafs.b[i] + c)));
      hn::StoreU(acc, d, at);
    }
}

template <class T>
void AddLeafs(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
  WithRounding<T>(f, [&](auto rounding) {
    if (leafs.a == nullptr)
      FoldValues(leafs, block, rounding);
    else
      FoldProducts(leafs, block, RoundedProducts<decltype(rounding)>{rounding});
  });
}

/// A leaf of a block of kRows rows and four vectors, made where it is added.
template <std::size_t kRows, bool kProducts, class T>
struct TreeLeaf {
  using V = hn::Vec<hn::ScalableTag<T>>;
  const T* b;
  V a[kRows];

  HWY_INLINE TreeLeaf(const Leafs<T>& leafs, std::size_t i, std::size_t row, std::size_t column)
      : b(leafs.b[i] + column) {
    if constexpr (kProducts) {
      const T* from = leafs.a + row * leafs.a_stride + leafs.which[i];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r)
        a[r] = hn::Set(hn::ScalableTag<T>(), from[r * leafs.a_stride]);
    }
  }
  HWY_INLINE V operator()(std::size_t r, std::size_t v) const {
    const hn::ScalableTag<T> d;
    const V value = hn::LoadU(d, b + v * hn::Lanes(d));
    if constexpr (kProducts)
      return hn::Mul(a[r], value);
    else
      return value;
  }
};

/// A small tree: the top of the stack in registers, what is below in the first cache.
template <std::size_t kRows, bool kProducts, class T, class Rounding>
HWY_INLINE void TreeTile(const std::vector<StackStep>& steps, const Leafs<T>& leafs,
                         const Block<T>& block, std::size_t row, std::size_t column,
                         Rounding rounding) {
  constexpr std::size_t vectors = 4;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  using Leaf = TreeLeaf<kRows, kProducts, T>;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T stack[most_tree_depth][kRows * vectors * hn::MaxLanes(d)];
  std::size_t depth = 0, leaf = 0;
  V top[kRows][vectors];
  for (const StackStep step : steps) {
    switch (step) {
      case StackStep::load: {
        const Leaf x(leafs, leaf++, row, column);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v) top[r][v] = x(r, v);
        break;
      }
      case StackStep::add: {
        const Leaf x(leafs, leaf++, row, column);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v)
            top[r][v] = rounding(hn::Add(top[r][v], x(r, v)));
        break;
      }
      case StackStep::add_pair: {
        const Leaf x(leafs, leaf, row, column), y(leafs, leaf + 1, row, column);
        leaf += 2;
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v)
            top[r][v] = rounding(hn::Add(top[r][v], rounding(hn::Add(x(r, v), y(r, v)))));
        break;
      }
      case StackStep::add_four: {
        const Leaf x(leafs, leaf, row, column), y(leafs, leaf + 1, row, column);
        const Leaf z(leafs, leaf + 2, row, column), w(leafs, leaf + 3, row, column);
        leaf += 4;
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v) {
            const V first = rounding(hn::Add(x(r, v), y(r, v)));
            const V second = rounding(hn::Add(z(r, v), w(r, v)));
            top[r][v] = rounding(hn::Add(top[r][v], rounding(hn::Add(first, second))));
          }
        break;
      }
      case StackStep::push: {
        T* to = stack[depth++];
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v)
            hn::Store(top[r][v], d, to + (r * vectors + v) * lanes);
        break;
      }
      case StackStep::pop: {
        const T* from = stack[--depth];
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v)
            top[r][v] = rounding(hn::Add(hn::Load(d, from + (r * vectors + v) * lanes), top[r][v]));
        break;
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v)
      hn::StoreU(top[r][v], d, block.acc + (row + r) * block.stride + column + v * lanes);
}

template <bool kProducts, class T>
HWY_INLINE void TreeBlock(const Arithmetic& f, const std::vector<StackStep>& steps,
                          const Leafs<T>& leafs, const Block<T>& block) {
  WithRounding<T>(f, [&](auto rounding) {
    for (std::size_t c = 0; c < block.columns; c += 4 * hn::Lanes(hn::ScalableTag<T>())) {
      std::size_t r = 0;
      for (; r + 2 <= block.rows; r += 2)
        TreeTile<2, kProducts>(steps, leafs, block, r, c, rounding);
      if (r < block.rows) TreeTile<1, kProducts>(steps, leafs, block, r, c, rounding);
    }
  });
}

template <class T>
void TreeLeafs(const Arithmetic& f, const std::vector<StackStep>& steps, const Leafs<T>& leafs,
               const Block<T>& block) {
  if (leafs.a == nullptr)
    TreeBlock<false>(f, steps, leafs, block);
  else
    TreeBlock<true>(f, steps, leafs, block);
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
    WithRounding<float>(f, [&](auto rounding) {
      FoldProducts(leafs, block, FusedProducts<decltype(rounding)>{rounding});
    });
  else
    General(f, leafs, block);
}

void Fma64(const Arithmetic&, const Leafs<double>& leafs, const Block<double>& block) {
  if constexpr (kHasFma) {
    FoldProducts(leafs, block, FusedProducts<NoRounding>{});
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
    return WithRounding<T>(f, [&](auto rounding) {
      for (std::size_t i = 0; i < count; i += hn::Lanes(d))
        hn::StoreU(rounding(hn::Add(hn::LoadU(d, acc + i), hn::LoadU(d, x + i))), d, acc + i);
    });
  }
  for (std::size_t i = 0; i < count; i += hn::Lanes(D64()))
    StoreDouble(After(f, GeneralAdd(f, LoadDouble(acc + i), LoadDouble(x + i))), acc + i);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
