// Left folds of products whose operands both differ from lane to lane: dot products of the rows of
// two matrices.
#if defined(WHYBITS_PAIRS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_PAIRS_INL
#undef WHYBITS_PAIRS_INL
#else
#define WHYBITS_PAIRS_INL
#endif

#include <hwy/highway.h>

#include "sim/fast/kernels/fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T, class Rounding>
HWY_INLINE void FusedPairs(const Leafs<T>& leafs, const Block<T>& block, Rounding rounding) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t vectors = 4;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < block.columns; c += vectors * lanes) {
    hn::Vec<decltype(d)> acc[vectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) acc[v] = hn::LoadU(d, block.acc + c + v * lanes);
    for (std::size_t i = 0; i < leafs.count; ++i)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v)
        acc[v] = rounding(hn::MulAdd(hn::LoadU(d, leafs.paired[i] + c + v * lanes),
                                     hn::LoadU(d, leafs.b[i] + c + v * lanes), acc[v]));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(acc[v], d, block.acc + c + v * lanes);
  }
}

/// By any rule, and where the processor has no fma: double has f32's products exactly.
template <class T>
HWY_INLINE void GeneralPairs(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
  for (std::size_t c = 0; c < block.columns; c += hn::Lanes(D64())) {
    V64 acc = LoadDouble(block.acc + c);
    for (std::size_t i = 0; i < leafs.count; ++i) {
      const V64 product = hn::Mul(FlushOperand(*f.step, LoadDouble(leafs.paired[i] + c)),
                                  FlushOperand(*f.step, LoadDouble(leafs.b[i] + c)));
      acc = After(f, AddLanes(*f.step, product, FlushOperand(*f.step, acc)));
    }
    StoreDouble(acc, block.acc + c);
  }
}

/// One row of outputs.
template <class T>
void PairLeafs(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
  if (f.kernel != Arithmetic::Kernel::fma) return GeneralPairs(f, leafs, block);
  if constexpr (kHasFma)
    WithRounding<T>(f, [&](auto rounding) { FusedPairs(leafs, block, rounding); });
  else if constexpr (sizeof(T) == 4)
    GeneralPairs(f, leafs, block);
  else
    for (std::size_t c = 0; c < block.columns; ++c)
      for (std::size_t i = 0; i < leafs.count; ++i)
        block.acc[c] = std::fma(leafs.paired[i][c], leafs.b[i][c], block.acc[c]);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
