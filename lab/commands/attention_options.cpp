#include "lab/commands/attention_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <set>
#include <string_view>

#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/number_input.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 24;

/// 1/√D in double, rounded to f32; or as given.
Bits scale_code(const AttentionOptions& o) {
  if (o.scale.empty()) {
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(o.head_size)));
    return std::bit_cast<std::uint32_t>(scale);
  }
  const Bits code = input_code(parse_number(o.scale), formats::f32);
  const Unpacked scale = unpack(formats::f32, code);
  if (!scale.finite() || scale.negative || scale.cls == FpClass::zero)
    throw UsageError(fmt::format("--scale '{}': must be a finite number above 0", o.scale),
                     "as in --scale 0.125; without it 1/√D");
  return code;
}

/// Puts one setting where it belongs; `read`: the names so far.
void read_wish(const std::string& option, const std::string& text, FlashWish& wish,
               AttentionShape& shape, std::set<std::string>& read) {
  const std::size_t at = text.find('=');
  const std::string name = text.substr(0, at);
  std::uint64_t* const value = name == "block"        ? &wish.block
                               : name == "splits"     ? &wish.splits
                               : name == "split-keys" ? &wish.split_keys
                               : name == "batch"      ? &shape.batch
                               : name == "longest"    ? &wish.longest
                                                      : nullptr;
  if (value == nullptr || at == std::string::npos)
    throw UsageError(fmt::format("{}: '{}' is no part of a launch", option, text),
                     "allowed, with a comma between: block=N, splits=N, split-keys=N, batch=N, "
                     "longest=N");
  if (!read.insert(name).second)
    throw UsageError(fmt::format("{}: {}= is given twice", option, name), "give it once");
  const std::string_view number = std::string_view(text).substr(at + 1);
  if (number.find(':') != std::string_view::npos)
    throw UsageError(fmt::format("{}: '{}' holds a colon", option, text),
                     "write a comma between, as in torch:splits=2,batch=4");
  *value = index_option(option, text.substr(at + 1), most);
  if (*value == 0)
    throw UsageError(fmt::format("{}: {}: must be at least 1", option, text), "as in splits=4");
}

}  // namespace

void add_attention_options(Command command, AttentionOptions& o) {
  add_count_option(command, "--queries", o.queries, most, "Queries of a sequence")
      ->default_str(std::to_string(o.queries));
  command.add_flag("--causal", o.causal, "A query sees no key behind it");
  add_attention_data_options(command, o);
}

void add_attention_data_options(Command command, AttentionOptions& o) {
  const auto count = [&](const char* name, std::uint64_t& value, const char* text) {
    add_count_option(command, name, value, most, text)
        ->default_str(value == 0 ? "HEADS" : std::to_string(value));
  };
  count("--heads", o.heads, "Heads of q");
  count("--kv-heads", o.kv_heads, "Heads of k and v; heads is a multiple of it");
  count("--head-size", o.head_size, "D: 64, 96, 128 or 256");
  count("--compared", o.compared, "Rows of the output that are compared, spread over all");
  command.add_value("--type", o.type, "FORMAT", "Format of q, k, v and y: bf16 or f16");
  command.add_value("--q", o.q, "INPUT", "Queries, batch × heads × queries × D");
  command.add_value("--k", o.k, "INPUT", "Keys, batch × kv heads × keys × D");
  command.add_value("--v", o.v, "INPUT", "Values, as the keys");
  command.add_value("--scale", o.scale, "NUMBER",
                    "What scores are multiplied by, rounded to f32; else 1/√D");
  command.add_value("--functions", o.functions, "NAME",
                    "Where exp2, exp and log come from: mufu or correct");
}

AttentionShape attention_shape(const AttentionOptions& o) {
  return {o.batch,     o.heads,  o.kv_heads == 0 ? o.heads : o.kv_heads, o.queries, o.keys,
          o.head_size, o.causal, format_option("--type", o.type)};
}

AttentionChoice attention_choice(const std::string& option, const std::string& spec,
                                 const AttentionShape& shape) {
  const std::size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  const FlashKernel* kernel = find_flash_kernel(name);
  if (kernel == nullptr) {
    std::vector<std::string> names;
    for (const FlashKernel& known : flash_kernels()) names.emplace_back(known.name);
    const auto near = nearest_name(name, names);
    throw UsageError(fmt::format("{}: unknown kernel '{}'{}", option, name,
                                 near ? "; did you mean " + *near + "?" : ""),
                     fmt::format("kernels: {}", fmt::join(names, ", ")));
  }
  AttentionChoice choice{*kernel, shape, {}};
  std::size_t begin = colon;
  std::set<std::string> read;
  while (begin != std::string::npos) {
    const std::size_t end = spec.find(',', begin + 1);
    read_wish(option, spec.substr(begin + 1, end - begin - 1), choice.wish, choice.launched, read);
    begin = end;
  }
  return choice;
}

AttentionSide attention_side(const std::string& option, const std::string& spec,
                             const AttentionShape& shape) {
  const AttentionChoice choice = attention_choice(option, spec, shape);
  try {
    return {spec, flash_plan(choice.kernel, choice.launched, choice.wish)};
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, spec, error.what()));
  }
}

AttentionRequest attention_request(const AttentionOptions& o) {
  AttentionRequest request;
  const AttentionShape& s = request.shape = attention_shape(o);
  const auto open = [&](const char* option, const std::string& text, std::uint64_t heads,
                        std::uint64_t length) {
    return open_tensor(option, text, s.type, {s.batch, heads, length, s.head_size});
  };
  request.inputs = {open("--q", o.q, s.heads, s.queries), open("--k", o.k, s.kv_heads, s.keys),
                    open("--v", o.v, s.kv_heads, s.keys)};
  if (o.compared == 0) throw UsageError("--compared 0: must be at least 1", "as in --compared 64");
  request.rows = spread_rows(s.batch * s.heads * s.queries, o.compared);
  request.scale = scale_code(o);
  request.functions = element_functions("--functions", o.functions);
  return request;
}

}  // namespace whybits
