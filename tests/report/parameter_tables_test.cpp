#include "report/parameter_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/kernel/kernel.h"

namespace clade {

enum class Shade { kLight, kDark };
constexpr Choice<Shade> kShadeWords[] = {{Shade::kLight, "light"}, {Shade::kDark, "dark"}};

struct ShownOptions {
  int depth = 3;
  double decay = 0.5;
  double width = std::numeric_limits<double>::quiet_NaN();
  bool fast = false;
  Shade shade = Shade::kDark;
};

template <class V>
void describe(V& v, ShownOptions& o) {
  v("depth", o.depth, between(1, 10), "levels");
  v("decay", o.decay, positive(), "decay");
  v("width", o.width, positive(), "a width");
  v("fast", o.fast, "be fast");
  v("shade", o.shade, kShadeWords, "a shade");
}

namespace {

using ::testing::HasSubstr;

TEST(ParameterTables, JsonHasTypedDefaultsRangesAndChoices) {
  ShownOptions options;
  const auto json = nlohmann::json::parse(parameters_json(infos_of(ParameterTable(options))));
  ASSERT_EQ(json.size(), 5U);
  EXPECT_EQ(json[0]["name"], "depth");
  EXPECT_EQ(json[0]["default"], 3);
  EXPECT_EQ(json[0]["range"], "1 to 10");
  EXPECT_EQ(json[1]["default"], 0.5);
  EXPECT_TRUE(json[2]["default"].is_null());
  EXPECT_EQ(json[3]["default"], false);
  EXPECT_EQ(json[4]["default"], "dark");
  EXPECT_EQ(json[4]["choices"], nlohmann::json({"light", "dark"}));
}

TEST(ParameterTables, MarkdownHasOneRowPerParameter) {
  ShownOptions options;
  const std::string text = parameters_markdown(infos_of(ParameterTable(options)), "--");
  EXPECT_THAT(text, HasSubstr("| `--depth` | int, 1 to 10 | `3` | levels |"));
  EXPECT_THAT(text, HasSubstr("| `--shade` | light, dark | `dark` | a shade |"));
}

TEST(ParameterTables, KernelsStandOnTheirPage) {
  KernelOptions options;
  std::ifstream page(CLADE_SOURCE_DIR "/docs/methods/kernels.md");
  std::stringstream text;
  text << page.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(parameters_markdown(infos_of(ParameterTable(options)), "--")));
}

}  // namespace
}  // namespace clade
