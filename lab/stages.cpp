#include "lab/stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/compare.hpp"
#include "lab/progress.hpp"
#include "lab/study.hpp"
#include "lab/text_table.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/stored_source.hpp"

namespace whybits {
namespace {

class PartOf final : public CodeSource {
 public:
  PartOf(std::shared_ptr<const CodeSource> all, std::uint64_t begin, std::uint64_t size)
      : all_(std::move(all)), begin_(begin), size_(size) {}
  Format format() const override { return all_->format(); }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    all_->read(begin_ + first, stride, out);
  }

 private:
  std::shared_ptr<const CodeSource> all_;
  std::uint64_t begin_, size_;
};

/// The same of words in memory.
class StoredPartOf final : public StoredSource {
 public:
  StoredPartOf(std::shared_ptr<const StoredSource> all, std::uint64_t begin, std::uint64_t size)
      : all_(std::move(all)), begin_(begin), size_(size) {}
  Format format() const override { return all_->format(); }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    all_->read(begin_ + first, stride, out);
  }
  const std::byte* stored_words() const override {
    return all_->stored_words() + begin_ * format().word_bytes();
  }

 private:
  std::shared_ptr<const StoredSource> all_;
  std::uint64_t begin_, size_;
};

}  // namespace

std::shared_ptr<const CodeSource> part_of(std::shared_ptr<const CodeSource> all,
                                          std::uint64_t begin, std::uint64_t size) {
  if (auto stored = std::dynamic_pointer_cast<const StoredSource>(all))
    return std::make_shared<const StoredPartOf>(std::move(stored), begin, size);
  return std::make_shared<const PartOf>(std::move(all), begin, size);
}

void count_stage(Stage& stage, const Patch& a, const Patch& b, std::uint64_t row0) {
  const OutputComparison compared = compare_outputs(a.type.format, a.codes, b.type.format, b.codes);
  stage.elements += a.codes.size();
  stage.differ += compared.differ;
  stage.largest_ulp = std::max(stage.largest_ulp, compared.ulp.largest());
  std::optional<std::uint64_t> last;
  for (const std::size_t index : compared.where) {
    const std::uint64_t row = row0 + index / a.columns.size();
    if (row == last) continue;
    last = row;
    ++stage.rows_differ;
    if (!stage.first_row) stage.first_row = row;
  }
}

void count_stages(std::vector<Stage>& stages, const StageRun& run) {
  constexpr std::uint64_t elements_at_once = std::uint64_t{1} << 21;
  const std::uint64_t at_once =
      std::max<std::uint64_t>(1, elements_at_once / std::max<std::uint64_t>(1, run.row_elements));
  Selection chosen;
  for (const Stage& stage : stages) chosen.push_back({stage.tensor});
  Progress progress("rows", run.rows);
  for (std::uint64_t row = 0; row < run.rows; row += at_once) {
    const std::uint64_t rows = std::min(at_once, run.rows - row);
    const auto patches = [&](const StageSide& side) {
      const InputTensors inputs = side.inputs(row, rows);
      return fast::run(bind_recipe(side.recipe, types_of(inputs)), inputs, chosen);
    };
    const Patches of_a = patches(run.a);
    const Patches of_b = patches(run.b);
    for (Stage& stage : stages)
      count_stage(stage, of_a.at(stage.tensor), of_b.at(stage.tensor), row);
    progress.update(row + rows);
  }
}

std::string stages_text(std::span<const Stage> stages, std::uint64_t rows) {
  using enum TextTable::Align;
  TextTable table({"that differ", "format", "elements", "rows", "max ulp"},
                  {left, left, right, right, right});
  for (const Stage& stage : stages)
    table.row({stage.what, format_name(stage.format),
               fmt::format("{} of {}", grouped(stage.differ), grouped(stage.elements)),
               fmt::format("{} of {}", grouped(stage.rows_differ), grouped(rows)),
               stage.differ > 0 ? grouped(stage.largest_ulp) : ""});
  return table.text(2);
}

nlohmann::ordered_json stages_json(std::span<const Stage> stages) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Stage& stage : stages)
    out.push_back(
        {{"tensor", stage.tensor},
         {"format", format_name(stage.format)},
         {"elements", stage.elements},
         {"differ", stage.differ},
         {"rows_differ", stage.rows_differ},
         {"largest_ulp", stage.largest_ulp},
         {"first_row", stage.first_row ? nlohmann::ordered_json(*stage.first_row) : nullptr}});
  return out;
}

}  // namespace whybits
