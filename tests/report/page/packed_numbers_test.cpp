#include "report/page/packed_numbers.h"

#include <gtest/gtest.h>

namespace clade {
namespace {

std::string of(std::string_view text) {
  return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
}

// The examples of RFC 4648.
TEST(PackedNumbers, Base64) {
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(PackedNumbers, EndsOfTheRange) {
  EXPECT_EQ(packed_signed(std::vector<double>{-2, 0, 2}, 2), base64(std::vector<std::uint8_t>{1, 128, 0, 0, 255, 127}));
  EXPECT_EQ(packed_signed(std::vector<double>{0, 0}, 0), base64(std::vector<std::uint8_t>(4, 0)));
  EXPECT_EQ(packed_bytes(std::vector<double>{-1, 0, 1, 5}, -1, 1), base64(std::vector<std::uint8_t>{0, 128, 255, 255}));
  EXPECT_EQ(packed_bytes(std::vector<double>{3}, 3, 3), base64(std::vector<std::uint8_t>{0}));
}

}  // namespace
}  // namespace clade
