// The data on which answers are judged: fixed, and not told to the learner.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/source.hpp"

namespace whybits::course {

/// What a set of vectors is made of.
enum class DataKind : std::uint8_t {
  uniform,     ///< on [−1, 1)
  wide,        ///< sixteen binades: addends that vanish
  cancelling,  ///< large ones that cancel, and small ones between them
  words        ///< any storage word: infinities, NaN, subnormals
};

struct DataSet {
  DataKind kind{};
  std::uint64_t vectors = 0;
};
/// The sets for vectors of n numbers: fewer of long ones, any words only where not everything would
/// end as NaN.
std::vector<DataSet> data_sets(std::uint64_t n);

/// `vectors` × `n` codes, row-major. `operand` keeps a and b of products apart.
std::unique_ptr<CodeSource> hidden_codes(const DataSet& set, const Format& format, std::uint64_t n,
                                         std::uint64_t operand);

}  // namespace whybits::course
