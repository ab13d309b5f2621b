#include <algorithm>

#include "sim/message_passing/programs.hpp"

namespace whybits::message_passing {
namespace {

class TreeRank final : public Rank {
 public:
  TreeRank(Values values, std::uint64_t rank, TreeNeighbours neighbours, std::uint64_t begin,
           std::uint64_t end)
      : values_(std::move(values)),
        rank_(rank),
        neighbours_(std::move(neighbours)),
        begin_(begin),
        end_(end),
        sums_(neighbours_.children.size()) {}

  bool done() const override { return done_; }

  std::vector<Message> round(std::uint64_t, std::vector<Message> arrived) override {
    std::vector<Message> sent;
    for (Message& message : arrived)
      if (neighbours_.parent == message.from)
        give_down(std::move(message.piece), sent);
      else
        from_child(std::move(message));
    if (!sent_up_ && std::ranges::all_of(sums_, [](const Piece& p) { return p.codes != nullptr; }))
      send_up(sent);
    return sent;
  }

 private:
  void from_child(Message message) {
    const auto child = std::ranges::find(neighbours_.children, message.from);
    sums_[static_cast<std::size_t>(child - neighbours_.children.begin())] =
        std::move(message.piece);
  }

  void send_up(std::vector<Message>& sent) {
    sent_up_ = true;
    Piece acc = values_.own(begin_, end_);
    for (const Piece& sum : sums_) acc = values_.sum(acc, sum);
    sums_.clear();
    if (neighbours_.parent)
      sent.push_back({rank_, *neighbours_.parent, std::move(acc)});
    else
      give_down(values_.finished(acc), sent);
  }

  void give_down(Piece result, std::vector<Message>& sent) {
    done_ = true;
    for (const std::uint64_t child : neighbours_.children) sent.push_back({rank_, child, result});
    deliver(std::move(result));
  }

  Values values_;
  std::uint64_t rank_;
  TreeNeighbours neighbours_;
  std::uint64_t begin_, end_;
  std::vector<Piece> sums_;
  bool sent_up_ = false, done_ = false;
};

}  // namespace

std::unique_ptr<Rank> tree_rank(Values values, std::uint64_t rank, TreeNeighbours neighbours,
                                std::uint64_t begin, std::uint64_t end) {
  return std::make_unique<TreeRank>(std::move(values), rank, std::move(neighbours), begin, end);
}

}  // namespace whybits::message_passing
