#include <clade/error.h>
#include <clade/select.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clade {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// root -> a, b, empty; b -> b1 (all samples of b), b2 (none); empty -> e1 (none).
Dataset odd_nodes() {
  TaxonomyBuilder builder;
  for (const auto& [parent, child] :
       {std::pair{"root", "a"}, {"root", "b"}, {"root", "empty"}, {"b", "b1"}, {"b", "b2"}, {"empty", "e1"}}) {
    builder.edge(parent, child);
  }
  Dataset::Parts parts;
  parts.taxonomy = builder.build();
  DenseMatrix<double> matrix{6, 3, Buffer<double>(18)};
  for (Index k = 0; k < 18; ++k) matrix.values[k] = static_cast<double>((7 * k) % 5);
  parts.features = std::move(matrix);
  for (Index s = 0; s < 6; ++s) {
    parts.labels.nodes.push_back(*parts.taxonomy->find(s % 2 == 0 ? "a" : "b1"));
    parts.labels.offsets.push_back(s + 1);
  }
  return Dataset(std::move(parts));
}

TEST(Select, OddNodesAreNamedOnceByEveryKindOfMethod) {
  Context ctx;
  for (const char* method : {"hier-fs", "hier-fisher", "hier-fsnm", "hier-mrmr"}) {
    const FeatureRanking ranking = select(odd_nodes(), {.method = method}, ctx);
    EXPECT_THAT(ranking.notes, ElementsAre("nodes without samples, ranked in feature order: empty",
                                           AllOf(HasSubstr("below one child only"), HasSubstr(": b"))))
        << method;
    EXPECT_THAT(ranking.nodes.back().ranking, ElementsAre(0, 1, 2)) << method;
  }
}

TEST(Select, TopIsANumberOrAShare) {
  EXPECT_EQ(parse_top("40", 473), 40);
  EXPECT_EQ(parse_top("10%", 473), 47);
  EXPECT_EQ(parse_top("0.1%", 100), 1);
  EXPECT_EQ(parse_top("100%", 7), 7);
  for (const char* wrong : {"", "0", "-3", "2.5", "101%", "8", "x", "%"})
    EXPECT_THROW(parse_top(wrong, 7), Error) << wrong;
}

}  // namespace
}  // namespace clade
