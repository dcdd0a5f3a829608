#include "io/number.h"

#include <gtest/gtest.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "how_many.h"
#include "io/decimal.h"

namespace clade {
namespace {

template <class T>
T convert_by_library(const char* text, char** stop);
template <>
double convert_by_library(const char* text, char** stop) {
  return std::strtod(text, stop);
}
template <>
float convert_by_library(const char* text, char** stop) {
  return std::strtof(text, stop);
}

template <class T>
bool same_bits(T a, T b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

// Compares parse_number with strtod or strtof on the start of `text`, once with nothing behind the text (in memory of
// exactly its size, so that a read behind it is seen by the sanitizers) and once with other bytes behind it.
template <class T>
::testing::AssertionResult agrees_with_library(const std::string& text) {
  char* stop = nullptr;
  const T expected = convert_by_library<T>(text.c_str(), &stop);
  const auto length = stop - text.c_str();
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  const auto exact = std::make_unique<char[]>(text.size());
  text.copy(exact.get(), text.size());
  const std::string padded = text + ' ' + std::string(kDecimalReach, '7');

  const std::array<std::pair<const char*, const char*>, 2> places = {{
      {exact.get(), exact.get() + size},
      {padded.data(), padded.data() + padded.size()},
  }};
  for (const auto& [begin, end] : places) {
    T value = -77;
    const NumberResult result = parse_number(begin, end, value);
    const auto where = begin == padded.data() ? "with bytes behind" : "at the end of memory";
    if (length == 0) {
      if (result.status != NumberStatus::kNotNumber || result.end != begin) {
        return ::testing::AssertionFailure() << "'" << text << "' is no number, " << where;
      }
      continue;
    }
    if (result.end - begin != length) {
      return ::testing::AssertionFailure()
             << "'" << text << "' ends at " << length << ", not at " << result.end - begin << ", " << where;
    }
    const bool finite = std::isfinite(expected);
    if (result.status != (finite ? NumberStatus::kOk : NumberStatus::kNotFinite)) {
      return ::testing::AssertionFailure()
             << "'" << text << "' has status " << static_cast<int>(result.status) << ", " << where;
    }
    if (finite && !same_bits(value, expected)) {
      return ::testing::AssertionFailure() << "'" << text << "' is " << expected << ", not " << value << ", " << where;
    }
  }
  return ::testing::AssertionSuccess();
}

std::string printed(const char* format, int precision, double value) {
  std::array<char, 1200> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, precision, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

double any_finite_double(RandomStream& random) {
  for (;;) {
    const auto value = std::bit_cast<double>(random.next());
    if (std::isfinite(value)) return value;
  }
}

std::string digits(RandomStream& random, Index count) {
  std::string text;
  for (Index k = 0; k < count; ++k) text += static_cast<char>('0' + random.below(10));
  return text;
}

// Signs, digits, points and exponents in every proportion.
std::string random_decimal(RandomStream& random) {
  constexpr std::array<const char*, 4> kSigns = {"", "", "-", "+"};
  std::string text = kSigns[static_cast<std::size_t>(random.below(4))];
  text += random.below(3) == 0 ? "0" : digits(random, random.below(random.below(4) == 0 ? 26 : 10));
  if (random.below(3) > 0) text += '.' + digits(random, random.below(random.below(4) == 0 ? 26 : 10));
  if (random.below(3) == 0) {
    text += random.below(2) == 0 ? 'e' : 'E';
    text += kSigns[static_cast<std::size_t>(random.below(4))];
    text += std::to_string(random.below(random.below(2) == 0 ? 30 : 400));
  }
  return text;
}

TEST(Number, AgreesWithStrtodOnRandomDecimals) {
  RandomStream random(1, {kTestStream, 1});
  for (int k = 0; k < testing::how_many(500000, 2000000); ++k)
    ASSERT_TRUE(agrees_with_library<double>(random_decimal(random)));
}

TEST(Number, AgreesWithStrtodOnEveryPrecisionOfRandomDoubles) {
  RandomStream random(1, {kTestStream, 2});
  for (int k = 0; k < testing::how_many(150000, 500000); ++k) {
    const double value = any_finite_double(random);
    const auto precision = static_cast<int>(1 + random.below(19));
    ASSERT_TRUE(agrees_with_library<double>(printed("%.*g", precision, value)));
    ASSERT_TRUE(agrees_with_library<double>(printed("%.*e", precision, value)));
    const double moderate = (random.uniform() - 0.5) * std::pow(10, static_cast<double>(random.below(12)));
    ASSERT_TRUE(agrees_with_library<double>(printed("%.*f", precision, moderate)));
  }
}

TEST(Number, AgreesWithStrtodOnSubnormals) {
  RandomStream random(1, {kTestStream, 3});
  for (int k = 0; k < 200000; ++k) {
    const std::uint64_t fraction = random.next() >> (12U + static_cast<unsigned>(random.below(52)));
    const auto value = std::bit_cast<double>(fraction);
    const auto precision = static_cast<int>(random.below(20));
    ASSERT_TRUE(agrees_with_library<double>(printed("%.*e", precision, value)));
    ASSERT_TRUE(agrees_with_library<double>(printed("%.*f", 300 + precision, value)));
  }
}

// The exact decimal half-way between two neighbours, and that with one more digit: the hardest to round.
TEST(Number, AgreesWithStrtodHalfWayBetweenDoubles) {
  static_assert(LDBL_MANT_DIG > DBL_MANT_DIG, "the test needs a wider type");
  RandomStream random(1, {kTestStream, 4});
  for (int k = 0; k < testing::how_many(30000, 100000); ++k) {
    const double value = any_finite_double(random) * std::pow(2, static_cast<double>(random.below(3)));
    if (!std::isfinite(value)) continue;
    const double next = std::nextafter(value, std::numeric_limits<double>::infinity());
    const long double middle = (static_cast<long double>(value) + static_cast<long double>(next)) / 2;
    std::array<char, 1200> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.*Le", 800, middle);
    std::string text(buffer.data(), static_cast<std::size_t>(length));
    ASSERT_TRUE(agrees_with_library<double>(text));
    ASSERT_TRUE(agrees_with_library<double>(text.insert(text.find('e'), "1")));
  }
}

TEST(Number, FloatsAreRoundedOnceFromTheText) {
  RandomStream random(1, {kTestStream, 5});
  for (int k = 0; k < testing::how_many(300000, 1000000); ++k)
    ASSERT_TRUE(agrees_with_library<float>(random_decimal(random)));
  // A double on the middle of two floats hides on which side of it the text was.
  for (int k = 0; k < 200000; ++k) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    if (!std::isfinite(value)) continue;
    const float next = std::nextafter(value, std::numeric_limits<float>::infinity());
    const double middle = (static_cast<double>(value) + static_cast<double>(next)) / 2;
    const std::string text = printed("%.*e", 160, middle);
    ASSERT_TRUE(agrees_with_library<float>(text));
    ASSERT_TRUE(agrees_with_library<float>(std::string(text).insert(text.find('e'), "1")));
    std::string below = text;  // the last digit that is not 0, less one
    const std::size_t last = below.find_last_of("123456789", below.find('e'));
    below[last] = static_cast<char>(below[last] - 1);
    ASSERT_TRUE(agrees_with_library<float>(below.insert(below.find('e'), "9")));
  }
}

TEST(Number, TrailingBytesAreLeft) {
  RandomStream random(1, {kTestStream, 6});
  constexpr std::string_view kBytes = " \t\r\n,;:#eE+-.0123456789abfin_\x80\xff/\"'";
  for (int k = 0; k < testing::how_many(300000, 1000000); ++k) {
    std::string text = random_decimal(random);
    for (Index more = random.below(4); more > 0; --more) {
      text += kBytes[static_cast<std::size_t>(random.below(static_cast<Index>(kBytes.size())))];
    }
    const std::size_t sign = text.find_first_not_of("+-");
    const bool blank_in_front = text.find_first_of(" \t\r\n") == 0;  // strtod skips it, parse_number does not
    const bool word = sign != std::string::npos && (text[sign] == 'i' || text[sign] == 'n');
    const bool no_digits_behind_sign = sign != std::string::npos && sign > 0 && text[sign] == ' ';
    if (blank_in_front || word || no_digits_behind_sign) continue;
    ASSERT_TRUE(agrees_with_library<double>(text));
  }
}

TEST(Number, EveryLengthOfDigitRun) {
  const std::string text = "12345678";
  for (int length = 0; length <= kDigitBlock; ++length) {
    for (int other = 0; other < 256; ++other) {
      if (other >= '0' && other <= '9') continue;
      std::string block = text.substr(0, static_cast<std::size_t>(length));
      block.resize(kDigitBlock, static_cast<char>(other));
      const DigitRun run = read_digits(block.data());
      ASSERT_EQ(run.length, length) << other;
      if (length > 0) {
        ASSERT_EQ(run.value, std::stoull(text.substr(0, static_cast<std::size_t>(length))));
      }
    }
  }
}

struct WholeCase {
  std::string text;
  NumberStatus status;
  double value = 0;
};

TEST(Number, WholeTexts) {
  const std::string zeros(400, '0');
  const std::vector<WholeCase> cases = {
      {"", NumberStatus::kNotNumber},
      {"+", NumberStatus::kNotNumber},
      {"-", NumberStatus::kNotNumber},
      {".", NumberStatus::kNotNumber},
      {"-.", NumberStatus::kNotNumber},
      {"e5", NumberStatus::kNotNumber},
      {"+-1", NumberStatus::kNotNumber},
      {"--1", NumberStatus::kNotNumber},
      {"1e", NumberStatus::kNotNumber},
      {"1e+", NumberStatus::kNotNumber},
      {"1.2.3", NumberStatus::kNotNumber},
      {"1,5", NumberStatus::kNotNumber},
      {" 1", NumberStatus::kNotNumber},
      {"1 ", NumberStatus::kNotNumber},
      {"0x10", NumberStatus::kNotNumber},
      {"1_000", NumberStatus::kNotNumber},
      {"nano", NumberStatus::kNotNumber},
      {"info", NumberStatus::kNotNumber},
      {std::string("1\0", 2), NumberStatus::kNotNumber},
      {"\xd9\xa1", NumberStatus::kNotNumber},  // the Arabic digit one
      {"5", NumberStatus::kOk, 5},
      {"+5", NumberStatus::kOk, 5},
      {"5.", NumberStatus::kOk, 5},
      {".5", NumberStatus::kOk, 0.5},
      {"-.5e1", NumberStatus::kOk, -5},
      {"-0", NumberStatus::kOk, -0.0},
      {"1e-999", NumberStatus::kOk, 0},
      {"-1e-999", NumberStatus::kOk, -0.0},
      {"0." + zeros + "1", NumberStatus::kOk, 0},
      {"1" + zeros + "e-400", NumberStatus::kOk, 1},
      {"0." + zeros + "1e401", NumberStatus::kOk, 1},
      {"0e99999999999999999999", NumberStatus::kOk, 0},
      {"1e-99999999999999999999", NumberStatus::kOk, 0},
      {"1e999", NumberStatus::kNotFinite},
      {"-1e999", NumberStatus::kNotFinite},
      {"+1e999", NumberStatus::kNotFinite},
      {"1" + zeros, NumberStatus::kNotFinite},
      {"1" + zeros + zeros + "e-10", NumberStatus::kNotFinite},
      {"0." + zeros + "1e999", NumberStatus::kNotFinite},
      {"1e99999999999999999999", NumberStatus::kNotFinite},
      {"1.7976931348623159e308", NumberStatus::kNotFinite},
      {"1.7976931348623157e308", NumberStatus::kOk, DBL_MAX},
      {"inf", NumberStatus::kNotFinite},
      {"-INF", NumberStatus::kNotFinite},
      {"Infinity", NumberStatus::kNotFinite},
      {"nan", NumberStatus::kMissing},
      {"NaN", NumberStatus::kMissing},
      {"-nan", NumberStatus::kMissing},
      {"+NAN", NumberStatus::kMissing},
  };
  for (const WholeCase& c : cases) {
    double value = -77;
    EXPECT_EQ(parse_whole_number(c.text, value), c.status) << c.text;
    if (c.status == NumberStatus::kOk) {
      EXPECT_TRUE(same_bits(value, c.value)) << c.text << " is " << value;
    }
  }
}

TEST(Number, TooLargeForAFloatOnly) {
  float value = 0;
  const std::string text = "3.5e38";
  EXPECT_EQ(parse_number(text.data(), text.data() + text.size(), value).status, NumberStatus::kNotFinite);
  const std::string tiny = "-1e-60";
  EXPECT_EQ(parse_number(tiny.data(), tiny.data() + tiny.size(), value).status, NumberStatus::kOk);
  EXPECT_TRUE(same_bits(value, -0.0F));
}

template <class T, class Bits>
void check_round_trip(std::uint64_t name) {
  RandomStream random(1, {kTestStream, name});
  for (int k = 0; k < testing::how_many(150000, 500000); ++k) {
    const T value = std::bit_cast<T>(static_cast<Bits>(random.next()));
    if (!std::isfinite(value)) continue;
    std::string text;
    append_number(text, value);
    T again = 0;
    const NumberResult result = parse_number(text.data(), text.data() + text.size(), again);
    ASSERT_EQ(result.status, NumberStatus::kOk) << text;
    ASSERT_EQ(result.end, text.data() + text.size()) << text;
    ASSERT_TRUE(same_bits(value, again)) << text;
  }
}

TEST(Number, WrittenNumbersReadBackIdentical) {
  check_round_trip<double, std::uint64_t>(7);
  check_round_trip<float, std::uint32_t>(8);
}

TEST(Number, WrittenNumbersAreShort) {
  std::string text;
  append_number(text, 0.1);
  append_number(text += ' ', 0.1F);
  append_number(text += ' ', -3.0);
  append_number(text += ' ', 0.0);
  EXPECT_EQ(text, "0.1 0.1 -3 0");
}

}  // namespace
}  // namespace clade
