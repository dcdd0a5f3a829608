#include "io/csv/csv_record.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace clade {
namespace {

// The plain state machine that the fast scan must agree with: one byte at a time.
std::vector<std::size_t> record_ends_by_definition(std::string_view text) {
  std::vector<std::size_t> ends;
  bool quoted = false;
  bool field_start = true;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '"' && k + 1 < text.size() && text[k + 1] == '"') {
        ++k;
      } else if (c == '"') {
        quoted = false;
      }
      field_start = false;
      continue;
    }
    if (c == '"' && field_start) quoted = true;
    if (c == '\n') ends.push_back(k);
    field_start = c == ',' || c == '\n';
  }
  if (!text.empty() && (text.back() != '\n' || quoted)) ends.push_back(text.size());
  return ends;
}

TEST(CsvRecord, ScanAndChunksAgreeWithTheDefinitionOnRandomText) {
  RandomStream random(1, {kTestStream});
  constexpr std::string_view kLetters = "a\",\n\r";
  for (int repeat = 0; repeat < 20000; ++repeat) {
    std::string text;
    for (Index k = random.below(30); k > 0; --k) text += kLetters[static_cast<std::size_t>(random.below(5))];
    const std::vector<std::size_t> ends = record_ends_by_definition(text);

    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < text.size(); at = found.back() + 1) found.push_back(csv_record_end(text, at, ','));
    ASSERT_EQ(found, ends) << text;

    const auto target = static_cast<std::size_t>(random.below(8));
    std::size_t at = 0;
    for (const RowChunk& chunk : csv_chunks(text, 0, target, ',', true)) {
      ASSERT_EQ(chunk.begin, at);
      ASSERT_GT(chunk.end, chunk.begin);
      const bool at_end = chunk.end == text.size();
      ASSERT_TRUE(at_end || std::find(ends.begin(), ends.end(), chunk.end - 1) != ends.end()) << text;
      at = chunk.end;
    }
    ASSERT_EQ(at, text.size());
  }
}

TEST(CsvRecord, FieldsOfARecord) {
  const std::string_view record = "a,\"b\"\"c,\nd\", e ,";
  EXPECT_EQ(count_csv_fields(record, ','), 4);
  const char* at = record.data();
  const char* end = at + record.size();
  std::string scratch;
  EXPECT_EQ(csv_field_text(take_csv_field(at, end, ','), scratch), "a");
  EXPECT_EQ(csv_field_text(take_csv_field(++at, end, ','), scratch), "b\"c,\nd");
  EXPECT_EQ(csv_field_text(take_csv_field(++at, end, ','), scratch), "e");
  EXPECT_EQ(csv_field_text(take_csv_field(++at, end, ','), scratch), "");
  EXPECT_EQ(at, end);
}

}  // namespace
}  // namespace clade
