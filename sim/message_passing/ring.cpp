#include <algorithm>

#include "sim/message_passing/programs.hpp"

namespace whybits::message_passing {
namespace {

class RingRank final : public Rank {
 public:
  RingRank(Values values, std::uint64_t rank, std::uint64_t ranks, std::vector<RingLoop> loops,
           bool starts_at_owner)
      : values_(std::move(values)),
        rank_(rank),
        ranks_(ranks),
        loops_(std::move(loops)),
        first_(starts_at_owner ? 0 : ranks - 1) {}

  bool done() const override { return loop_ == loops_.size(); }

  std::vector<Message> round(std::uint64_t, std::vector<Message> arrived) override {
    std::vector<Message> sent;
    if (done()) return sent;
    if (step_ == 0) {
      sent.push_back(to_next(own(chunk_of(first_))));
    } else {
      Piece piece = std::move(arrived.at(0).piece);
      if (step_ < ranks_) {
        piece = values_.plus_own(piece);
        if (step_ == ranks_ - 1) piece = values_.finished(piece);
      }
      if (step_ >= ranks_ - 1) deliver(piece);
      if (step_ < 2 * (ranks_ - 1)) sent.push_back(to_next(std::move(piece)));
    }
    if (++step_ > 2 * (ranks_ - 1)) {
      step_ = 0;
      ++loop_;
    }
    return sent;
  }

 private:
  std::uint64_t chunk_of(std::uint64_t ahead) const { return (rank_ + ahead) % ranks_; }

  Piece own(std::uint64_t chunk) const {
    const RingLoop& loop = loops_[loop_];
    const std::uint64_t length = loop.end - loop.begin;
    const auto border = [&](std::uint64_t c) {
      if (loop.chunk != 0) return loop.begin + std::min(c * loop.chunk, length);
      return loop.begin + c * (length / ranks_) + std::min(c, length % ranks_);
    };
    return values_.own(border(chunk), border(chunk + 1));
  }

  Message to_next(Piece piece) const { return {rank_, (rank_ + 1) % ranks_, std::move(piece)}; }

  Values values_;
  std::uint64_t rank_, ranks_;
  std::vector<RingLoop> loops_;
  std::uint64_t first_;
  std::size_t loop_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Rank> ring_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                std::vector<RingLoop> loops, bool starts_at_owner) {
  return std::make_unique<RingRank>(std::move(values), rank, ranks, std::move(loops),
                                    starts_at_owner);
}

}  // namespace whybits::message_passing
