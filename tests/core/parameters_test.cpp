
#include <clade/error.h>
#include <clade/parameters.h>
#include <gtest/gtest.h>

namespace clade {

enum class Shade { kLight, kDark };
constexpr Choice<Shade> kShadeWords[] = {{Shade::kLight, "light"}, {Shade::kDark, "dark"}};

struct SampleOptions {
  int depth = 3;
  Index big = 5;
  double decay = 0.5;
  bool fast = false;
  std::string name = "n";
  Shade shade = Shade::kDark;
};

template <class V>
void describe(V& v, SampleOptions& o) {
  v("depth", o.depth, between(1, 10), "levels");
  v("big", o.big, at_least(0), "a large number");
  v("decay", o.decay, positive(), "decay");
  v("fast", o.fast, "be fast");
  v("name", o.name, "a name");
  v("shade", o.shade, kShadeWords, "a shade");
}

namespace {

std::string failure(ParameterTable& table, const char* name, const char* value) {
  try {
    table.set(name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(ParameterTable, SetsFieldsFromText) {
  SampleOptions options;
  ParameterTable table(options);
  table.set("depth", "7");
  table.set("big", "9000000000");
  table.set("decay", "1e-3");
  table.set("fast", "true");
  table.set("name", "x y");
  table.set("shade", "light");
  EXPECT_EQ(options.depth, 7);
  EXPECT_EQ(options.big, 9'000'000'000);
  EXPECT_EQ(options.decay, 1e-3);
  EXPECT_TRUE(options.fast);
  EXPECT_EQ(options.name, "x y");
  EXPECT_EQ(options.shade, Shade::kLight);
}

TEST(ParameterTable, RefusesWhatDoesNotSuitAndNamesWhatDoes) {
  SampleOptions options;
  ParameterTable table(options);
  EXPECT_EQ(failure(table, "depth", "11"), "`depth`: '11'; expected a whole number, 1 to 10");
  EXPECT_EQ(failure(table, "depth", "3.5"), "`depth`: '3.5'; expected a whole number, 1 to 10");
  EXPECT_EQ(failure(table, "depth", "99999999999"), "`depth`: '99999999999'; expected a whole number, 1 to 10");
  EXPECT_EQ(failure(table, "depth", ""), "`depth`: ''; expected a whole number, 1 to 10");
  EXPECT_EQ(failure(table, "decay", "0"), "`decay`: '0'; expected a number, above 0");
  EXPECT_EQ(failure(table, "decay", "nan"), "`decay`: 'nan'; expected a number, above 0");
  EXPECT_EQ(failure(table, "decay", "inf"), "`decay`: 'inf'; expected a number, above 0");
  EXPECT_EQ(failure(table, "shade", "grey"), "`shade`: 'grey'; expected one of light, dark");
  EXPECT_EQ(failure(table, "fast", "maybe"), "`fast`: 'maybe'; expected true or false");
  EXPECT_EQ(failure(table, "none", "1"), "no parameter 'none'");
  EXPECT_EQ(options.depth, 3);
  EXPECT_EQ(options.decay, 0.5);
}

}  // namespace
}  // namespace clade
