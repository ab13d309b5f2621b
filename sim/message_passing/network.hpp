// Ranks that exchange messages in rounds. A rank is a program that knows its own number, its
// neighbours, the round and what it has received: nothing of the whole.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/message_passing/origin.hpp"
#include "sim/reduce_op.hpp"  // its names: plain data
#include "sim/source.hpp"
#include "sim/unit.hpp"

namespace whybits::message_passing {

/// Partial or final results of consecutive elements. Immutable: passing it on copies nothing.
struct Piece {
  std::uint64_t begin = 0;
  std::shared_ptr<const std::vector<Bits>> codes;
  OriginPtr origin;

  std::uint64_t end() const { return begin + codes->size(); }
};

struct Message {
  std::uint64_t from = 0, to = 0;
  Piece piece;
};

/// How values are added and kept while they travel.
struct Wire {
  Format type;            ///< of inputs and results
  Format wide;            ///< of partial results; type itself, or wider and rounded once at the end
  bool saturate = false;  ///< narrowing saturates: fp8
  bool from_zero = false;  ///< sums of owners begin at +0
  ReduceOp op = ReduceOp::sum;
};

/// A rank's own values, and arithmetic on pieces.
class Values {
 public:
  Values(const CodeSource& source, const Wire& wire, std::uint64_t rank, std::uint64_t ranks)
      : source_(&source), wire_(wire), own_(own_value(rank, ranks)) {}

  const Wire& wire() const { return wire_; }
  Piece own(std::uint64_t begin, std::uint64_t end) const;
  /// a + b. Precondition: the same elements.
  Piece sum(const Piece& a, const Piece& b) const;
  /// a + the own values of the same elements.
  Piece plus_own(const Piece& a) const;
  Piece plus_zero(const Piece& a) const;  ///< +0 + a: of −0 it makes +0
  Piece finished(const Piece& a) const;   ///< rounded to the type
  static Piece part(const Piece& a, std::uint64_t begin, std::uint64_t end);

 private:
  std::vector<Bits> own_codes(std::uint64_t begin, std::uint64_t end) const;

  const CodeSource* source_;
  Wire wire_;
  OriginPtr own_;
};

class Rank {
 public:
  virtual ~Rank() = default;
  /// Called once a round with what arrived; returns what to send. Results go to `deliver`.
  virtual std::vector<Message> round(std::uint64_t round, std::vector<Message> arrived) = 0;
  virtual bool done() const = 0;

  /// A final piece of this rank; each rank delivers every element once.
  std::function<void(Piece)> deliver;
};

struct Traffic {
  std::uint64_t rounds = 0, messages = 0, elements = 0;
};

/// Runs rounds until every rank is done; ranks of a round run on several threads. What a rank
/// throws is thrown again. `watch`, if set, sees every message before it is delivered, in the order
/// of senders. Errors: std::logic_error if ranks wait for ever.
Traffic run(std::vector<std::unique_ptr<Rank>>& ranks, unsigned threads = 0,
            const std::function<void(std::uint64_t round, const Message&)>& watch = {});

}  // namespace whybits::message_passing
