// Predicts runs of whybits-cublaslt-sweep again with the rules as they are now, and compares with
// what the GPU gave by the hash of row 0. Needs no GPU.
//
//   whybits-cublaslt-check [--columns MOST] [--id N] [--all] RUNS.tsv…
//
// MOST: wider layers are left out (a layer of 28672 columns takes minutes). Without --all only runs
// are computed that were not right when they were made; the others are counted as they were.
// Exit codes: 0 no prediction is wrong, 1 some are, 2 bad usage.
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "lab/cublaslt_row.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/inputs.hpp"
#include "lab/text_table.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace {

using namespace whybits;
using cublaslt::AtlasKey;
using cublaslt::TypeKind;

constexpr const char *input_a = "uniform:101", *input_b = "uniform:102",
                     *input_bias = "uniform:103";

/// A line of the file.
struct Run {
  AtlasKey key;
  cublaslt::Problem problem;
  cublaslt::Algorithm algorithm;
  std::string setting, outcome, hash;
};

std::uint64_t number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("'" + text + "' is no number");
  return static_cast<std::uint64_t>(value);
}

/// Errors: std::runtime_error for a cell that is no number or a name that is not known.
Run read_run(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
  constexpr std::size_t before = 6, fields = cublaslt::algorithm_fields.size();
  if (cells.size() != before + fields + 2) throw std::runtime_error("line of another form");
  Run run;
  run.setting = cells[0];
  const auto types = cublaslt::find_type_kind(cells[5]);
  if (!types) throw std::runtime_error("types '" + cells[5] + "' are not known");
  run.key = {number(cells[2]), number(cells[3]),
             cells[4] == "TN" ? cublaslt::StorageB::nk : cublaslt::StorageB::kn, *types};
  run.problem = problem_of(*types, {number(cells[1]), run.key.n, run.key.k}, run.key.storage_b);
  run.problem.bias = run.setting == "bias";
  for (std::size_t i = 0; i < fields; ++i)
    run.algorithm.*cublaslt::algorithm_fields[i].field =
        static_cast<std::uint32_t>(number(cells[before + i]));
  run.outcome = cells[before + fields];
  run.hash = cells[before + fields + 1];
  return run;
}

/// The operands of one layer and what was predicted of it.
struct LayerRows {
  std::unique_ptr<CodeSource> a, b, bias;
  std::unique_ptr<RowPredictions> predictions;
};

struct Tally {
  std::uint64_t runs = 0, right = 0, wrong = 0, no_rule = 0, left_out = 0;
};

class Check {
 public:
  std::uint64_t most_columns = ~std::uint64_t{0};
  std::uint64_t only_id = 0;
  bool all = false;

  void file(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    bool in_rows = false;
    for (std::string line; std::getline(in, line);) {
      if (in_rows)
        one(read_run(line));
      else
        in_rows = line.starts_with("setting\t");
    }
  }

  bool report() const {
    using enum TextTable::Align;
    TextTable table({"id", "types", "runs", "every bit", "differ", "no rule", "not computed"},
                    {right, left, right, right, right, right, right});
    Tally sum;
    for (const auto& [family, t] : tallies_) {
      table.row({std::to_string(family.first), std::string(name_of(family.second)), grouped(t.runs),
                 grouped(t.right), grouped(t.wrong), grouped(t.no_rule), grouped(t.left_out)});
      sum = {sum.runs + t.runs, sum.right + t.right, sum.wrong + t.wrong, sum.no_rule + t.no_rule,
             sum.left_out + t.left_out};
    }
    table.row({"all", "", grouped(sum.runs), grouped(sum.right), grouped(sum.wrong),
               grouped(sum.no_rule), grouped(sum.left_out)});
    std::cout << table.text();
    return sum.wrong == 0;
  }

 private:
  void one(const Run& run) {
    if (only_id != 0 && run.algorithm.id != only_id) return;
    Tally& tally = tallies_[{run.algorithm.id, run.key.types}];
    ++tally.runs;
    const cublaslt::Outcome outcome = predict(run.problem, run.algorithm);
    const auto* prediction = std::get_if<cublaslt::Prediction>(&outcome);
    if (!prediction) {
      ++tally.no_rule;
      say("no rule", run, std::get<cublaslt::NoRule>(outcome).why);
    } else if (!all && run.outcome == "right") {
      ++tally.right;
    } else if (run.key.n > most_columns) {
      ++tally.left_out;
    } else if (xxh3_128_hex(rows_of(run.key).words(*prediction)) == run.hash) {
      ++tally.right;
    } else {
      ++tally.wrong;
      say("DIFFERS", run, cublaslt::text_of(prediction->topology).substr(0, 160));
    }
  }

  static void say(std::string_view what, const Run& run, const std::string& why) {
    std::cout << fmt::format("{:8} m {}, {}, {}: {}\n         {}\n", what, run.problem.shape.m,
                             text_of(run.key), run.setting, text_of(run.algorithm), why)
              << std::flush;
  }

  RowPredictions& rows_of(const AtlasKey& key) {
    LayerRows& rows = layers_[{key.types, key.n, key.k}];
    if (rows.predictions) return *rows.predictions;
    const cublaslt::Problem problem = problem_of(key.types, {1, key.n, key.k}, key.storage_b);
    const auto open = [](const char* input, const Format& format, std::uint64_t count) {
      return open_input(parse_input_spec(input), format, {count, {}});
    };
    rows.a = open(input_a, problem.a, key.k);
    rows.b = open(input_b, problem.b, key.k * key.n);
    rows.bias = open(input_bias, problem.out, key.n);
    GemmOperands operands;
    operands.shape = {1, key.n, key.k};
    operands.a = rows.a.get();
    operands.b = rows.b.get();
    operands.bias = rows.bias.get();
    rows.predictions = std::make_unique<RowPredictions>(operands, problem.out);
    return *rows.predictions;
  }

  std::map<std::pair<std::uint32_t, TypeKind>, Tally> tallies_;
  std::map<std::tuple<TypeKind, std::uint64_t, std::uint64_t>, LayerRows> layers_;
};

}  // namespace

int main(int argc, char** argv) {
  Check check;
  std::vector<std::string> files;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool has_value = i + 1 < arguments.size();
      if (arguments[i] == "--all")
        check.all = true;
      else if (arguments[i] == "--columns" && has_value)
        check.most_columns = number(arguments[++i]);
      else if (arguments[i] == "--id" && has_value)
        check.only_id = number(arguments[++i]);
      else
        files.push_back(arguments[i]);
    }
    if (files.empty())
      throw std::runtime_error(
          "usage: whybits-cublaslt-check [--columns MOST] [--id N] [--all] RUNS.tsv…");
    for (const std::string& file : files) check.file(file);
    return check.report() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "whybits-cublaslt-check: " << error.what() << '\n';
    return 2;
  }
}
