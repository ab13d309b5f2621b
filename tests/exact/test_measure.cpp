#include <cmath>
#include <vector>

#include "exact/measure.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::exact;

namespace {

/// Distance by walking: how many numbers of the format lie between the two, counted by value.
std::uint64_t counted_distance(const Format& format, Bits a, Bits b) {
  const auto value = [&](Bits code) {
    const Unpacked u = unpack(format, code);
    const double magnitude =
        u.finite() ? std::ldexp(static_cast<double>(u.significand), u.exponent) : 1e30;
    return u.negative ? -magnitude : magnitude;
  };
  const double low = std::min(value(a), value(b)), high = std::max(value(a), value(b));
  std::uint64_t count = 0;
  for (Bits code = 0; code <= format.code_mask(); ++code) {
    const bool minus_zero = code == format.sign_mask();
    if (minus_zero || unpack(format, code).cls == FpClass::nan) continue;
    if (value(code) > low && value(code) <= high) ++count;
  }
  return count;
}

Bits f32(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

}  // namespace

TEST_CASE("ulp distance counts the numbers of a format, all pairs of small formats") {
  for (const Format& format :
       {formats::e2m1, formats::e3m2, formats::e2m3, formats::e4m3, formats::e5m2}) {
    std::size_t wrong = 0;
    const Bits step = format.code_bits() == 8 ? 5 : 1;
    for (Bits a = 0; a <= format.code_mask(); a += step)
      for (Bits b = 0; b <= format.code_mask(); b += step) {
        const bool nan =
            unpack(format, a).cls == FpClass::nan || unpack(format, b).cls == FpClass::nan;
        const auto distance = ulp_distance(format, a, b);
        if (nan ? distance.has_value() : distance != counted_distance(format, a, b)) ++wrong;
      }
    CAPTURE(format_name(format));
    CHECK(wrong == 0);
  }
}

TEST_CASE("ulp distance across zero, to infinity and at full width") {
  CHECK(ulp_distance(formats::f32, 0, 0x80000000) == 0);
  CHECK(ulp_distance(formats::f32, 1, 0x80000001) == 2);
  CHECK(ulp_distance(formats::f32, 0x7f7fffff, 0x7f800000) == 1);
  CHECK_FALSE(ulp_distance(formats::f32, 0x7fc00000, 0).has_value());
  CHECK_FALSE(ulp_distance(formats::f32, 0x7fc00000, 0x7fc00000).has_value());
  CHECK(ulp_distance(formats::f64, 0x7ff0000000000000, 0xfff0000000000000) == 0xffe0000000000000);
  CHECK(ulp_distance(formats::e4m3, 0x7e, 0xfe) == 2 * 0x7e);
}

TEST_CASE("the histogram puts each distance into its bucket") {
  UlpHistogram histogram;
  for (const std::uint64_t distance : {0U, 1U, 2U, 3U, 4U, 7U, 8U}) histogram.add(distance);
  histogram.add(~std::uint64_t{0});
  histogram.add(std::nullopt);
  CHECK(histogram.buckets()[0] == 1);
  CHECK(histogram.buckets()[1] == 1);
  CHECK(histogram.buckets()[2] == 2);
  CHECK(histogram.buckets()[3] == 2);
  CHECK(histogram.buckets()[4] == 1);
  CHECK(histogram.buckets()[64] == 1);
  CHECK(histogram.used_buckets() == 65);
  CHECK(histogram.not_comparable() == 1);
  CHECK(histogram.largest() == ~std::uint64_t{0});
  CHECK(UlpHistogram().used_buckets() == 0);
  for (std::size_t bucket = 1; bucket < UlpHistogram::bucket_count; ++bucket)
    CHECK(UlpHistogram::bucket_low(bucket) == UlpHistogram::bucket_high(bucket - 1) + 1);
  CHECK(UlpHistogram::bucket_high(64) == ~std::uint64_t{0});
}

TEST_CASE("error statistics of results by hand") {
  ErrorStatistics errors;
  errors.add(formats::f32, f32(1), Dyadic::from_double(1));      // exact
  errors.add(formats::f32, f32(2), Dyadic::from_double(2.5));    // −0.5, toward zero
  errors.add(formats::f32, f32(-3), Dyadic::from_double(-3.5));  // +0.5, toward zero
  errors.add(formats::f32, f32(5), Dyadic::from_double(4));      // +1, away
  CHECK(errors.count() == 4);
  CHECK(errors.exact_results() == 1);
  CHECK(errors.max() == 1.0);
  CHECK(errors.mean() == 0.25);
  CHECK(errors.rms() == std::sqrt((0.25 + 0.25 + 1) / 4));
  CHECK(errors.rms_exact() == std::sqrt((1 + 6.25 + 12.25 + 16) / 4));
  CHECK(errors.toward_zero() == 2.0 / 3.0);
}

TEST_CASE("a result that is no number fails every bound on the error") {
  for (const Bits code : {Bits{0x7fffffff}, Bits{0x7f800000}}) {
    ErrorStatistics errors;
    errors.add(formats::f32, f32(1), Dyadic::from_double(1));
    errors.add(formats::f32, code, Dyadic::from_double(1));
    CHECK(errors.not_finite() == 1);
    CHECK_FALSE(errors.rms() < 1e300);
    CHECK_FALSE(errors.max() < 1e300);
    CHECK(std::isnan(errors.mean()));
  }
}

TEST_CASE("errors below the square root of the smallest double still count") {
  ErrorStatistics errors;
  errors.add(formats::f64, 1, Dyadic());  // 2^−1074 where 0 is exact
  CHECK(errors.rms() == 0x1p-1074);
  CHECK_FALSE(errors.toward_zero().has_value());
  CHECK(ErrorStatistics().rms() == 0);
}
