#include "report/parameter_tables.h"

#include <clade/parameters.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace clade {

enum class Shade { kLight, kDark };
constexpr Choice<Shade> kShadeWords[] = {{Shade::kLight, "light"}, {Shade::kDark, "dark"}};

struct SampleOptions {
  int depth = 3;
  double decay = 0.5;
  bool fast = false;
  Shade shade = Shade::kDark;
};

template <class V>
void describe(V& v, SampleOptions& o) {
  v("depth", o.depth, between(1, 10), "levels");
  v("decay", o.decay, positive(), "decay");
  v("fast", o.fast, "be fast");
  v("shade", o.shade, kShadeWords, "a shade");
}

namespace {

TEST(ParameterTables, JsonHasTypedDefaultsRangesAndChoices) {
  SampleOptions options;
  const nlohmann::json json = parameters_json(infos_of(ParameterTable(options)));
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[0]["name"], "depth");
  EXPECT_EQ(json[0]["default"], 3);
  EXPECT_EQ(json[0]["range"], "1 to 10");
  EXPECT_EQ(json[1]["default"], 0.5);
  EXPECT_EQ(json[2]["default"], false);
  EXPECT_EQ(json[3]["default"], "dark");
  EXPECT_EQ(json[3]["choices"], nlohmann::json({"light", "dark"}));
}

TEST(ParameterTables, MarkdownHasOneRowPerParameter) {
  SampleOptions options;
  const std::string text = parameters_markdown(infos_of(ParameterTable(options)), "--");
  EXPECT_NE(text.find("| `--depth` | int, 1 to 10 | `3` | levels |"), std::string::npos) << text;
  EXPECT_NE(text.find("| `--shade` | light, dark | `dark` | a shade |"), std::string::npos) << text;
}

}  // namespace
}  // namespace clade
