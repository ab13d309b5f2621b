// The router of a mixture of experts under two topologies: a logit that moves by its last bit may
// change which experts a token gets, and then everything changes.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/schema.hpp"
#include "sim/source.hpp"

namespace whybits {

struct RouterRequest {
  std::uint64_t tokens = 1, experts = 1, hidden = 1, k = 1;
  std::shared_ptr<const CodeSource> x;  ///< tokens × hidden
  std::shared_ptr<const CodeSource> w;  ///< hidden × experts
  SchemaPtr a, b;                       ///< of one logit, over `hidden` products
};

/// A token whose experts are others: the first place where the two lists differ.
struct RouterFlip {
  std::uint64_t token = 0, place = 0;
  std::uint32_t expert_a = 0, expert_b = 0;
  Bits logit_a = 0, logit_b = 0;  ///< of expert_a and expert_b, both under A
};
struct RouterStudy {
  Format format;  ///< of the logits
  std::uint64_t logits_differ = 0, logits = 0;
  std::uint64_t ties = 0;           ///< tokens whose k-th and next logit are equal under A
  std::uint64_t near_ties = 0;      ///< … are equal or neighbours in their format
  std::uint64_t sets_differ = 0;    ///< tokens that get other experts
  std::uint64_t orders_differ = 0;  ///< tokens that get them in another order, or others
  std::vector<RouterFlip> flips;    ///< the first few tokens that get others
};

/// Errors: UsageError for k beyond the experts and topologies that cannot run on these operands or
/// end in different formats.
RouterStudy run_router_study(const RouterRequest& request);

std::string router_text(const RouterRequest& request, const RouterStudy& study);
nlohmann::ordered_json router_json(const RouterStudy& study);

}  // namespace whybits
