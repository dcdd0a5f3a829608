#include "report/text_table.h"

#include <gtest/gtest.h>

namespace clade {
namespace {

TEST(Shortened, ShortTextStaysAsItIs) {
  EXPECT_EQ(shortened("", 5), "");
  EXPECT_EQ(shortened("abcde", 5), "abcde");
  EXPECT_EQ(shortened("\u6f22\u5b57", 4), "\u6f22\u5b57");  // two wide characters, six bytes
}

TEST(Shortened, CutsAfterWholeCharacters) {
  EXPECT_EQ(shortened("abcdef", 5), "ab...");
  EXPECT_EQ(shortened("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc", 5), "\u00e4\u00f6...");
  // The second wide character does not fit into the one cell that is left.
  EXPECT_EQ(shortened("\u6f22\u5b57\u6f22\u5b57", 6), "\u6f22...");
  // An accent of its own takes no cell and stays with its letter.
  EXPECT_EQ(shortened("ne\u0301e\u0301e\u0301e", 4), "n...");
  EXPECT_EQ(shortened("e\u0301abcd", 4), "e\u0301...");
}

TEST(Shortened, NeverTooWideAndNeverHalfACharacter) {
  const std::string name = "\u00c4pfel/\u6f22\u5b57e\u0301\U0001F33F-na\u00efve caf\u00e9s";
  for (int width = 3; width < display_width(name); ++width) {
    const std::string text = shortened(name, width);
    EXPECT_LE(display_width(text), width);
    EXPECT_GE(display_width(text), width - 1);  // a wide character may not fit
    ASSERT_TRUE(text.ends_with("..."));
    const std::string kept = text.substr(0, text.size() - 3);
    EXPECT_TRUE(name.starts_with(kept));
    const bool ends_inside =
        kept.size() < name.size() && (static_cast<unsigned char>(name[kept.size()]) & 0xC0U) == 0x80;
    EXPECT_FALSE(ends_inside);
  }
}

TEST(Shortened, BytesThatAreNoCharacterCountOneEach) {
  EXPECT_EQ(shortened("\xff\xfe\xff\xfe\xff", 4), "\xff...");
}

}  // namespace
}  // namespace clade
