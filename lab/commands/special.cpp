// whybits special: a GPU's own ex2, rsqrt, expf, … of one number.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/operands.hpp"
#include "lab/output_text.hpp"
#include "lab/special_view.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {
namespace special_command {
namespace {

struct Options {
  std::string function, mode = "standard";
  bool json = false;
};

constexpr const char* examples =
    R"(FUNCTION is an instruction of PTX (FUNCTION.approx.f32)
  rcp rsqrt sqrt lg2 ex2 sin cos tanh
or a function of CUDA, as nvcc 13.0 compiles it:
  expf exp2f exp10f logf log2f log10f sqrtf rsqrtf tanhf 1/x
  __expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf
X is a value, rounded to f32, or a word of 8 hexadecimal digits: 0.3, 0x3E99999A.
MODE is standard, flush (.ftz, -ftz=true) or fast (-use_fast_math).

Examples:
  whybits special ex2 0.3
  whybits special rsqrt 2 --mode flush
  whybits special expf 0x3DCCCCCD
  whybits special logf 0.1 --mode fast
Exit codes: 0 as asked, 2 bad input.)";

const special::Function& function_of(const std::string& name) {
  const special::Function* found = special::find_function(name);
  if (found != nullptr) return *found;
  std::vector<std::string> names;
  for (const special::Function& f : special::functions()) names.emplace_back(f.name);
  const auto near = nearest_name(name, names);
  throw UsageError(
      fmt::format("FUNCTION '{}': not known{}", name, near ? "; did you mean " + *near + "?" : ""),
      fmt::format("functions: {}", fmt::join(names, " ")));
}

special::Mode mode_of(const std::string& text) {
  if (text == "standard") return special::Mode::standard;
  if (text == "flush") return special::Mode::flush;
  if (text == "fast") return special::Mode::fast;
  throw UsageError(fmt::format("--mode '{}': not known", text),
                   "modes: standard; flush, which is .ftz and -ftz=true; fast, -use_fast_math");
}

void run(const Options& o, const NumberInput& x, CommandContext& context) {
  const special::Function& function = function_of(o.function);
  const special::Mode mode = mode_of(o.mode);
  if (function.kind == special::Function::Kind::instruction && mode == special::Mode::fast)
    throw UsageError(
        fmt::format("--mode fast: {} is an instruction, not compiled code", o.function),
        "instructions have standard and flush");
  if (function.kind == special::Function::Kind::without_ftz && mode != special::Mode::standard)
    throw UsageError(fmt::format("--mode {}: {} has no .ftz", o.mode, o.function),
                     "leave --mode out");
  const SpecialView view = view_special(function, mode, x);
  if (!o.json) {
    context.out << special_text(view);
    return;
  }
  nlohmann::ordered_json out{{"whybits_special", 1}, {"mode", o.mode}};
  out.update(special_json(view));
  context.out << json_text(out);
}

}  // namespace
}  // namespace special_command

void add_special_command(Command app, CommandContext& context) {
  using namespace special_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = add_number_command(
      app, "special", "A GPU's own ex2, rsqrt, expf, … of a number, bit for bit", "FUNCTION X");
  command->add_option("FUNCTION", o.function, "ex2, rsqrt, expf, …")->required();
  command->add_option("--mode", o.mode, "How subnormals are treated and code is compiled")
      ->type_name("MODE")
      ->capture_default_str();
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback(
      [options, command, &context] { run(*options, read_operands(command, 1).front(), context); });
}

}  // namespace whybits
