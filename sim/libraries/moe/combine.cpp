#include "sim/libraries/moe/combine.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>

#include "sim/dyadic.hpp"

namespace whybits {
namespace {

constexpr std::array combines{
    MoeCombine{"vllm", false, 0, "read in source (since vllm#46643, June 2026)"},
    MoeCombine{"vllm-old", true, 4, "read in source (until June 2026)"},
    MoeCombine{"chain", true, 0, "what vllm-old does, for any number of experts"}};

/// An integer that orders the numbers of a format; −0 and +0 are one.
std::optional<std::int64_t> rank_of(const Format& format, Bits code) {
  const Unpacked u = unpack(format, code);
  if (u.cls == FpClass::nan) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(code & ~format.sign_mask());
  return u.negative ? -magnitude : magnitude;
}

}  // namespace

std::span<const MoeCombine> moe_combines() {
  return combines;
}

const MoeCombine* find_moe_combine(std::string_view name) {
  const auto found = std::ranges::find(combines, name, &MoeCombine::name);
  return found == combines.end() ? nullptr : &*found;
}

SchemaPtr moe_combine_sum(const MoeCombine& combine, std::uint64_t k, const Format& type) {
  if (k == 0) throw ConfigurationError("k", 0, "a token has at least one expert");
  if (combine.most_k != 0 && k > combine.most_k)
    throw ConfigurationError("k", k,
                             std::string(combine.name) + " is known for up to " +
                                 std::to_string(combine.most_k) +
                                 " experts; more went to an eager sum");
  if (type != formats::f32 && type != formats::f16 && type != formats::bf16)
    throw ConfigurationError("type = " + format_name(type) + ": known are f32, f16 and bf16");
  if (combine.chain || type == formats::f32) return schema(Fold{ieee_add(type)});
  return schema(RoundTo{schema(Fold{ieee_add(formats::f32)}), Conversion{type, {}}});
}

std::vector<std::uint32_t> top_experts(const Format& format, std::span<const Bits> logits,
                                       std::uint64_t k) {
  std::vector<std::uint32_t> experts(logits.size());
  std::iota(experts.begin(), experts.end(), 0U);
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    const auto x = rank_of(format, logits[a]), y = rank_of(format, logits[b]);
    if (x == y) return a < b;
    return x && (!y || *x > *y);
  };
  std::ranges::partial_sort(experts, experts.begin() + static_cast<std::ptrdiff_t>(k), better);
  experts.resize(k);
  return experts;
}

}  // namespace whybits
