#include "sim/message_passing/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/arith.hpp"
#include "sim/share_work.hpp"

namespace whybits::message_passing {
namespace {

/// The processor's own add, for the formats that it has.
template <class Float, class Word>
void add_native(std::vector<Bits>& acc, std::span<const Bits> other, Bits nan) {
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const Float sum = std::bit_cast<Float>(static_cast<Word>(acc[i])) +
                      std::bit_cast<Float>(static_cast<Word>(other[i]));
    acc[i] = std::isnan(sum) ? nan : std::bit_cast<Word>(sum);
  }
}

/// bf16 by way of the processor's f32. The sum is rounded twice, which is rounding once: f32 has
/// more than twice bf16's digits and two besides, and the same exponents.
void add_bf16(std::vector<Bits>& acc, std::span<const Bits> other) {
  constexpr int dropped = 16;  // fraction bits
  const auto value = [](Bits code) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code << dropped));
  };
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const float sum = value(acc[i]) + value(other[i]);
    const auto word = std::bit_cast<std::uint32_t>(sum);
    const std::uint32_t half_less = 0x7fff + (word >> dropped & 1);  // ties to even
    acc[i] = std::isnan(sum) ? formats::bf16.gpu_nan() : (word + half_less) >> dropped;
  }
}

/// Larger numbers have larger keys, −0 comes below +0, and NaN below everything that is larger.
std::int64_t key(const Format& format, Bits code, bool largest) {
  if (unpack(format, code).cls == FpClass::nan)
    return largest ? std::numeric_limits<std::int64_t>::min()
                   : std::numeric_limits<std::int64_t>::max();
  const auto magnitude = static_cast<std::int64_t>(code & format.magnitude_mask());
  return (code & format.sign_mask()) == 0 ? magnitude : -1 - magnitude;
}

/// The larger or the smaller of each two. Eight bits go by way of f16, where an infinity saturates
/// on the way back.
void select_codes(const Wire& wire, std::vector<Bits>& acc, std::span<const Bits> other) {
  const Format& format = wire.wide;
  const bool largest = wire.op == ReduceOp::max;
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const std::int64_t a = key(format, acc[i], largest), b = key(format, other[i], largest);
    if (largest ? b > a : b < a) acc[i] = other[i];
    const FpClass kind = unpack(format, acc[i]).cls;
    if (kind == FpClass::nan) acc[i] = format.gpu_nan();
    if (kind == FpClass::infinity && format.word_bytes() == 1 && wire.saturate)
      acc[i] = (acc[i] & format.sign_mask()) | format.max_finite();
  }
}

void add_codes(const Wire& wire, std::vector<Bits>& acc, std::span<const Bits> other) {
  if (wire.op != ReduceOp::sum) return select_codes(wire, acc, other);
  const Format& format = wire.wide;
  if (format == formats::f32) return add_native<float, std::uint32_t>(acc, other, format.gpu_nan());
  if (format == formats::f64)
    return add_native<double, std::uint64_t>(acc, other, format.gpu_nan());
  if (format == formats::bf16) return add_bf16(acc, other);
  if (format.word_bytes() > 1) {
    for (std::size_t i = 0; i < acc.size(); ++i) acc[i] = add(format, acc[i], other[i]);
    return;
  }
  // Eight bits have no add of their own: by way of f16.
  const RoundRule back{.overflow = wire.saturate ? Overflow::saturate : Overflow::ieee};
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const Bits sum = add(formats::f16, convert(format, formats::f16, acc[i]),
                         convert(format, formats::f16, other[i]));
    acc[i] = convert(formats::f16, format, sum, back);
  }
}

Piece with_codes(const Piece& like, std::vector<Bits> codes, OriginPtr origin) {
  return {like.begin, std::make_shared<const std::vector<Bits>>(std::move(codes)),
          std::move(origin)};
}

}  // namespace

std::vector<Bits> Values::own_codes(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Bits> codes(end - begin);
  if (!codes.empty()) source_->read(begin, 1, codes);
  if (!(wire_.wide == wire_.type))
    for (Bits& code : codes) code = convert(wire_.type, wire_.wide, code);
  return codes;
}

Piece Values::own(std::uint64_t begin, std::uint64_t end) const {
  return {begin, std::make_shared<const std::vector<Bits>>(own_codes(begin, end)), own_};
}

Piece Values::sum(const Piece& a, const Piece& b) const {
  std::vector<Bits> codes = *a.codes;
  add_codes(wire_, codes, *b.codes);
  return with_codes(a, std::move(codes), added(a.origin, b.origin));
}

Piece Values::plus_own(const Piece& a) const {
  std::vector<Bits> codes = own_codes(a.begin, a.end());
  add_codes(wire_, codes, *a.codes);
  return with_codes(a, std::move(codes), added(a.origin, own_));
}

Piece Values::plus_zero(const Piece& a) const {
  std::vector<Bits> codes(a.codes->size(), 0);
  add_codes(wire_, codes, *a.codes);
  return with_codes(a, std::move(codes), a.origin);
}

Piece Values::finished(const Piece& a) const {
  if (wire_.wide == wire_.type) return a;
  const RoundRule rule{.overflow = wire_.saturate ? Overflow::saturate : Overflow::ieee};
  std::vector<Bits> codes = *a.codes;
  for (Bits& code : codes) code = convert(wire_.wide, wire_.type, code, rule);
  return with_codes(a, std::move(codes), a.origin);
}

Piece Values::part(const Piece& a, std::uint64_t begin, std::uint64_t end) {
  const auto from = a.codes->begin() + static_cast<std::ptrdiff_t>(begin - a.begin);
  Piece part = with_codes(a, {from, from + static_cast<std::ptrdiff_t>(end - begin)}, a.origin);
  part.begin = begin;
  return part;
}

Traffic run(std::vector<std::unique_ptr<Rank>>& ranks, unsigned threads,
            const std::function<void(std::uint64_t, const Message&)>& watch) {
  Traffic traffic;
  std::vector<std::vector<Message>> arriving(ranks.size()), leaving(ranks.size());
  const auto waiting = [&] {
    return std::ranges::any_of(ranks, [](const auto& rank) { return !rank->done(); });
  };
  constexpr std::uint64_t group = 16;  // ranks that a thread takes at a time
  const std::uint64_t groups = (ranks.size() + group - 1) / group;
  std::uint64_t silent = 0;
  for (; waiting(); ++traffic.rounds) {
    share_work(groups, thread_count(threads), [&](std::uint64_t g) {
      const std::uint64_t last = std::min((g + 1) * group, std::uint64_t{ranks.size()});
      for (std::uint64_t r = g * group; r < last; ++r) {
        leaving[r] = ranks[r]->round(traffic.rounds, std::move(arriving[r]));
        arriving[r].clear();
      }
    });
    const std::uint64_t before = traffic.messages;
    for (std::vector<Message>& sent : leaving) {
      for (Message& message : sent) {
        if (watch) watch(traffic.rounds, message);
        ++traffic.messages;
        traffic.elements += message.piece.codes->size();
        arriving[message.to].push_back(std::move(message));
      }
      sent.clear();
    }
    silent = traffic.messages == before ? silent + 1 : 0;
    if (silent > 2)
      throw std::logic_error("message passing: ranks wait for messages that nobody sends");
  }
  return traffic;
}

}  // namespace whybits::message_passing
