#include <clade/names.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clade {
namespace {

const std::vector<std::string> kNames{"train", "predict", "text-field", "lambda", "c"};

TEST(Names, TheNearestIsFound) {
  EXPECT_EQ(nearest_name("predct", kNames), "predict");
  EXPECT_EQ(nearest_name("trian", kNames), "train");
  EXPECT_EQ(nearest_name("Text_Field", kNames), "text-field");
  EXPECT_EQ(nearest_name("lamda", kNames), "lambda");
  EXPECT_EQ(nearest_name("something-else", kNames), "");
  EXPECT_EQ(nearest_name("train", std::vector<std::string>{}), "");
}

TEST(Names, AnErrorSuggestsOrLists) {
  EXPECT_EQ(expected_name("predct", kNames), "did you mean 'predict'?");
  EXPECT_EQ(expected_name("something-else", kNames), "expected one of train, predict, text-field, lambda, c");
}

}  // namespace
}  // namespace clade
