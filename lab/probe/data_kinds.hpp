// Random tiles of several kinds, each a place where models of a matrix unit go wrong.
#pragma once

#include <array>
#include <string_view>

#include "lab/probe/claim.hpp"

namespace whybits {

enum class DataKind : std::uint8_t {
  uniform,     ///< uniform:S, as recordings have it
  wide,        ///< wide:S
  bits,        ///< bits:S: any pattern, NaN, infinities and subnormals included
  finite,      ///< any pattern that is a finite number
  cancelling,  ///< products in pairs that cancel but for their last bits
  tiny,        ///< products about the accumulator's smallest numbers, zeros of both signs
  huge,        ///< products and c about the accumulator's largest numbers
  special      ///< zeros of both signs, ones, infinities and NaN in few places
};
inline constexpr std::array<std::string_view, 8> data_kind_names{
    "uniform", "wide", "bits", "finite", "cancelling", "tiny", "huge", "special"};
constexpr std::string_view data_kind_name(DataKind kind) {
  return data_kind_names[static_cast<std::size_t>(kind)];
}

/// Operands of a kind that recordings can name: A is stream S, B is S + 1, C is S + 2.
constexpr bool is_stream(DataKind kind) {
  return kind <= DataKind::bits;
}

/// Tiles first … first + tiles − 1 of the endless sequence that kind and seed name.
gpu::TileBatch random_tiles(const Claim& claim, DataKind kind, std::uint64_t seed,
                            std::uint64_t first, std::uint64_t tiles, unsigned threads);

}  // namespace whybits
