#include "sim/message_passing/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "sim/arith.hpp"
#include "sim/share_work.hpp"

namespace whybits::message_passing {
namespace {

/// The processor's own add, for the two formats that it has.
template <class Float, class Word>
void add_native(std::vector<Bits>& acc, std::span<const Bits> other, Bits nan) {
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const Float sum = std::bit_cast<Float>(static_cast<Word>(acc[i])) +
                      std::bit_cast<Float>(static_cast<Word>(other[i]));
    acc[i] = std::isnan(sum) ? nan : std::bit_cast<Word>(sum);
  }
}

void add_codes(const Wire& wire, std::vector<Bits>& acc, std::span<const Bits> other) {
  const Format& format = wire.wide;
  if (format == formats::f32) return add_native<float, std::uint32_t>(acc, other, format.gpu_nan());
  if (format == formats::f64)
    return add_native<double, std::uint64_t>(acc, other, format.gpu_nan());
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

Piece Values::own(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Bits> codes(end - begin);
  if (!codes.empty()) source_->read(begin, 1, codes);
  if (!(wire_.wide == wire_.type))
    for (Bits& code : codes) code = convert(wire_.type, wire_.wide, code);
  return {begin, std::make_shared<const std::vector<Bits>>(std::move(codes)), own_};
}

Piece Values::sum(const Piece& a, const Piece& b) const {
  std::vector<Bits> codes = *a.codes;
  add_codes(wire_, codes, *b.codes);
  return with_codes(a, std::move(codes), added(a.origin, b.origin));
}

Piece Values::plus_own(const Piece& a) const {
  return sum(a, own(a.begin, a.end()));
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
