#include <algorithm>

#include "exact/oracle.hpp"
#include "lab/recording.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "visualizer/model/export_data.hpp"
#include "visualizer/model/recordings_model.hpp"
#include "visualizer/model/session.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"
#include "visualizer/scenes/gemm/gemm_hardware.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits;
using namespace whybits::viz;
using whybits::test::TemporaryFolder;

namespace {

std::shared_ptr<const PairResult> result_of(const SceneState& state) {
  if (const auto* sum = std::get_if<SumState>(&state)) return SumModel().compute(*sum);
  return GemmModel().compute(std::get<GemmState>(state));
}

std::filesystem::path recordings() {
  return std::filesystem::path(WHYBITS_SOURCE_DIR) / "tests/recordings";
}

/// Codes that an H200 gave for this row of the layer.
std::vector<Bits> recorded(const std::string& name) {
  const auto codes = read_recording(recordings() / name).output_codes();
  return read_all(*codes);
}

/// The exact result that the operation prints, as a number.
Dyadic result_exact(const OperationView& view) {
  REQUIRE(view.exact_ends);
  const mpq_class value = parse_number(view.exact).value;
  // A dyadic: the denominator is a power of two.
  const auto places = static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 2)) - 1;
  return {value.get_num(), -places};
}

}  // namespace

TEST_CASE("the story's outputs are what an H200 computed, at both ends of the slider") {
  GemmState state = std::get<GemmState>(find_preset("batch-64-128").state);
  GemmModel model;
  const auto result = model.compute(state);
  REQUIRE(result->valid());
  CHECK(result->study->topologies[0].after == recorded("cublas-bf16-m1-n4096-k14336.json"));
  CHECK(result->study->topologies[1].after == recorded("cublas-bf16-m128-n4096-k14336.json"));
  state.b.batch = 1024;
  CHECK(model.compute(state)->study->topologies[1].after ==
        recorded("cublas-bf16-m1024-n4096-k14336.json"));
}

TEST_CASE("the first picture is the claim: 16 outputs differ, 55 is one of them") {
  const auto result = result_of(find_preset("batch-64-128").state);
  REQUIRE(result->valid());
  const std::vector<Bits> a = recorded("cublas-bf16-m1-n4096-k14336.json");
  const std::vector<Bits> b = recorded("cublas-bf16-m128-n4096-k14336.json");
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i] ? 1U : 0U;
  CHECK(result->summary.differ_after == differ);
  CHECK(differ == 16);
  CHECK(a[55] != b[55]);
  const StoryModel& story = *result->story;
  CHECK(story.output == 55);
  CHECK(story.bits.a.code == a[55]);
  CHECK(story.bits.b.code == b[55]);
  CHECK(story.bits.right == OutputBits::Right::a);
  CHECK(result->a.name == Phrase{"label.slices", {"4"}});
  CHECK(result->b.name == Phrase{"label.slices", {"2"}});
  // A's slices and B's, and one ribbon of merges each.
  CHECK(story.axis.a.ribbons.size() == 5);
  CHECK(story.axis.b.ribbons.size() == 3);
  REQUIRE(story.first_part);
  CHECK(story.first_part->side == Side::b);
  CHECK(view_step(story.story.b, static_cast<std::int64_t>(story.first_part->step),
                  story.leaves.get())
            .rows[1]
            .leaf == 3584);
}

TEST_CASE("each side is held against what hardware gave for its tree, and a wrong tree shows") {
  GemmState state = std::get<GemmState>(find_preset("batch-64-128").state);
  GemmModel model(recordings());
  const auto result = model.compute(state);
  REQUIRE(result->hardware.size() == 2);
  CHECK(result->hardware[0].batch == 1);  // the same tree as at 64
  CHECK(result->hardware[1].batch == 128);
  for (const HardwareAnswer& answer : result->hardware) {
    CHECK(answer.compared == 4096);
    CHECK(answer.wrong == 0);
    CHECK(answer.device == "NVIDIA H200");
  }
  // The control: B's outputs against A's recording are wrong where the two differ.
  GemmState swapped = state;
  std::swap(swapped.a, swapped.b);
  HardwareAnswers answers(recordings());
  CHECK(answers.find(swapped, *find_layer(state.layer), Side::a, *result->study)->wrong == 16);
  state.input_a = "uniform:10";  // nobody recorded these inputs
  CHECK(model.compute(state)->hardware.empty());
}

TEST_CASE("every preset computes, tells what its claim says, and has words for it") {
  for (const Session& preset : presets()) {
    const std::string& name = preset.preset->name;
    if (std::holds_alternative<BitsState>(preset.state) || name == "million") continue;
    CAPTURE(name);
    const auto result = result_of(preset.state);
    REQUIRE(result->valid());
    const bool same = name == "same-tree" || name == "block-k";
    CHECK((result->summary.differ_after == 0) == same);
    CHECK(result->summary.same_tree == same);
    REQUIRE(result->story);
    for (const std::vector<Phrase>* phrases : {&result->overview, &result->story->why})
      for (const Phrase& phrase : *phrases) {
        CAPTURE(phrase.key);
        for (const Language language : {Language::english, Language::chinese})
          CHECK(has_text(language, phrase.key));
        CHECK(phrase_text(phrase).find('{') == std::string::npos);
      }
  }
}

TEST_CASE("what is said to be the same on both sides is the same") {
  const auto common = [](const char* preset) {
    return result_of(find_preset(preset).state)->common;
  };
  CHECK_FALSE(common("step-width").matrix_units);   // another instruction
  CHECK_FALSE(common("step-width").last_rounding);  // there is none
  CHECK(common("block-k").matrix_units);
  CHECK(common("batch-64-128").matrix_units);
  CHECK(common("batch-64-128").last_rounding == Conversion{formats::bf16, {}});
  GemmState state = std::get<GemmState>(find_preset("block-k").state);
  state.a.notation = "fold(sm90.wgmma.bf16) > bf16";
  state.b.notation = "fold(sm90.wgmma.bf16) > f16";
  const auto other_rounding = result_of(state);
  CHECK(other_rounding->common.matrix_units);
  CHECK_FALSE(other_rounding->common.last_rounding);
  SumState sum;
  CHECK_FALSE(result_of(sum)->common.matrix_units);  // an IEEE add is no matrix unit
}

TEST_CASE("trees that differ have different names, and pieces of one chain are called so") {
  const auto step = result_of(find_preset("step-width").state);
  CHECK(step->a.name == Phrase{"label.chain_step", {"16"}});
  CHECK(step->b.name == Phrase{"label.chain_step", {"8"}});
  const auto formats = result_of(find_preset("bf16-chain").state);
  CHECK(formats->a.name == Phrase{"label.chain_in", {"bf16"}});
  CHECK(formats->b.name == Phrase{"label.chain_in", {"f32"}});
  for (const Session& preset : presets()) {
    if (std::holds_alternative<BitsState>(preset.state)) continue;
    CAPTURE(preset.preset->name);
    const auto result = result_of(preset.state);
    CHECK(result->summary.same_tree ==
          (preset.preset->name == "block-k" || preset.preset->name == "same-tree"));
    CHECK((result->a.name != result->b.name || result->summary.same_tree));
  }
  const auto block = result_of(find_preset("block-k").state);
  CHECK(block->a.name == Phrase{"label.chain_pieces", {"32"}});
  CHECK(block->b.name == Phrase{"label.chain_pieces", {"64"}});
}

TEST_CASE("sums by lanes are called by their lanes") {
  const auto block = result_of(find_preset("block-sum").state);
  CHECK(block->a.name == Phrase{"label.lanes", {"256"}});
  CHECK(block->b.name == Phrase{"label.lanes_by", {"64", "4"}});
}

TEST_CASE("a parting is called the last where the sums of the same leaves differed before") {
  CHECK_FALSE(result_of(find_preset("batch-64-128").state)->story->parted_before);
  const auto result = result_of(find_preset("step-width").state);
  const StoryModel& story = *result->story;
  CHECK(story.parted_before);
  // Step i of A ends where step 2 i + 1 of B does: 16 leaves, or twice 8.
  const auto& a = story.story.a.nodes;
  const auto& b = story.story.b.nodes;
  REQUIRE(b.size() == 2 * a.size());
  REQUIRE(story.first_part);
  const std::size_t part = story.first_part->step / (story.first_part->side == Side::b ? 2 : 1);
  std::vector<bool> equal;
  for (std::size_t i = 0; i < a.size(); ++i) equal.push_back(a[i].code == b[2 * i + 1].code);
  CHECK(std::count(equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(part), false) > 0);
  CHECK(equal[part - 1]);
  CHECK(std::count(equal.begin() + static_cast<std::ptrdiff_t>(part), equal.end(), true) == 0);
}

TEST_CASE("a choice that nobody recorded is refused, naming the nearest that was") {
  GemmState state;
  state.b.batch = 5000;
  const auto result = GemmModel().compute(state);
  CHECK_FALSE(result->valid());
  CHECK(result->error_side == Side::b);
  CHECK_THAT(result->remedy, whybits::test::contains("4096"));
}

TEST_CASE("a topology that cannot be read or run is an error with its side and column") {
  SumModel model;
  SumState state;
  state.b = "fold(f32";
  auto result = model.compute(state);
  CHECK(result->error_side == Side::b);
  CHECK(result->error_column == std::size_t{9});
  state.b = "fold(sm90.wgmma.bf16)";
  result = model.compute(state);
  CHECK_FALSE(result->valid());
  state.b = "fold(f32)";
  CHECK(model.compute(state)->valid());
}

TEST_CASE("a stopped computation gives nothing, and the next one everything") {
  std::stop_source stop;
  stop.request_stop();
  GemmModel model;
  GemmState state = std::get<GemmState>(find_preset("step-width").state);
  CHECK(model.compute(state, stop.get_token()) == nullptr);
  CHECK(model.compute(state)->valid());
}

TEST_CASE("every operation can be chosen, keeps its operands and lasts in a session") {
  const std::vector<std::string> choices = operation_choices();
  CHECK(choices.size() == all_arithmetic.size() + 1);
  BitsState state;
  state.operands = {"3"};
  for (const std::string& name : choices) {
    CAPTURE(name);
    const BitsState changed = change_operation(state, name);
    CHECK(changed.operands.front() == "3");
    CHECK(compute(changed).valid());
    const Session session{changed, std::nullopt};
    CHECK(parse_session(session_text(session), "session") == session);
  }
  CHECK_THROWS_AS(change_operation(state, "plus"), UsageError);
}

TEST_CASE("turning a bit over twice gives the number back, in every format") {
  for (const NamedFormat& named : named_formats()) {
    BitsState state;
    state.format = named.name;
    state.operands = {"1"};
    const BitsResult before = compute(state);
    REQUIRE(before.valid());
    for (int bit = 0; bit < named.format.code_bits(); ++bit) {
      const BitsState once = flip_bit(state, bit);
      const BitsResult flipped = compute(once);
      CAPTURE(named.name, bit);
      REQUIRE(flipped.valid());
      CHECK((flipped.operands[0].number.code ^ before.operands[0].number.code) == (Bits{1} << bit));
      CHECK(compute(flip_bit(once, bit)).operands[0].number.code == before.operands[0].number.code);
    }
  }
}

TEST_CASE("2048 + 1 in f16 is a tie between 2048 and 2050 that goes to the even one") {
  const BitsResult result = compute(std::get<BitsState>(find_preset("tie-2049").state));
  REQUIRE(result.valid());
  CHECK(result.result->code ==
        exact::oracle_sum({formats::f16, std::vector<Bits>{0x6800, 0x3C00}}, formats::f16));
  CHECK(result.operation->step.guard);
  CHECK_FALSE(result.operation->step.round);
  CHECK_FALSE(result.operation->step.sticky);
  REQUIRE(result.line);
  double exact = -1, number = -1, middle = -1;
  for (const NumberLinePoint& p : result.line->points) {
    if (p.what == NumberLinePoint::What::exact) exact = p.at;
    if (p.what == NumberLinePoint::What::result_a) number = p.at;
    if (p.what == NumberLinePoint::What::midpoint && p.text == "2049") middle = p.at;
  }
  CHECK(exact == middle);
  CHECK(number < exact);
}

TEST_CASE("aligned rows of an operation are its operands, its exact result and its rounding") {
  for (const char* operation : {"add", "sub", "mul", "fma", "convert"}) {
    BitsState state;
    state.operation = operation;
    state.format = "f32";
    state.operands = {"0.1"};
    if (state.operation == "convert") state.result_format = "bf16";
    if (state.operation != "convert") state.operands.emplace_back("-3.7e-3");
    if (state.operation == "fma") state.operands.emplace_back("12345.678");
    const BitsResult result = compute(state);
    CAPTURE(operation);
    REQUIRE(result.aligned);
    const StepView& view = *result.aligned;
    CHECK(view.kept_sum == result_exact(*result.operation));
    CHECK(view.result.value == view.kept_sum + view.discarded);
    CHECK(view.conversion.guard == result.operation->step.guard);
    CHECK(view.conversion.sticky == result.operation->step.sticky);
  }
  BitsState root;
  root.operation = "sqrt";
  root.operands = {"2"};
  CHECK_FALSE(compute(root).aligned);
}

TEST_CASE("the recordings browser is green for what hardware gave, red for a damaged copy") {
  const auto rows = list_recordings(recordings());
  CHECK(rows.size() > 100);
  const auto good = check_recording(recordings() / "gpu-sum-cub-w4-k1000.json");
  CHECK(good.state == RecordingState::every_bit);
  Recording damaged = read_recording(recordings() / "gpu-sum-cub-w4-k1000.json");
  REQUIRE(damaged.output.words);
  std::vector<std::uint8_t> words = *damaged.output.words;
  words[0] ^= 1;
  set_output(damaged, words);
  const TemporaryFolder folder;
  const auto path = folder.path() / "damaged.json";
  write_recording(path, damaged);
  const auto red = check_recording(path);
  CHECK(red.state == RecordingState::differs);
  CHECK(red.verification->wrong == 1);
  std::filesystem::remove(path);
  CHECK(check_recording(path).state == RecordingState::refused);
  CHECK(count({good, red}).every_bit == 1);
}

TEST_CASE("a table of outputs has a line each, of steps one for each of both traces") {
  const auto result = result_of(find_preset("step-width").state);
  const auto lines = [](const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  CHECK(lines(outputs_csv(*result)) == 1 + result->summary.outputs);
  const StoryModel& story = *result->story;
  CHECK(lines(steps_csv(story)) == 1 + story.story.a.nodes.size() + story.story.b.nodes.size());
  CHECK(lines(ribbons_csv(story)) == 1 + story.axis.a.ribbons.size() + story.axis.b.ribbons.size());
  CHECK(lines(step_csv(*selected_step(story, {}))) == 3 + selected_step(story, {})->rows.size());
}

TEST_CASE("the ones of a number are powers of two that add up to it") {
  // bf16's 0.1 is 0x3DCD: 1.1001101 in binary, times 2^-4.
  const std::vector<PlaceValue> places = place_values(formats::bf16, 0x3DCD);
  const std::vector<int> exponents{-4, -5, -8, -9, -11};
  const std::vector<std::string> values{"0.0625", "0.03125", "0.00390625", "0.001953125",
                                        "0.00048828125"};
  const std::vector<std::string> sums{"0.0625", "0.09375", "0.09765625", "0.099609375",
                                      "0.10009765625"};
  REQUIRE(places.size() == exponents.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    CHECK(places[i].exponent == exponents[i]);
    CHECK(places[i].value == values[i]);
    CHECK(places[i].so_far == sums[i]);
  }
  CHECK(place_values(formats::bf16, 0xBDCD).size() == places.size());  // the sign is another bit
  CHECK(place_values(formats::f16, 0x0001).at(0).exponent == -24);     // subnormal
  CHECK(place_values(formats::f16, 0x0000).empty());
  CHECK(place_values(formats::f16, 0x7C00).empty());
  CHECK(place_values(formats::f16, 0x7E00).empty());
}

TEST_CASE("a number that was rounded has what was typed on its line, and both distances") {
  const auto line_of = [](const char* number, const char* format) {
    BitsState state;
    state.operands = {number};
    state.format = format;
    state.operation = "none";
    return compute(state).line.value();
  };
  const auto exact_at = [](const NumberLine& line) {
    const auto found = std::find_if(line.points.begin(), line.points.end(), [](const auto& p) {
      return p.what == NumberLinePoint::What::exact;
    });
    return found == line.points.end() ? std::nullopt : std::optional(found->at);
  };
  const NumberLine tenth = line_of("0.1", "bf16");
  REQUIRE(exact_at(tenth));
  // From the neighbour below, 0.099609375, in steps of 2^-11: 0.8 of a step.
  CHECK(*exact_at(tenth) == Catch::Approx(0.8));
  CHECK(tenth.unit == "2⁻¹¹");
  CHECK_FALSE(exact_at(line_of("0.5", "bf16")));
  CHECK(line_of("2048", "f16").unit == "2⁰ → 2¹");  // 2047, 2048, 2050
}
