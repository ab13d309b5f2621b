// Input specifications: "uniform:11", {"base64": …}, "npy:FILE" … and the operands they stand for.
//
// | form              | codes                                                              |
// | ----------------- | ------------------------------------------------------------------ |
// | uniform:S         | uniform on [−1, 1), stream S                                       |
// | wide:S            | the same times 2^−8 … 2^7                                          |
// | outliers:S        | uniform; 255 of 256 times 2^−5                                     |
// | bits:S            | any storage word                                                   |
// | ones              | 1                                                                  |
// | linspace:A:B      | equal steps from A to B                                            |
// | hex:3f80,4000,…   | storage words in index order                                       |
// | {"base64": "…"}   | storage words, little endian                                       |
// | {"file": "PATH"}  | storage words, little endian, nothing else in the file             |
// | npy:FILE          | a NumPy array                                                      |
// | safetensors:FILE#NAME | one tensor                                                     |
//
// Generated forms round to the operand's format (lab/generators.hpp). Forms that hold words give
// them as they are; for a tf32 operand these are f32 words with all their bits, and the source's
// format is f32: dropping the low bits is the matrix unit's work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/source.hpp"

namespace whybits {

struct UniformInput {
  std::uint64_t stream = 0;
  bool operator==(const UniformInput&) const = default;
};
struct WideInput {
  std::uint64_t stream = 0;
  bool operator==(const WideInput&) const = default;
};
struct OutliersInput {
  std::uint64_t stream = 0;
  bool operator==(const OutliersInput&) const = default;
};
struct BitsInput {
  std::uint64_t stream = 0;
  bool operator==(const BitsInput&) const = default;
};
struct OnesInput {
  bool operator==(const OnesInput&) const = default;
};
struct LinspaceInput {
  double first = 0, last = 1;
  bool operator==(const LinspaceInput&) const = default;
};
struct HexInput {
  std::vector<Bits> words;
  bool operator==(const HexInput&) const = default;
};
struct Base64Input {
  std::string text;
  bool operator==(const Base64Input&) const = default;
};
struct FileInput {
  std::string path;
  bool operator==(const FileInput&) const = default;
};
struct NpyInput {
  std::string path;
  bool operator==(const NpyInput&) const = default;
};
struct SafetensorsInput {
  std::string path, tensor;
  bool operator==(const SafetensorsInput&) const = default;
};
using InputSpec =
    std::variant<UniformInput, WideInput, OutliersInput, BitsInput, OnesInput, LinspaceInput,
                 HexInput, Base64Input, FileInput, NpyInput, SafetensorsInput>;

/// Text of the command line; text that begins with '{' is read as JSON. Throws UsageError.
InputSpec parse_input_spec(std::string_view text);
/// A JSON string or object of a recording. Throws UsageError.
InputSpec input_spec_from_json(const nlohmann::json& value);
/// The inverse of input_spec_from_json.
nlohmann::json input_spec_to_json(const InputSpec& spec);
/// What the text form of the command line looks like; JSON forms are printed as JSON.
std::string input_spec_text(const InputSpec& spec);

/// The spec of rank r of a collective: generated streams move on to S + r, others stay.
InputSpec input_spec_for_rank(const InputSpec& spec, std::uint64_t rank);

/// What the operand must be. `shape` is looked at where a file has a shape of its own, so that a
/// transposed matrix is refused rather than read in the wrong order; {} accepts any shape.
struct OperandExtent {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> shape = {};
};

/// Operands held in memory are refused above this size; generated ones have no limit.
inline constexpr std::uint64_t largest_operand_bytes = std::uint64_t{8} << 30;

/// Makes the operand. Relative paths are looked up in `folder`. Throws UsageError if the spec does
/// not give exactly `extent.count` codes of the format; sizes are compared before allocating.
std::unique_ptr<CodeSource> open_input(const InputSpec& spec, const Format& format,
                                       const OperandExtent& extent,
                                       const std::filesystem::path& folder = {});

/// An operand as an option gives it. Errors: UsageError that names the option.
std::unique_ptr<CodeSource> open_operand(const std::string& option, const std::string& text,
                                         const Format& format, const OperandExtent& extent);
/// The same of a tensor's whole shape, {m, k}.
std::unique_ptr<CodeSource> open_tensor(const std::string& option, const std::string& text,
                                        const Format& format, std::vector<std::uint64_t> shape);

/// The message of every rank of a collective, `count` elements each, as input_spec_for_rank has
/// them. Errors: UsageError that names the option.
std::vector<std::unique_ptr<CodeSource>> open_messages(const std::string& option,
                                                       const std::string& text,
                                                       const Format& format, std::uint64_t ranks,
                                                       std::uint64_t count);

/// parse_input_spec and open_input in one.
std::unique_ptr<CodeSource> parse_input(std::string_view text, const Format& format,
                                        std::uint64_t count);

}  // namespace whybits
