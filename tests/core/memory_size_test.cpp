#include "core/memory_size.h"

#include <clade/error.h>
#include <gtest/gtest.h>

namespace clade {
namespace {

TEST(MemorySize, AmountsAreReadWithTheirUnits) {
  EXPECT_EQ(parse_bytes("4G"), 4 * 0x1p30);
  EXPECT_EQ(parse_bytes("512M"), 512 * 0x1p20);
  EXPECT_EQ(parse_bytes("1000"), 1000);
  for (const char* wrong : {"", "G", "-1G", "4T", "nan", "0"}) EXPECT_THROW(parse_bytes(wrong), Error) << wrong;
}

}  // namespace
}  // namespace clade
