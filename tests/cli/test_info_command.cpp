// whybits info and completion.
#include <nlohmann/json.hpp>

#include "sim/device_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

TEST_CASE("info says version, self-test and GPUs, for people and for programs") {
  const CommandResult text = run_whybits("info");
  CHECK(text.exit_code == 0);
  for (const char* word : {"whybits ", "compiler ", "floating point ", "GPU ", "matrix units"})
    CHECK_THAT(text.out, contains(word));
  CHECK_THAT(text.out, !contains("WRONG"));
  const CommandResult json = run_whybits("info --json");
  CHECK(json.exit_code == 0);
  const auto document = nlohmann::json::parse(json.out);
  CHECK(document["whybits_info"] == 1);
  CHECK(document["self_test"]["ok"] == true);
  CHECK(document["self_test"]["checks"].size() > 5);
  CHECK(document["units"].size() == whybits::device_unit_names().size());
  CHECK(document["cuda"]["devices"].is_array());
}

TEST_CASE("info --units lists every unit once, with evidence and a source") {
  const CommandResult units = run_whybits("info --units");
  CHECK(units.exit_code == 0);
  for (const std::string& name : whybits::device_unit_names()) {
    CAPTURE(name);
    CHECK_THAT("\n" + units.out, contains("\n" + name + " "));
  }
  CHECK_THAT(units.out, contains("[1] "));
  CHECK_THAT(units.out, contains("sm90.wgmma.bf16 "));
}

TEST_CASE("Completion scripts are valid and complete commands and options") {
  const auto bash = [](const std::string& words, int index) {
    const std::string script = "source <('" WHYBITS_BINARY "' completion bash); COMP_WORDS=(" +
                               words + "); COMP_CWORD=" + std::to_string(index) +
                               "; _whybits; echo \"${COMPREPLY[@]}\"";
    std::string quoted;
    for (const char c : script) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return run_whybits("--version >/dev/null; bash -c '" + quoted + "'").out;
  };
  CHECK(bash("whybits ge", 1) == "gemm\n");
  CHECK(bash("whybits gemm --lea", 2) == "--leaf\n");
  CHECK_THAT(bash("whybits gemm --", 2), contains("--topology") && contains("--vs"));
  CHECK(bash("whybits completion ''", 2) == "bash zsh fish\n");
  CHECK(bash("whybits add 1 2 --format bf", 5) == "bf16\n");
  CHECK(bash("whybits gemm --type e4", 3) == "e4m3\n");
  CHECK(bash("whybits show 'fold(f32)' --type f1", 4) == "f16\n");
  CHECK(bash("whybits add --rounding nearest-a", 3) == "nearest-away\n");
  CHECK(bash("whybits gemm --m ''", 3) == "\n");     // a number
  CHECK(bash("whybits add ''", 2) == "\n");          // another
  CHECK(bash("whybits verify /et", 2) == "/etc\n");  // a file
  CHECK(bash("whybits show 'fold(f32)' --svg /et", 4) == "/etc\n");
  CHECK(bash("whybits explain --out /et", 3) == "/etc\n");
  CHECK(bash("whybits compare /et", 2) == "/etc\n");
  CHECK(bash("whybits allreduce --average p", 3) == "pre post\n");
  CHECK(bash("whybits allreduce --algorithm rec", 3) == "recursive-doubling recursive-halving\n");
  CHECK(bash("whybits predict ''", 2) == "cublaslt nccl\n");  // commands inside of commands
  CHECK(bash("whybits predict nccl --se", 3) == "--set\n");
  CHECK(bash("whybits gates gemm --layer d", 4) == "down\n");
  CHECK(bash("whybits gates gemm --layout ''", 4) == "NN TN\n");
  CHECK(bash("whybits gates allreduce --layer ''", 4) == "\n");
  CHECK_THAT(bash("whybits gemm --", 2), !contains("--layer"));  // another gemm
  CHECK_THAT(bash("whybits ''", 1), contains("verify") && !contains("format-table"));
  for (const char* shell : {"zsh", "fish"}) {
    CAPTURE(shell);
    const CommandResult script = run_whybits(std::string("completion ") + shell);
    CHECK(script.exit_code == 0);
    CHECK_THAT(script.out, contains("gemm") && contains("topology") && !contains("format-table"));
  }
  const CommandResult other = run_whybits("completion tcsh", true);
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.out, contains("tcsh") && contains("bash"));
}
