// Base64, hashes and words in memory.
#include <cstdlib>

#include "lab/base64.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/vector_source.hpp"
#include "tests/support/property.hpp"

using namespace whybits;

namespace {

std::vector<std::uint8_t> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

}  // namespace

TEST_CASE("base64 has the vectors of RFC 4648") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    CHECK(base64_encode(bytes_of(plain)) == coded);
    CHECK(base64_decode(coded) == bytes_of(plain));
    CHECK(base64_decoded_size(coded) == std::string_view(plain).size());
  }
}

TEST_CASE("base64 refuses what is not its one text") {
  for (const char* text : {"A", "AA", "AAA", "A===", "====", "AA=A", "AB==", "AAB=", "AA==AAAA",
                           "AA-_", "AA A", "AAAA\n", "AAAAA"}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decode(text).has_value());
  }
}

TEST_CASE("base64 goes there and back") {
  test::for_all(300, [](test::Random& random) {
    std::vector<std::uint8_t> bytes(random.below(100));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const std::string text = base64_encode(bytes);
    REQUIRE(base64_decode(text) == bytes);
    REQUIRE(base64_decoded_size(text) == bytes.size());
  });
}

TEST_CASE("the hash is xxhsum's") {
  // printf TEXT | xxhsum -H128
  CHECK(xxh3_128_hex({}) == "99aa06d3014798d86001c324468d497f");
  CHECK(xxh3_128_hex(bytes_of("whybits")) == "a06d29f8c26ac21bdaf06db5827cf3de");
}

TEST_CASE("words of every width are read at any stride") {
  test::for_all(200, [](test::Random& random) {
    const Format format = random.pick(named_formats()).format;
    std::vector<Bits> codes(1 + random.below(50));
    for (Bits& code : codes) code = random() & format.code_mask();
    const VectorSource source = VectorSource::from_codes(format, codes);
    CAPTURE(format_name(format));
    REQUIRE(source.words().size() * 8 == codes.size() * static_cast<unsigned>(format.word_bits()));
    REQUIRE(read_all(source) == codes);
    const std::uint64_t first = random.below(codes.size());
    const std::uint64_t stride = 1 + random.below(7);
    std::vector<Bits> some((codes.size() - 1 - first) / stride + 1);
    source.read(first, stride, some);
    for (std::size_t i = 0; i < some.size(); ++i) REQUIRE(some[i] == codes[first + i * stride]);
    REQUIRE(source[first] == codes[first]);
  });
}

TEST_CASE("words are little endian") {
  const VectorSource source(formats::bf16, {0x80, 0x3f, 0x00, 0x40});
  CHECK(read_all(source) == std::vector<Bits>{0x3f80, 0x4000});
  // A tf32 code lies in the top of its f32 word.
  CHECK(VectorSource(formats::tf32, {0xff, 0xff, 0x80, 0x3f})[0] == 0x1fc07);
}

TEST_CASE("words that cannot be codes are refused") {
  CHECK_THROWS_AS(VectorSource(formats::f32, {1, 2, 3}), std::invalid_argument);
  CHECK_THROWS_AS(VectorSource(formats::e2m1, {0x0f, 0x10}), std::invalid_argument);
  CHECK_NOTHROW(VectorSource(formats::e2m1, {0x0f, 0x08}));
  CHECK(VectorSource(formats::f64, {}).size() == 0);
}
