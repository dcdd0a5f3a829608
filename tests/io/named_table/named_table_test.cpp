#include "io/named_table/named_table.h"

#include <clade/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace clade {
namespace {

using ::testing::ElementsAre;

NamedTable table_of(std::string_view text) {
  return parse_named_table(Input::from_bytes("t.csv", text));
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

std::string error_of(std::string_view text) {
  return refusal([&] { table_of(text); });
}

TEST(NamedTable, NamesAndNumbers) {
  const NamedTable table = table_of("class,soccer,tennis\nsoccer,0,1.5\ntennis,-2,1e-3\n");
  EXPECT_THAT(table.columns, ElementsAre("soccer", "tennis"));
  EXPECT_THAT(table.rows, ElementsAre("soccer", "tennis"));
  EXPECT_THAT(table.values, ElementsAre(ElementsAre(0, 1.5), ElementsAre(-2, 0.001)));
}

TEST(NamedTable, LibertiesOfCsv) {
  // A byte order mark, other line ends, empty lines, no end of line, and quoted names with commas, quotes and line
  // ends.
  const NamedTable table = table_of(
      "\xEF\xBB\xBF"
      ",a,\"b, or c\"\r\n\r\n\"x \"\"y\"\"\",1,2\r\n\"two\nlines\",3,4");
  EXPECT_THAT(table.columns, ElementsAre("a", "b, or c"));
  EXPECT_THAT(table.rows, ElementsAre("x \"y\"", "two\nlines"));
  EXPECT_THAT(table.values, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
}

TEST(NamedTable, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(error_of(""), "t.csv: no rows; expected a header, then a name and numbers per line");
  EXPECT_EQ(error_of("class,a\n"), "t.csv: no rows; expected a header, then a name and numbers per line");
  EXPECT_EQ(error_of("class,a,b\nx,1\n"), "t.csv:2: 2 fields; expected a name and 2 numbers, as in the header");
  EXPECT_EQ(error_of("class,a\nx,1\ny,1,2\n"), "t.csv:3: 3 fields; expected a name and 1 numbers, as in the header");
  EXPECT_EQ(error_of("class,a\nx,one\n"), "t.csv:2: 'one' is no number; expected finite numbers");
  for (const char* const value : {"nan", "inf", "-inf", "1e999", "", "1 2", "0x1"}) {
    EXPECT_EQ(error_of(std::string("class,a\nx,1\n\ny,") + value + "\n"),
              std::string("t.csv:4: '") + value + "' is no number; expected finite numbers");
  }
  EXPECT_EQ(error_of("class,a\nx,1\nx,2\n"), "t.csv:3: the row 'x' comes twice; expected different names");
  EXPECT_EQ(error_of("class,a,b,a\nx,1,2,3\n"), "t.csv:1: the column 'a' comes twice; expected different names");
  EXPECT_EQ(error_of("class,a\n\"x,1\n"), "t.csv:2: a quote is not closed; expected \"...\" around a field");
  EXPECT_EQ(error_of("class,a\n\"x\n\ny\",1\nz\xFF,2\n"), "t.csv:5: a byte that is no UTF-8; expected text in UTF-8");
}

TEST(NamedTable, RowsAndColumnsInAnotherOrder) {
  const NamedTable table = table_of("class,a,b,c\nc,31,32,33\nb,21,22,23\na,11,12,13\n");
  EXPECT_THAT(table.rows_for({"b", "a"}), ElementsAre(ElementsAre(21, 22, 23), ElementsAre(11, 12, 13)));
  EXPECT_THAT(table.square_for({"a", "c"}), ElementsAre(ElementsAre(11, 13), ElementsAre(31, 33)));
  EXPECT_EQ(refusal([&] { table.rows_for({"a", "d"}); }), "t.csv: no row 'd'; expected one for every class");
  const NamedTable narrow = table_of("class,a\na,1\nb,2\n");
  EXPECT_EQ(refusal([&] { narrow.square_for({"a", "b"}); }), "t.csv: no column 'b'; expected one for every class");
}

}  // namespace
}  // namespace clade
