#include "io/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace clade {
namespace {

using namespace std::string_literals;

std::string random_text(RandomStream& random, Index size) {
  std::string text;
  for (Index k = 0; k < size; ++k) text += random.below(6) == 0 ? '\n' : static_cast<char>('a' + random.below(26));
  return text;
}

TEST(Lines, ChunksCoverTheTextAndEndAtLineEnds) {
  RandomStream random(1, {kTestStream});
  for (int k = 0; k < 2000; ++k) {
    const std::string text = random_text(random, random.below(200));
    const auto begin = static_cast<std::size_t>(random.below(static_cast<Index>(text.size()) + 1));
    const auto target = static_cast<std::size_t>(random.below(40));
    std::size_t at = begin;
    for (const LineChunk& chunk : line_chunks(text, begin, target)) {
      ASSERT_EQ(chunk.begin, at);
      ASSERT_GT(chunk.end, chunk.begin);
      ASSERT_TRUE(chunk.end == text.size() || text[chunk.end - 1] == '\n');
      // No longer than it must be: the line that reaches the target is the last one.
      const std::string_view body = std::string_view(text).substr(chunk.begin, chunk.end - chunk.begin);
      if (body.size() > target + 1) {
        ASSERT_EQ(body.substr(0, body.size() - 1).find('\n', target), std::string::npos);
      }
      at = chunk.end;
    }
    ASSERT_EQ(at, text.size());
  }
}

TEST(Lines, ALineLongerThanAChunkStaysWhole) {
  const std::string text = std::string(100, 'x') + "\nshort\n";
  const auto chunks = line_chunks(text, 0, 10);
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0].end, 101U);
}

TEST(Lines, CountAndTakeAgree) {
  RandomStream random(1, {kTestStream});
  for (int k = 0; k < 2000; ++k) {
    const std::string text = random_text(random, random.below(60));
    std::string_view rest = text;
    Index lines = 0;
    for (; !rest.empty(); ++lines) take_line(rest);
    ASSERT_EQ(count_lines(text), lines) << text;
  }
  EXPECT_EQ(count_lines(""), 0);
  EXPECT_EQ(count_lines("\n"), 1);
  EXPECT_EQ(count_lines("a"), 1);
  EXPECT_EQ(count_lines("a\n\nb"), 3);
}

TEST(Lines, BothLineEndsAreTaken) {
  std::string_view rest = "unix\nwindows\r\n\r\nlone\rreturn\nlast\r";
  std::vector<std::string_view> lines;
  while (!rest.empty()) lines.push_back(take_line(rest));
  EXPECT_THAT(lines, ::testing::ElementsAre("unix", "windows", "", "lone\rreturn", "last"));
}

TEST(Lines, Trim) {
  EXPECT_EQ(trim(" \t\r\n\f\v"), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" a b\t\n"), "a b");
}

TEST(Lines, InvalidUtf8IsFound) {
  EXPECT_EQ(first_invalid_utf8(""), std::string_view::npos);
  EXPECT_EQ(first_invalid_utf8("plain"), std::string_view::npos);
  EXPECT_EQ(first_invalid_utf8("\u00e9\u20ac\U0001F600"), std::string_view::npos);
  EXPECT_EQ(first_invalid_utf8("ab\xe9"), 2U);            // Latin-1
  EXPECT_EQ(first_invalid_utf8("\x80"), 0U);              // a continuation alone
  EXPECT_EQ(first_invalid_utf8("\xc3\xa9\xc3"), 2U);      // cut off
  EXPECT_EQ(first_invalid_utf8("x\xc0\xaf"), 1U);         // longer than needed
  EXPECT_EQ(first_invalid_utf8("\xed\xa0\x80"), 0U);      // half of a surrogate pair
  EXPECT_EQ(first_invalid_utf8("\xf4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(first_invalid_utf8("\xff"), 0U);
}

TEST(Lines, EveryLatin1ByteBecomesUtf8) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = latin1_to_utf8(std::string(1, static_cast<char>(byte)));
    ASSERT_EQ(first_invalid_utf8(text), std::string_view::npos) << byte;
    ASSERT_EQ(text.size(), byte < 128 ? 1U : 2U);
  }
  EXPECT_EQ(latin1_to_utf8("caf\xe9"), "caf\u00e9");
}

TEST(Lines, ExcerptsAreShortAndPrintable) {
  EXPECT_EQ(shown("abc"), "abc");
  EXPECT_EQ(shown("caf\u00e9"), "caf\u00e9");
  EXPECT_EQ(shown("a\0\n\x7f\xe9z"s), "a\\x00\\x0a\\x7f\\xe9z");
  EXPECT_EQ(shown(std::string(1000, 'x')), std::string(40, 'x') + "...");
  EXPECT_EQ(shown(std::string(40, 'x')), std::string(40, 'x'));
}

}  // namespace
}  // namespace clade
