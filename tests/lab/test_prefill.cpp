// A prompt in chunks, by the study that the command line shows.
#include "lab/inputs.hpp"
#include "lab/prefill_study.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

constexpr std::uint64_t keys = 700, d = 64;

AttentionRequest request_of(std::vector<std::uint64_t> rows) {
  AttentionRequest request;
  request.shape = {.queries = keys, .keys = keys, .head_size = d, .causal = true};
  const auto open = [](const char* text) {
    return open_tensor("input", text, formats::bf16, {1, 1, keys, d});
  };
  request.inputs = {open("uniform:1"), open("uniform:2"), open("uniform:3")};
  request.rows = std::move(rows);
  request.scale = 0x3e000000;  // 1/8
  return request;
}

PrefillWay way_of(const char* kernel, const FlashWish& wish, const PrefillSchedule& schedule) {
  const FlashKernel& known = *find_flash_kernel(kernel);
  const AttentionShape prompt{.keys = keys, .head_size = d};
  return {kernel, schedule, prefill_launches(known, prompt, wish, {}).front(),
          prefill_launches(known, prompt, wish, schedule)};
}

}  // namespace

TEST_CASE("A row of a chunk is that of an attention whose keys end with the chunk") {
  const PrefillLaunch launch =
      way_of("fa2", {.splits = 3}, {.cached = 100, .chunk = 250}).launches[1];
  REQUIRE(launch.first == 350);
  REQUIRE(launch.end == 600);
  const AttentionRequest prompt = request_of({350, 411, 599});
  AttentionRequest alone = prompt;
  alone.shape.queries = 250;
  alone.shape.keys = 600;
  alone.rows = {0, 61, 249};
  alone.inputs = {part_of(prompt.inputs.q, 350 * d, 250 * d), part_of(prompt.inputs.k, 0, 600 * d),
                  part_of(prompt.inputs.v, 0, 600 * d)};
  const AttentionOutputs chunk = run_attention(prompt, launch.plan);
  const AttentionOutputs expected = run_attention(alone, launch.plan);
  CHECK(chunk.y == expected.y);
  CHECK(chunk.lse == expected.lse);
}

TEST_CASE("Runs cover every query behind the cache, and what must not differ does not") {
  for (const auto& [kernel, wish, moves] : {std::tuple{"fa2", FlashWish{.splits = 1}, false},
                                            {"fa2", FlashWish{.block = 64, .splits = 3}, true},
                                            {"fa2", FlashWish{.split_keys = 256}, false},
                                            {"vllm-fa3", FlashWish{}, true}}) {
    const PrefillWay way = way_of(kernel, wish, {.cached = 33, .chunk = 60});
    const std::vector<PrefillRun> runs = compare_prefill(request_of(spread_rows(keys, 12)), way);
    std::uint64_t next = 33, differ = 0;
    for (const PrefillRun& run : runs) {
      CAPTURE(kernel, run.first, run.last, run.reason);
      CHECK(run.first == next);
      CHECK(run.rows > 0);
      if (run.must_not_differ) CHECK(run.outputs_differ == 0);
      CHECK(run.first_difference.has_value() == (run.outputs_differ > 0));
      differ += run.outputs_differ;
      next = run.last + 1;
    }
    CHECK(next == keys);
    CHECK((differ > 0) == moves);
  }
}
