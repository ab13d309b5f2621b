#include "sim/message_passing/programs.hpp"

namespace whybits::message_passing {
namespace {

class OwnerRank final : public Rank {
 public:
  OwnerRank(Values values, std::uint64_t rank, std::uint64_t ranks, const Owners& owners)
      : values_(std::move(values)), rank_(rank), ranks_(ranks), owners_(owners), pieces_(ranks) {}

  bool done() const override { return finished_ == (owners_.everybody ? 1 : ranks_); }

  std::vector<Message> round(std::uint64_t round, std::vector<Message> arrived) override {
    std::vector<Message> sent;
    if (round == 0) {  // everybody's values of what others own
      for (std::uint64_t other = 0; other < ranks_; ++other)
        if (other != rank_) sent.push_back({rank_, other, own_values_of(other)});
      return sent;
    }
    if (round > 1) {  // results
      for (Message& message : arrived) give(std::move(message.piece));
      return sent;
    }
    for (Message& message : arrived) pieces_[message.from] = std::move(message.piece);
    pieces_[rank_] = own_values_of(rank_);
    Piece sum = pieces_[first()];
    if (values_.wire().from_zero) sum = values_.plus_zero(sum);
    for (std::uint64_t i = 1; i < ranks_; ++i)
      sum = values_.sum(sum, pieces_[(first() + i) % ranks_]);
    pieces_.clear();
    sum = values_.finished(sum);
    if (!owners_.everybody)
      for (std::uint64_t other = 0; other < ranks_; ++other)
        if (other != rank_) sent.push_back({rank_, other, sum});
    give(std::move(sum));
    return sent;
  }

 private:
  std::uint64_t first() const { return owners_.from_owner ? rank_ : 0; }
  Piece own_values_of(std::uint64_t owner) const {
    if (owners_.everybody) return values_.own(owners_.borders.front(), owners_.borders.back());
    return values_.own(owners_.borders[owner], owners_.borders[owner + 1]);
  }
  void give(Piece piece) {
    ++finished_;
    deliver(std::move(piece));
  }

  Values values_;
  std::uint64_t rank_, ranks_;
  Owners owners_;
  std::vector<Piece> pieces_;
  std::uint64_t finished_ = 0;
};

}  // namespace

std::unique_ptr<Rank> owner_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                 const Owners& owners) {
  return std::make_unique<OwnerRank>(std::move(values), rank, ranks, owners);
}

}  // namespace whybits::message_passing
