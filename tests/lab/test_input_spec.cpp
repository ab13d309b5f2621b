#include <nlohmann/json.hpp>

#include "lab/inputs.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;

TEST_CASE("input specifications print as they are written") {
  for (const char* text :
       {"uniform:11", "wide:0", "outliers:3", "bits:18446744073709551615", "ones",
        "linspace:-1:0.1", "linspace:1e-300:5e-324", "hex:3f80,4000,0", "hex:", "npy:a.npy",
        "npy:a:b.npy", "safetensors:model.safetensors#layers.0.weight", "safetensors:a#b#c",
        R"({"base64":"AAA="})", R"({"file":"dir/x.bin"})"})
    CHECK(input_spec_text(parse_input_spec(text)) == text);
}

TEST_CASE("input specifications go through JSON and back") {
  for (const char* text : {"uniform:11", "hex:1,2", R"({"base64":"AAA="})", R"({"file":"x"})"}) {
    const InputSpec spec = parse_input_spec(text);
    CHECK(input_spec_from_json(input_spec_to_json(spec)) == spec);
  }
}

TEST_CASE("hex words may have prefixes and spaces") {
  CHECK(std::get<HexInput>(parse_input_spec("hex:0x3F80 4000, 7fff")).words ==
        std::vector<Bits>{0x3f80, 0x4000, 0x7fff});
}

TEST_CASE("a safetensors name may hold a hash in its path, not in the tensor") {
  const auto spec = std::get<SafetensorsInput>(parse_input_spec("safetensors:a#b#c"));
  CHECK(spec.path == "a#b");
  CHECK(spec.tensor == "c");
}

TEST_CASE("a bad specification says what is wrong and what is allowed") {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& bad : {
           Case{"", "not an input form"},
           Case{"random", "not an input form"},
           Case{"normal:1", "form 'normal' is not known"},
           Case{"uniform:", "'' is not a stream number"},
           Case{"uniform:-1", "'-1' is not a stream number"},
           Case{"uniform:1x", "'1x' is not a stream number"},
           Case{"uniform:18446744073709551616", "is not a stream number"},
           Case{"ones:1", "form 'ones' is not known"},
           Case{"linspace:1", "two numbers needed"},
           Case{"linspace:1:x", "'x' is not a number"},
           Case{"linspace:0:inf", "must be finite"},
           Case{"linspace:nan:0", "must be finite"},
           Case{"linspace:-1e308:1e308", "must be finite"},
           Case{"hex:3f80,zz", "'zz' is not a hexadecimal word"},
           Case{"hex:11112222333344445", "is not a hexadecimal word"},
           Case{"hex:0x", "is not a hexadecimal word"},
           Case{"npy:", "a file needed"},
           Case{"safetensors:a", "a file and a tensor needed"},
           Case{"safetensors:a#", "a file and a tensor needed"},
           Case{"safetensors:#b", "a file and a tensor needed"},
           Case{"{", "parse error"},
           Case{"{}", "an object must be"},
           Case{R"({"base64":1})", "an object must be"},
           Case{R"({"path":"x"})", "an object must be"},
           Case{R"({"file":"x","base64":""})", "an object must be"},
           Case{R"({"file":"x","file":"y"})", "occurs twice"},
       }) {
    CAPTURE(bad.text);
    CHECK_THROWS_WITH(parse_input_spec(bad.text), contains(bad.message));
  }
  try {
    parse_input_spec("normal:1");
    FAIL("accepted");
  } catch (const UsageError& error) {
    CHECK_THAT(error.remedy, contains("uniform:S"));
  }
}

TEST_CASE("ranks of a collective use streams one after the other") {
  CHECK(input_spec_for_rank(UniformInput{7}, 3) == InputSpec{UniformInput{10}});
  CHECK(input_spec_for_rank(WideInput{7}, 0) == InputSpec{WideInput{7}});
  CHECK(input_spec_for_rank(OnesInput{}, 3) == InputSpec{OnesInput{}});
}
