// Recordings: what ran where, on which inputs, and which bits came out. One JSON file that can be
// checked on any machine. The format is explained in docs/recordings.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/inputs.hpp"
#include "lab/vector_source.hpp"

namespace whybits {

/// A dimension that a recording may name.
inline constexpr std::uint64_t dimension_limit = 0xffffffff;

/// How far the recorded kernel promises the same bits.
enum class Guarantee : std::uint8_t {
  none,             ///< not even in two runs
  run_to_run,       ///< same binary, card and settings
  same_capability,  ///< any card of this compute capability
  gpu_to_gpu        ///< any card
};
inline constexpr std::array<std::string_view, 4> guarantee_names{"none", "run_to_run",
                                                                 "same_capability", "gpu_to_gpu"};

enum class RecordedComputation : std::uint8_t {
  gemm,        ///< out[m][n] = a[m][k] · b[k][n] (+ c[m][n])
  mma,         ///< out[t][m][n] = a[t][m][k] · b[t][n][k] + c[t][m][n], one accumulator chain each
  all_reduce,  ///< out[i] = Σ over ranks of rank_r[i]; the output of rank 0
  row_sums     ///< out[m] = Σ over k of a[m][k]
};
inline constexpr std::array<std::string_view, 4> computation_names{"gemm", "mma", "all_reduce",
                                                                   "row_sums"};

/// Only the members that the computation has are set: m, n, k; tiles too for mma; ranks, count and
/// ranks_per_node (0: all on one) for all_reduce; m and k for row_sums, whose n is 1.
struct RecordedShape {
  std::uint64_t m = 0, n = 0, k = 0, tiles = 0, ranks = 0, count = 0, ranks_per_node = 0;
  bool operator==(const RecordedShape&) const = default;
};

/// How the library saw the matrices of a gemm in memory. It chooses kernels, not values.
struct RecordedLayout {
  std::string a = "mk", b = "kn";
  bool operator==(const RecordedLayout&) const = default;
};

struct RecordedTypes {
  Format a;
  std::optional<Format> b, c;
  Format accumulate, out;
  std::optional<Format> product;  ///< of a gemm whose products are rounded before they are added
  bool operator==(const RecordedTypes&) const = default;
};

struct RecordedLibrary {
  std::string name, version;
  std::string through;  ///< the program that called it, or empty
  bool operator==(const RecordedLibrary&) const = default;
};

struct RecordedOutput {
  /// Rows of a gemm that were recorded, ascending; empty for all of them.
  std::vector<std::uint64_t> rows;
  std::string xxh3_128;  ///< of the recorded words; 32 lower-case digits
  /// Storage words, little endian, rows in order; absent if only the hash was kept.
  std::optional<std::vector<std::uint8_t>> words;
  bool operator==(const RecordedOutput&) const = default;
};

struct Recording {
  /// Provenance by name: device and date always; compute_capability, driver, cuda, command, …
  std::map<std::string, std::string> source;
  RecordedLibrary library;
  nlohmann::json settings = nlohmann::json::object();  ///< what decides the order, by name
  std::string kernel;
  Guarantee guarantee = Guarantee::none;
  RecordedComputation computation = RecordedComputation::gemm;
  RecordedShape shape;
  std::optional<RecordedLayout> layout;  ///< of a gemm
  RecordedTypes types;
  std::string note;                         ///< for people, or empty
  std::map<std::string, InputSpec> inputs;  ///< by name: "a", "b", "c", "rank0", …
  /// What the library reported about its choice; null if it reports nothing.
  nlohmann::json algorithm;
  std::optional<std::string> topology;  ///< the notation's text
  RecordedOutput output;

  std::string name;              ///< of the file, for messages; not written
  std::filesystem::path folder;  ///< where relative input files are; not written

  /// The operands that this computation has, in order, with what each must be.
  std::vector<std::string> operand_names() const;
  Format operand_format(const std::string& operand) const;
  OperandExtent operand_extent(const std::string& operand) const;
  /// Throws UsageError that names the file and the input.
  std::unique_ptr<CodeSource> open(const std::string& operand) const;

  std::vector<std::uint64_t> output_rows() const;  ///< of a gemm, all written out
  std::uint64_t output_elements() const;           ///< recorded ones
  /// The recorded codes, of format stored_format(types.out); nullopt if only the hash was kept.
  std::optional<VectorSource> output_codes() const;
};

/// Largest file that is read.
inline constexpr std::uint64_t largest_recording_bytes = std::uint64_t{64} << 20;

/// Reads and checks everything that can be checked without running anything: keys, types, ranges,
/// names of formats, sizes against the shape, and the hash against the words. Throws UsageError
/// "FILE: PATH: …".
Recording read_recording(const std::filesystem::path& path);
Recording parse_recording(std::string_view text, const std::string& name,
                          const std::filesystem::path& folder = {});

/// The file's text, and the file itself, written whole or not at all. Throws UsageError.
std::string recording_text(const Recording& recording);
void write_recording(const std::filesystem::path& path, const Recording& recording);

/// Today, for `source`: "2026-07-28", in UTC.
std::string utc_date();

/// Puts words and their hash into the output.
void set_output(Recording& recording, std::vector<std::uint8_t> words);

}  // namespace whybits
