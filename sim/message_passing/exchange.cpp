#include <bit>

#include "sim/message_passing/programs.hpp"

namespace whybits::message_passing {
namespace {

/// Partners among a power of two of ranks; the others have handed their values to a neighbour.
class ExchangeRank final : public Rank {
 public:
  ExchangeRank(Values values, std::uint64_t rank, std::uint64_t ranks, std::uint64_t count,
               bool halves, bool far_first)
      : values_(std::move(values)),
        rank_(rank),
        power_(std::bit_floor(ranks)),
        extra_(ranks - power_),
        end_(count),
        halves_(halves) {
    for (std::uint64_t distance = 1; distance < power_; distance *= 2)
      distances_.insert(far_first ? distances_.begin() : distances_.end(), distance);
    place_ = rank < 2 * extra_ ? rank / 2 : rank - extra_;
  }

  bool done() const override { return done_; }

  std::vector<Message> round(std::uint64_t, std::vector<Message> arrived) override {
    std::vector<Message> sent;
    if (done_) return sent;
    const bool has_neighbour = rank_ < 2 * extra_;
    if (has_neighbour && rank_ % 2 == 0) {  // hands its values over, and waits
      if (!begun_) sent.push_back({rank_, rank_ + 1, values_.own(0, end_)});
      begun_ = true;
      if (!arrived.empty()) finish(std::move(arrived[0].piece));
      return sent;
    }
    for (Message& message : arrived) held_.push_back(std::move(message));
    if (!begun_) {
      if (has_neighbour && !take(rank_ - 1)) return sent;
      sum_ = has_neighbour ? values_.sum(taken_, values_.own(0, end_)) : values_.own(0, end_);
      begun_ = true;
      send_step(sent);
    }
    while (!done_ && step_ < distances_.size() && take(partner())) {
      reduce();
      ++step_;
      send_step(sent);
    }
    while (!done_ && step_ >= distances_.size() && gather(sent)) {
    }
    return sent;
  }

 private:
  std::uint64_t rank_of(std::uint64_t place) const {
    return place < extra_ ? 2 * place + 1 : place + extra_;
  }
  std::uint64_t partner() const { return rank_of(place_ ^ distances_[step_]); }

  /// The message of this sender, if it has arrived.
  bool take(std::uint64_t from) {
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (held_[i].from == from) {
        taken_ = std::move(held_[i].piece);
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
    return false;
  }

  /// What the partner of this step needs: all, or the half that it keeps.
  void send_step(std::vector<Message>& sent) {
    if (step_ == distances_.size()) {
      sum_ = values_.finished(sum_);
      if (!halves_) {
        finish(sum_);
        if (rank_ < 2 * extra_) sent.push_back({rank_, rank_ - 1, sum_});
        return;
      }
      send_gathered(sent);
      return;
    }
    if (!halves_) {
      sent.push_back({rank_, partner(), sum_});
      return;
    }
    const std::uint64_t middle = sum_.begin + (sum_.end() - sum_.begin) / 2;
    const bool lower = place_ < (place_ ^ distances_[step_]);
    Piece given =
        lower ? Values::part(sum_, middle, sum_.end()) : Values::part(sum_, sum_.begin, middle);
    sum_ = lower ? Values::part(sum_, sum_.begin, middle) : Values::part(sum_, middle, sum_.end());
    sent.push_back({rank_, partner(), std::move(given)});
  }

  void reduce() {
    const bool lower = place_ < (place_ ^ distances_[step_]);
    sum_ = lower ? values_.sum(sum_, taken_) : values_.sum(taken_, sum_);
  }

  /// Halves go back the way they came.
  void send_gathered(std::vector<Message>& sent) {
    if (gathered_ == distances_.size()) {
      if (rank_ < 2 * extra_) sent.push_back({rank_, rank_ - 1, sum_});
      finish(sum_);
      return;
    }
    const std::uint64_t distance = distances_[distances_.size() - 1 - gathered_];
    sent.push_back({rank_, rank_of(place_ ^ distance), sum_});
  }
  bool gather(std::vector<Message>& sent) {
    const std::uint64_t distance = distances_[distances_.size() - 1 - gathered_];
    if (!take(rank_of(place_ ^ distance))) return false;
    const bool below =
        taken_.begin < sum_.begin || (taken_.begin == sum_.begin && taken_.codes->empty());
    const Piece& low = below ? taken_ : sum_;
    const Piece& high = below ? sum_ : taken_;
    std::vector<Bits> codes = *low.codes;
    codes.insert(codes.end(), high.codes->begin(), high.codes->end());
    sum_ = {low.begin, std::make_shared<const std::vector<Bits>>(std::move(codes)), sum_.origin};
    ++gathered_;
    send_gathered(sent);
    return true;
  }

  void finish(Piece result) {
    done_ = true;
    deliver(std::move(result));
  }

  Values values_;
  std::uint64_t rank_, power_, extra_, end_, place_ = 0;
  bool halves_;
  std::vector<std::uint64_t> distances_;
  std::vector<Message> held_;
  Piece sum_, taken_;
  std::size_t step_ = 0, gathered_ = 0;
  bool begun_ = false, done_ = false;
};

}  // namespace

std::unique_ptr<Rank> doubling_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                    std::uint64_t count) {
  return std::make_unique<ExchangeRank>(std::move(values), rank, ranks, count, false, false);
}

std::unique_ptr<Rank> halving_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                   std::uint64_t count, bool far_first) {
  return std::make_unique<ExchangeRank>(std::move(values), rank, ranks, count, true, far_first);
}

}  // namespace whybits::message_passing
