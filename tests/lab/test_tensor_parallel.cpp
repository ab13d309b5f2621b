// A row-parallel layer as one topology: the bits of ranks that multiply their parts and pass
// messages; one arrangement whose bits no number of ranks changes, and others whose bits all do.
#include <memory>

#include "lab/all_reduce_spec.hpp"
#include "lab/generators.hpp"
#include "lab/inputs.hpp"
#include "lab/tensor_parallel.hpp"
#include "sim/builders/tensor_parallel.hpp"
#include "sim/message_passing/all_reduce.hpp"
#include "sim/notation.hpp"
#include "sim/tensor.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

struct Layer {
  Layer(const GemmShape& shape, const Format& type, const std::string& seed)
      : a(parse_input("uniform:" + seed, type, shape.m * shape.k)),
        b(parse_input("wide:" + seed, type, shape.k * shape.n)) {
    request.operands.shape = shape;
    request.operands.a = a.get();
    request.operands.b = b.get();
    request.with_exact = false;
  }
  std::unique_ptr<CodeSource> a, b;
  LayerRequest request;
};

/// What `ranks` ranks compute: each one its part of K by the reference evaluator, then messages.
std::vector<Bits> by_messages(const GemmOperands& operands, const SchemaPtr& kernel,
                              AllReduceConfig config) {
  const GemmShape& s = operands.shape;
  const std::uint64_t part = s.k / config.ranks;
  std::vector<std::unique_ptr<CodeVector>> owned;
  std::vector<const CodeSource*> sources;
  for (std::uint64_t r = 0; r < config.ranks; ++r) {
    std::vector<Bits> partial;
    for (std::uint64_t i = 0; i < s.m; ++i)
      for (std::uint64_t j = 0; j < s.n; ++j) {
        std::vector<Bits> x(part), y(part);
        operands.a->read(i * s.k + r * part, 1, x);
        operands.b->read(r * part * s.n + j, s.n, y);
        const OperandVector left(operands.a->format(), x), right(operands.b->format(), y);
        Leaves leaves;
        leaves.a = &left;
        leaves.b = &right;
        partial.push_back(evaluate(make_reduction(kernel, part, LeafTypes::of(leaves)), leaves));
      }
    owned.push_back(std::make_unique<CodeVector>(config.type, std::move(partial)));
    sources.push_back(owned.back().get());
  }
  config.count = s.m * s.n;
  return message_passing::run_whole(message_passing::all_reduce_ranks(config, sources),
                                    config.count)
      .codes[0];
}

const std::vector<const char*> kernels{
    "fold(sm90.wgmma.bf16) > bf16", "fold(sm90.wgmma.bf16)", "fold(f32.fma) > bf16",
    "slices(24, fold(sm90.mma.bf16), fold(f32)) > bf16", "parts(3, fold(exact) > f32, fold(f32))"};

}  // namespace

TEST_CASE("one topology has the bits of ranks that multiply their parts and pass messages") {
  const Layer layer({3, 13, 192}, formats::bf16, "5");
  for (const char* text : {kernels[0], kernels[1], kernels[3]})
    for (const AllReduce algorithm : {AllReduce::ring, AllReduce::tree, AllReduce::rabenseifner,
                                      AllReduce::linear, AllReduce::vllm_one_stage})
      for (const std::uint64_t ranks : {2U, 4U, 8U}) {
        const SchemaPtr kernel = parse_topology(text);
        AllReduceConfig config{algorithm, ranks, 39, *result_format(*kernel)};
        CAPTURE(text, static_cast<int>(algorithm), ranks);
        LayerRequest request = layer.request;
        request.plans = {{1, row_parallel_map(kernel, 1, {}, 39)},
                         {ranks, row_parallel_map(kernel, ranks, all_reduce_map(config), 39)}};
        CHECK(study_layer(request).plans[1].codes ==
              by_messages(layer.request.operands, kernel, config));
      }
}

TEST_CASE("one binary tree over K and ranks has the same bits for every number of ranks") {
  std::string seed = "1";
  for (const GemmShape& shape :
       {GemmShape{1, 64, 14336}, {2, 33, 1024}, {5, 7, 200}, {3, 9, 8}, {1, 1, 16}}) {
    const Layer layer(shape, formats::bf16, seed += "1");
    for (const char* text : kernels) {
      const SchemaPtr kernel = parse_topology(text);
      LayerRequest request = layer.request;
      const std::uint64_t outputs = shape.m * shape.n;
      for (const std::uint64_t ranks : {1U, 2U, 4U, 8U})
        request.plans.push_back(
            {ranks,
             row_parallel_map(invariant_row_parallel(kernel, ranks, 8, shape.k), 1, {}, outputs)});
      const LayerStudy study = study_layer(request);
      CAPTURE(text, shape.m, shape.n, shape.k);
      CHECK_FALSE(study.any_differs());
      for (std::size_t p = 1; p < study.plans.size(); ++p) {
        CHECK(study.plans[p].codes == study.plans[0].codes);
        CHECK(study.plans[p].other_tree == 0);
      }
    }
  }
}

TEST_CASE("chains on each rank and a ring give other bits for every number of ranks") {
  const Layer layer({2, 96, 2048}, formats::bf16, "3");
  for (const char* text : {kernels[0], kernels[1]}) {
    const SchemaPtr kernel = parse_topology(text);
    LayerRequest request = layer.request;
    request.plans = {{1, row_parallel_map(kernel, 1, {}, 192)}};
    for (const std::uint64_t ranks : {2U, 4U, 8U}) {
      const TopologyMap ring =
          all_reduce_map({AllReduce::ring, ranks, 192, *result_format(*kernel)});
      request.plans.push_back({ranks, row_parallel_map(kernel, ranks, ring, 192)});
    }
    const LayerStudy study = study_layer(request);
    REQUIRE(study.first_difference().has_value());
    CHECK(study.first_difference()->plan == 1);
    for (std::size_t p = 1; p < 4; ++p) {
      CHECK(study.plans[p].against_first.differ > 20);
      CHECK(study.plans[p].other_tree == 192);
    }
    const OutputStory story = tell_layer(request, *study.first_difference());
    CHECK(story.after_a == study.plans[0].codes[study.first_difference()->output]);
    CHECK(story.after_b == study.plans[1].codes[study.first_difference()->output]);
  }
}

TEST_CASE("the invariant tree is not that of chains, and is refused where no binary tree fits") {
  const SchemaPtr kernel = parse_topology(kernels[0]);
  CHECK(print(*invariant_row_parallel(kernel, 2, 8, 64)) ==
        "parts(2, parts(4, fold(sm90.wgmma.bf16), pairs(f32)), pairs(f32)) > bf16");
  CHECK(print(*invariant_row_parallel(kernel, 1, 1, 64)) == kernels[0]);
  CHECK_THROWS_AS(invariant_row_parallel(kernel, 3, 8, 64), ConfigurationError);
  CHECK_THROWS_AS(invariant_row_parallel(kernel, 2, 6, 66), ConfigurationError);
  CHECK_THROWS_AS(invariant_row_parallel(kernel, 8, 4, 64), ConfigurationError);
  CHECK_THROWS_AS(invariant_row_parallel(kernel, 2, 8, 63), ConfigurationError);
  CHECK_THROWS_AS(invariant_row_parallel(parse_topology("fold(exact)"), 2, 8, 64),
                  ConfigurationError);
}
