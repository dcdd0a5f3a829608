#include "report/page/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/chart.h"

namespace clade {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageHtml, EscapesWhateverANameHolds) {
  EXPECT_EQ(html_escaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(html_escaped("a\nb\tc"), "a b c");
  EXPECT_EQ(html_escaped("\x01"), "\xEF\xBF\xBD");
  EXPECT_EQ(html_escaped("caf\xC3\xA9"), "caf\xC3\xA9");
  // A byte that is not UTF-8, and a character cut short.
  EXPECT_EQ(html_escaped("x\xFFy"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(html_escaped("x\xC3"), "x\xEF\xBF\xBD");
}

TEST(PageHtml, TablesKeepTheExactNumber) {
  const PageTable table{
      "t", "caption <", {{"name", false, ""}, {"value", true, ""}}, {{text_cell("a"), share_cell(1, 3)}}};
  const std::string html = table_html(table);
  EXPECT_THAT(html, HasSubstr("data-v=\"0.3333333333333333\""));
  EXPECT_THAT(html, HasSubstr(">0.3333</td>"));
  EXPECT_THAT(html, HasSubstr("<caption>caption &lt;</caption>"));
  EXPECT_THAT(table_html({"t", "c", {{"n", true, ""}}, {{share_cell(0, 0)}}}), Not(HasSubstr("data-v")));
}

TEST(PageHtml, DocumentsCannotEndTheirElement) {
  const std::string html = page_html({"t", "s", {}, {{"id", "{\"a\":\"</script><script>\"}"}}});
  EXPECT_THAT(html, HasSubstr("{\"a\":\"\\u003c/script>\\u003cscript>\"}</script>"));
}

TEST(PageChart, DrawsEveryPointWithinTheFrame) {
  LineChart chart{{"x", 0, 1, true}, {"y", 0, 1, true}, {{"line", {{0, 0}, {0.5, 1}, {1, 0.25}}, true, false}}, true};
  const std::string svg = line_chart_svg(chart);
  EXPECT_THAT(svg, HasSubstr("100 %"));
  EXPECT_THAT(svg, Not(HasSubstr("-0 %")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(bar_chart_svg({"x", "y", {{"a", 0, ""}}}), Not(HasSubstr("nan")));
  EXPECT_THAT(bar_chart_svg({"x", "y", {}}), Not(HasSubstr("nan")));
}

TEST(PageChart, AxesBeginBelowTheSmallestValue) {
  EXPECT_DOUBLE_EQ(axis_floor(0.87), 0.8);
  EXPECT_DOUBLE_EQ(axis_floor(0.05), 0);
  EXPECT_DOUBLE_EQ(axis_floor(1), 0.9);
}

}  // namespace
}  // namespace clade
