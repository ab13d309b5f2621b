#include "sim/fast/kernels/kernels.hpp"

#include <algorithm>
#include <limits>

// Every included instruction set is compiled once; the processor decides at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/fast/kernels/kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
// Some compilers would get Highway's emulation of 128-bit vectors as the last resort. It is slower
// than the reference evaluator, which is ours.
#define HWY_BROKEN_EMU128 1
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway's last resort has one lane and no halves. Processors without SSE4 evaluate by reference.
#if HWY_TARGET != HWY_SCALAR
#include "sim/fast/kernels/aligned-inl.hpp"
#include "sim/fast/kernels/bf16_rows-inl.hpp"
#include "sim/fast/kernels/decode-inl.hpp"
#include "sim/fast/kernels/elements-inl.hpp"
#include "sim/fast/kernels/encode-inl.hpp"
#include "sim/fast/kernels/fold-inl.hpp"
#include "sim/fast/kernels/pairs-inl.hpp"
#include "sim/fast/kernels/rounding-inl.hpp"
#include "sim/fast/kernels/turn-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {

const Kernels* Table() {
#if HWY_TARGET == HWY_SCALAR
  return nullptr;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  static const Kernels table{hwy::TargetName(HWY_TARGET),
                             kFoldTile.vectors * hn::Lanes(D32()) * sizeof(float),
                             Decode,
                             Encode,
                             Exponents,
                             RowExponents,
                             RangeOf,
                             Turn,
                             Aligned,
                             Fma32,
                             Fma64,
                             AddLeafs<float>,
                             AddLeafs<double>,
                             TreeLeafs<float>,
                             TreeLeafs<double>,
                             General<float>,
                             General<double>,
                             PairLeafs<float>,
                             PairLeafs<double>,
                             Elements<float>,
                             Elements<double>,
                             Sum<float>,
                             Sum<double>,
                             RoundAll<float>,
                             RoundAll<double>};
  return &table;
#endif
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whybits::fast {

HWY_EXPORT(Table);

const Kernels* kernels() {
  return HWY_DYNAMIC_DISPATCH(Table)();
}

namespace {

/// Compiled in here and supported by this processor, best first.
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> found;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1)
    if ((left & -left) != HWY_SCALAR) found.push_back(left & -left);
  return found;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

bool pin_instruction_set(const std::string& name) {
  if (name.empty()) {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  for (const std::int64_t target : targets())
    if (name == hwy::TargetName(target)) {
      hwy::GetChosenTarget().Update(target);
      return true;
    }
  return false;
}

}  // namespace whybits::fast
#endif
