#include "lab/files.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits;
using test::contains;

TEST_CASE("a file is written whole or not at all") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder.file("a"), "one");
  CHECK(read_text_file(folder.file("a"), 100) == "one");
  write_file_atomically(folder.file("a"), "two");
  CHECK(read_text_file(folder.file("a"), 100) == "two");
  CHECK(folder.entries() == 1);

  // A folder is in the way: nothing is replaced and no temporary file stays.
  std::filesystem::create_directory(folder.file("b"));
  CHECK_THROWS_WITH(write_file_atomically(folder.file("b"), "x"), contains("cannot write"));
  CHECK_THROWS_WITH(write_file_atomically(folder.file("missing/a"), "x"), contains("cannot write"));
  CHECK(folder.entries() == 2);
}

TEST_CASE("a file over the limit is refused before it is read") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("big", std::string(2048, 'x'));
  CHECK_THROWS_WITH(read_text_file(path, 1024),
                    contains("2.0 KiB is more than the limit of 1.0 KiB"));
  CHECK(read_text_file(path, 2048).size() == 2048);
}

TEST_CASE("bytes are told in the unit that fits") {
  CHECK(human_bytes(0) == "0 bytes");
  CHECK(human_bytes(1023) == "1023 bytes");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(~std::uint64_t{0}) == "16.0 EiB");
}

TEST_CASE("JSON from strangers is parsed within limits") {
  CHECK(parse_strict_json(R"({"a":[1,{"a":2}]})", "x").dump() == R"({"a":[1,{"a":2}]})");
  CHECK_THROWS_WITH(parse_strict_json(R"({"a":1,"a":2})", "x.json"),
                    contains(R"(x.json: key "a" occurs twice)"));
  CHECK_THROWS_WITH(parse_strict_json(std::string(100, '['), "x"), contains("levels deep"));
  CHECK_THROWS_WITH(parse_strict_json("[1,2,3,4]", "x", {.depth = 4, .values = 3}),
                    contains("values"));
  CHECK_THROWS_WITH(parse_strict_json("[1,]", "x.json"), contains("x.json: parse error at line 1"));
  for (const char* text : {"# words", R"({"a": 1, "a": 2})"}) {
    try {
      parse_strict_json(text, "x.json", {}, "it should be JSON");
      FAIL(text);
    } catch (const UsageError& error) {
      CHECK(error.remedy == "it should be JSON");
    }
  }
  CHECK_THROWS_WITH(parse_strict_json("{\"a\":\"\xff\"}", "x"), contains("UTF-8"));
  CHECK_THROWS_AS(parse_strict_json("[1e999]", "x"), UsageError);
  CHECK_THROWS_AS(parse_strict_json("NaN", "x"), UsageError);
  CHECK_THROWS_AS(parse_strict_json("", "x"), UsageError);
}
