// What a stranger may type: every refusal has exit code 2, names option and value, says what is
// allowed, and comes before memory is taken.
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_line;
using whybits::test::TemporaryFolder;

namespace {

// An address space of 1 GB shows what is allocated before it is refused; sanitizers need more.
const std::string small = whybits::test::under_address_sanitizer ? "" : "ulimit -v 1000000; ";

/// `arguments` end with 2 within seconds, and the message has every piece.
void refused(const std::string& arguments, std::initializer_list<const char*> pieces) {
  CAPTURE(arguments);
  const CommandResult result = run_line(small + "whybits " + arguments + " 2>&1 >/dev/null");
  CHECK(result.exit_code == 2);
  CHECK(result.out.substr(0, 9) == "whybits: ");
  for (const char* piece : pieces) CHECK_THAT(result.out, contains(piece));
}

const std::string shape = "gemm --m 1 --n 4 --k 8 ";
const std::string wgmma = "--topology 'fold(sm90.wgmma.bf16)' ";
const std::string sum = "sum --n 4 --topology 'fold(f32)' ";

}  // namespace

TEST_CASE("Counts are whole numbers in digits, and nothing wraps around") {
  for (const char* option : {"--m", "--n", "--k"})
    for (const char* value :
         {"-1", "1e18", "1.5", "abc", "''", "0x10", "' 4'", "9223372036854775808",
          "18446744073709551616", "1099511627777", "+4"}) {
      std::string others;
      for (const char* other : {"--m", "--n", "--k"})
        if (other != std::string(option)) others += std::string(other) + " 4 ";
      const std::string quoted = value[0] == '\'' ? value : "'" + std::string(value) + "'";
      refused("gemm " + others + option + " " + quoted + " " + wgmma,
              {option, quoted.c_str(), "whole number from 0 to 1099511627776", "decimal digits"});
    }
  refused("sum --rows -3 --n 4 --topology 'fold(f32)'", {"--rows", "'-3'"});
  refused("sum --n 1e9 --topology 'fold(f32)'", {"--n", "'1e9'"});
  refused(shape + wgmma + "--threads 1025", {"--threads", "'1025'", "from 0 to 1024"});
  refused(shape + wgmma + "--threads -1", {"--threads", "'-1'"});
}

TEST_CASE("Sizes are refused before anything is allocated, with the bytes they would need") {
  refused("gemm --m 1 --n 4 --k 100000000000 --threads 1 " + wgmma,
          {"100,000,000,000 addends", "6,400,000,000,000 bytes (5.8 TiB)", "--k"});
  refused("gemm --m 200000 --n 200000 --k 8 " + wgmma,
          {"40,000,000,000 outputs", "TiB", "--rows and --columns"});
  refused("gemm --m 1000000000000 --n 1 --k 1 " + wgmma,
          {"--rows", "16,000,000,000,000 bytes (14.6 TiB)"});
  refused("gemm --m 1000000000000 --n 1 --k 1000000000000 " + wgmma, {"2^62", "--a"});
  refused("gemm --m 1000 --n 1000000000000 --rows 7 --columns 0..999999999999 --k 1 " + wgmma,
          {"--columns", "TiB"});
  refused("sum --n 100000000000 --topology 'fold(f32)'", {"bytes", "TiB", "--n"});
  refused("sum --n 1 --rows 1000000000000 --topology 'fold(f32)'", {"bytes", "TiB", "--rows"});
  refused("gemm --m 1 --n 4000000000 --k 4 --a ones --b '{\"base64\":\"AAAA\"}' " + wgmma,
          {"--b", "GiB"});
}

TEST_CASE("Lists of outputs name each output once and lie in the shape") {
  refused(shape + wgmma + "--rows 0,0", {"--rows: 0 is chosen twice", "overlap"});
  refused(shape + wgmma + "--columns 0..3,2", {"--columns: 2 is chosen twice"});
  refused(shape + wgmma + "--rows 1", {"--rows: '1' is not an index from 0 to 0"});
  refused(shape + wgmma + "--columns 0..5", {"'5' is not an index from 0 to 4"});
  refused(shape + wgmma + "--columns 2..2", {"'2..2' is an empty range"});
  refused(shape + wgmma + "--columns 3..1", {"'3..1' is an empty range"});
  for (const char* text : {"1,", ",", "..", "1..", "..2", "-1", "a", "0;1", "1 2", "0...3"})
    refused(shape + wgmma + "--columns '" + text + "'", {"--columns: '"});
  refused("gemm --m 0 --n 4 --k 8 --rows 0 " + wgmma, {"--rows: there is nothing to choose from"});
}

TEST_CASE("The output to explain is one of the chosen ones") {
  const std::string two = shape + wgmma + "--vs 'fold(sm80.mma.bf16)' ";
  refused(shape + wgmma + "--output 0,0", {"--output", "--vs"});
  refused(two + "--columns 1 --output 0,2", {"--output 0,2 is not among the chosen outputs"});
  refused(two + "--output 0", {"--output: '0' is not ROW,COLUMN"});
  refused(two + "--output 0..1,0", {"--output: '0..1' is not an index from 0 to 0"});
  refused(two + "--output ,", {"--output: '' is not an index"});
  refused(two + "--output 0,0,0", {"--output: '0,0' is not an index"});
  refused(two + "--output 9,9", {"--output: '9'"});
  refused("sum --n 9 --topology 'fold(f32)' --vs 'pairs(f32)' --row 1",
          {"--row: '1' is not an index"});
  refused("sum --n 9 --topology 'fold(f32)' --vs 'pairs(f32)' --row 0,0", {"--row: '0,0'"});
  refused(sum + "--row 0", {"--row", "--vs"});
}

TEST_CASE("Topologies that cannot run on these operands are refused by name") {
  refused(shape + "--topology 'fold(f32)'", {"--topology 'fold(f32)'", "exact product"});
  refused(shape + wgmma + "--vs 'fold(f32)'", {"--vs 'fold(f32)'", "exact product"});
  refused(shape + "--topology 'slices(4, fold(sm90.wgmma.bf16), fold(bf16))'",
          {"would narrow f32 to bf16", "> bf16"});
  refused("sum --n 8 --topology 'fold(bf16)'", {"would narrow f32 to bf16"});
  refused("sum --n 8 --topology 'fold(sm90.wgmma.bf16)'", {"takes products", "use an IEEE add"});
  refused("sum --n 8 --topology 'fold(f32, from=c)'", {"operand c", "no operands"});
  refused("sum --n 8 --topology 'fold(f32) + bias'", {"+ bias", "no operands"});
  refused(shape + "--topology 'fold(sm90.wgmma.bf16, from=c)'", {"operand c", "--c"});
  refused(shape + "--topology 'fold(sm90.wgmma.bf16) + bias'", {"+ bias", "--bias"});
  refused(shape + wgmma + "--bias ones", {"--bias", "does not add it", "+ bias"});
  refused(shape + wgmma + "--vs 'fold(sm90.wgmma.bf16, from=0)' --bias ones", {"--bias"});
  refused(shape + "--topology 'slices(4, fold(sm90.wgmma.bf16, from=first), fold(f32))'",
          {"sm90.wgmma.bf16"});
  refused(shape + wgmma + "--c ones --c-type f64", {"would narrow f64 to f32"});
  refused(shape + "--topology 'fold(sm90.wgmma.f16)'", {"takes operands of f16, not bf16"});
  refused(shape + "--topology 'take(0..9, fold(sm90.wgmma.bf16))'", {"there are only 8 addends"});
  refused(shape + "--topology 'fold(exact)'", {"exact sum has no format"});
  refused(shape + "--type f64 --leaf 'product > f32' --topology 'fold(f32)'", {"wider than f32"});
  refused("sum --n 4 --topology 'order(1 0, fold(f32))'", {"lists 2 places", "4 addends"});
}

TEST_CASE("Topologies that cannot be read are refused with a caret") {
  for (const char* text : {"", "fold", "fold(", "fold(f32", "fold(f32))", "x", "fold(f32) >",
                           "fold(f33)", "slices(0, fold(f32), fold(f32))", "lanes(2, fold(f32))",
                           "order(0 0, fold(f32))", "tree(f32, ())", "{ [0,2): fold(f32)",
                           "slices(99999999999999999999999, fold(f32), fold(f32))"}) {
    CAPTURE(text);
    refused("sum --n 4 --topology '" + std::string(text) + "'", {"--topology cannot be read", "^"});
  }
  refused("sum --n 4 --topology \"$(printf 'fold(\\377\\376)')\"", {"unknown unit"});
  refused("sum --n 4 --topology \"$(printf 'fold(\\033[31m)')\"", {"^"});
  refused("sum --n 4 --topology '{ [0,2): fold(f32) }'", {"a map", "one topology"});
}

TEST_CASE("Topologies of any size and depth end in seconds and little memory") {
  refused("sum --n 4 --topology 'lanes(1099511627776, fold(f32), fold(f32))'", {"pieces"});
  refused("sum --n 4 --topology \"$(printf 'reverse(%.0s' $(seq 5000))fold(f32)\"",
          {"inside each other"});
  refused("sum --n 4 --topology \"fold(f32)$(printf ' > bf16%.0s' $(seq 5000))\"", {"postfixes"});
  std::string list;
  for (int i = 0; i < 30; ++i) list += " --vs 'fold(f32)'";
  refused("sum --n 4 --topology 'fold(f32)'" + list, {"--vs", "26"});
}

TEST_CASE("Formats, leaves, inputs and files are refused by option, value and remedy") {
  refused(shape + wgmma + "--type f17", {"--type", "'f17'", "did you mean f16?"});
  refused(shape + wgmma + "--type-b e99m99", {"--type-b", "'e99m99'"});
  refused(shape + wgmma + "--leaf x", {"--leaf", "'x'", "product > f32"});
  refused(shape + wgmma + "--leaf 'product > '", {"--leaf", "expected a format"});
  refused(shape + wgmma + "--json --csv", {"--json", "--csv"});
  refused(shape + wgmma + "--c-type f32", {"--c-type requires --c"});
  refused(shape + wgmma + "--bias-type f32", {"--bias-type requires --bias"});
  refused(shape + wgmma + "--a nosuch", {"--a", "'nosuch'", "uniform:S"});
  refused(shape + wgmma + "--b uniform:-1", {"--b", "'-1'", "stream"});
  refused(shape + wgmma + "--a linspace:nan:1", {"--a", "finite"});
  refused(shape + wgmma + "--a hex:3f80", {"--a", "1 element given, 8 needed"});
  refused(shape + wgmma + "--a npy:/nowhere.npy", {"--a", "/nowhere.npy: no such file"});
  for (const char* file : {"npy:/dev/zero", "npy:/tmp", "safetensors:/dev/zero#x"})
    refused(shape + wgmma + "--a " + file, {"--a", "not a regular file"});
  refused(sum + "--input '{\"file\":\"/dev/zero\"}'", {"--input", "not a regular file"});
  for (const char* file : {"/dev/zero", "/dev/null", "/tmp", "/nowhere"})
    refused(std::string("verify ") + file, {file});
  refused("compare --first -1 /dev/null /dev/null", {"--first", "'-1'"});
}

TEST_CASE("Bytes that are not UTF-8 are no reason to crash") {
  const TemporaryFolder here;
  const std::string npy = here.file("\xff.npy");
  std::ofstream(npy, std::ios::binary)
      << std::ifstream(WHYBITS_SOURCE_DIR "/tests/lab/data/f64_3.npy", std::ios::binary).rdbuf();
  const CommandResult json = run_line(
      "whybits sum --n 3 --type f64 --topology 'fold(f64)' --json --input 'npy:" + npy + "'");
  CHECK(json.exit_code == 0);
  CHECK_THAT(json.out, contains("\xEF\xBF\xBD.npy"));
  const CommandResult dumps = run_line("whybits compare --json '" + npy + "' '" + npy + "'");
  CHECK(dumps.exit_code == 0);
  const std::string recording = here.file("\xfe.json");
  std::ofstream(recording, std::ios::binary)
      << std::ifstream(WHYBITS_SOURCE_DIR "/tests/recordings/mma-bf16-steps2-dist1.json").rdbuf();
  for (const char* form : {"--json", "--csv", ""})
    CHECK(run_line("whybits verify --no-controls " + std::string(form) + " '" + recording + "'")
              .exit_code == 0);
}

TEST_CASE("Control characters of a file's name do not reach the terminal") {
  const CommandResult result =
      run_line("whybits verify \"$(printf '/nowhere\\033]0;owned\\007')\" 2>&1");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.out, contains("\\x1b]0;owned\\x07") && !contains("\x1b"));
}

TEST_CASE("Output that cannot be written is an error, a reader that leaves is none") {
  for (const char* arguments : {"info", "--help", "--version", "gemm --help", "completion bash",
                                "sum --n 4 --topology 'fold(f32)'"}) {
    CAPTURE(arguments);
    const CommandResult full = run_line(std::string("whybits ") + arguments + " 2>&1 >/dev/full");
    CHECK(full.exit_code == 2);
    CHECK_THAT(full.out, contains("could not be written"));
    CHECK(run_line(std::string("whybits ") + arguments + " 2>/dev/null >&-").exit_code == 2);
  }
  const CommandResult head =
      run_line("whybits sum --n 8 --rows 20000 --csv --topology 'fold(f32)' 2>&1 | head -1");
  CHECK(head.exit_code == 0);
  CHECK(head.out == "row,a_before,a\n");
}

TEST_CASE("Many threads, many rows, one column: nothing is lost") {
  const CommandResult many = run_line(
      "whybits gemm --m 3000 --n 1 --k 4 --threads 1024 --csv --topology 'fold(f32.fma)' | tail "
      "-1");
  CHECK_THAT(many.out, contains("2999,0,0x"));
}
