#include <clade/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/sample_columns.h"

namespace clade {
namespace {

using ::testing::ElementsAre;

std::vector<Index> folds_of(std::string_view text, Index samples) {
  return parse_folds(Input::from_bytes("folds.csv", text), samples);
}

std::string error_of(std::string_view text, Index samples) {
  try {
    folds_of(text, samples);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(Folds, NumbersBecomeConsecutive) {
  EXPECT_THAT(folds_of("8\n3\n8\n2\n", 4), ElementsAre(2, 1, 2, 0));
  EXPECT_THAT(folds_of("fold\r\n1\r\n0\r\n", 2), ElementsAre(1, 0));
  EXPECT_THAT(folds_of("\xEF\xBB\xBF"
                       " 5 \n5",
                       2),
              ElementsAre(0, 0));
  EXPECT_THAT(folds_of("1\n2\n\n\n", 2), ElementsAre(0, 1));
}

TEST(Folds, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(error_of("1\nx\n", 2), "folds.csv:2: 'x' is no fold; expected a whole number from 0 to 1000000");
  EXPECT_EQ(error_of("1\n-1\n", 2), "folds.csv:2: '-1' is no fold; expected a whole number from 0 to 1000000");
  EXPECT_EQ(error_of("1\n1.5\n", 2), "folds.csv:2: '1.5' is no fold; expected a whole number from 0 to 1000000");
  EXPECT_EQ(error_of("1\n\n2\n", 3), "folds.csv:2: '' is no fold; expected a whole number from 0 to 1000000");
  EXPECT_EQ(error_of("1\n2\n3\n", 2), "folds.csv:3: more folds than samples; expected 2 lines");
  EXPECT_EQ(error_of("1\n", 2), "folds.csv: folds for 1 samples; expected 2, one line for each sample of the data");
  EXPECT_EQ(error_of("", 2), "folds.csv: folds for 0 samples; expected 2, one line for each sample of the data");
  EXPECT_EQ(error_of("99999999999999999999\n", 1),
            "folds.csv:1: '99999999999999999999' is no fold; expected a whole number from 0 to 1000000");
}

}  // namespace
}  // namespace clade
