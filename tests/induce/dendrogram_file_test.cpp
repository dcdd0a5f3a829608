#include "induce/dendrogram_file.h"

#include <clade/error.h>
#include <gtest/gtest.h>

namespace clade {
namespace {

constexpr std::string_view kThree =
    R"({"method": "agglomerative", "threshold": 0.5, "levels": 2,
        "classes": [{"name": "a", "samples": 3}, {"name": "b", "samples": 2}, {"name": "c", "samples": 4}],
        "merges": [{"parts": [0, 1], "distance": 0.25, "size": 2, "inconsistency": 0, "cuts": 0},
                   {"parts": [2, 3], "distance": 1.5, "size": 3, "inconsistency": 0.7, "cuts": 1}],
        "clusters": [{"name": "cluster-1", "parent": "root", "classes": ["a", "b"]}]})";

DendrogramFile parsed(std::string_view text) {
  return parse_dendrogram(Input::from_bytes("d.json", text));
}

std::string with(std::string_view part, std::string_view other) {
  std::string text(kThree);
  return text.replace(text.find(part), part.size(), other);
}

TEST(DendrogramFile, IsRead) {
  const DendrogramFile file = parsed(kThree);
  EXPECT_EQ(file.method, "agglomerative");
  EXPECT_EQ(file.dendrogram.classes, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(file.dendrogram.samples, (std::vector<Index>{3, 2, 4}));
  ASSERT_EQ(file.dendrogram.merges.size(), 2U);
  EXPECT_EQ(file.dendrogram.merges[1].second, 3);
  EXPECT_EQ(file.dendrogram.merges[1].distance, 1.5);
  EXPECT_EQ(file.dendrogram.merges[1].cuts, 1);
  EXPECT_EQ(file.dendrogram.threshold, 0.5);
  ASSERT_EQ(file.clusters.size(), 1U);
  EXPECT_EQ(file.clusters[0].classes, (std::vector<std::string>{"a", "b"}));
}

TEST(DendrogramFile, RefusesMergesThatAreNoTree) {
  for (const std::string& text :
       {with("[0, 1]", "[0, 0]"), with("[0, 1]", "[1, 0]"), with("[2, 3]", "[1, 3]"), with("[2, 3]", "[2, 4]"),
        with("[0, 1]", "[-1, 1]"), with("[0, 1]", "[0]"), with("1.5", "0.1"), with("0.25", "-1"), with("0.25", "1e999"),
        with("\"b\", \"samples\"", "\"a\", \"samples\""), with("0.25", "null"), std::string("[]"), std::string("{"),
        std::string(R"({"classes": [], "merges": []})")}) {
    EXPECT_THROW(parsed(text), Error) << text;
  }
}

}  // namespace
}  // namespace clade
