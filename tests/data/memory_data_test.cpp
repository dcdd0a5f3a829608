#include <clade/dataset.h>
#include <gmock/gmock.h>

namespace clade {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Labels = std::vector<std::vector<std::string>>;

Taxonomy animals() {
  TaxonomyBuilder builder;
  builder.edge("animal", "cat");
  builder.edge("animal", "dog");
  return builder.build();
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryData, DenseAndSparseHoldTheSame) {
  const Labels labels = {{"cat"}, {"dog", "cat"}, {}};
  const Dataset dense = dense_dataset(std::vector<double>{1, 0, 0, 2, 3, 4}, 2, labels, animals());
  const Dataset sparse = sparse_dataset(std::vector<Index>{0, 1, 2, 4}, std::vector<FeatureIndex>{0, 1, 0, 1},
                                        std::vector<double>{1, 2, 3, 4}, 2, labels, animals());
  EXPECT_EQ(difference(dense, sparse), std::nullopt);
  EXPECT_EQ(dense.labels(1).size(), 2U);
  EXPECT_TRUE(dense.labels(2).empty());
}

TEST(MemoryData, AncestorsOfALabelAreImplied) {
  const Dataset data = dense_dataset(std::vector<double>{1}, 1, Labels{{"animal", "cat", "cat"}}, animals());
  EXPECT_THAT(data.labels(0), ElementsAre(*animals().find("cat")));
}

TEST(MemoryData, FeaturesMayHaveNames) {
  const std::vector<std::string> names = {"legs", "wings"};
  const Dataset dense = dense_dataset(std::vector<double>{4, 0}, 2, Labels{{"cat"}}, animals(), names);
  const Dataset sparse = sparse_dataset(std::vector<Index>{0, 1}, std::vector<FeatureIndex>{0}, std::vector<double>{4},
                                        2, Labels{{"cat"}}, animals(), names);
  EXPECT_THAT(dense.feature_names(), ElementsAre("legs", "wings"));
  EXPECT_EQ(difference(dense, sparse), std::nullopt);
  EXPECT_THAT(refusal([&] { dense_dataset(std::vector<double>{4}, 1, Labels{{"cat"}}, animals(), names); }),
              HasSubstr("2 names for 1 features"));
}

TEST(MemoryData, SaysWhatIsWrong) {
  const Taxonomy t = animals();
  const Labels one = {{"cat"}};
  EXPECT_THAT(refusal([&] { dense_dataset(std::vector<double>{1, 2, 3}, 2, one, t); }), HasSubstr("expected 2"));
  EXPECT_THAT(refusal([&] { dense_dataset(std::vector<double>{1}, 1, Labels{{"cow"}}, t); }),
              HasSubstr("sample 0: no class 'cow'"));
  const auto sparse = [&](std::vector<Index> offsets, std::vector<FeatureIndex> columns, std::vector<double> values) {
    return refusal([&] { sparse_dataset(offsets, columns, values, 3, one, t); });
  };
  EXPECT_EQ(sparse({0, 2}, {0, 2}, {1, 1}), "");
  EXPECT_THAT(sparse({0, 2}, {2, 0}, {1, 1}), HasSubstr("column 0 after 2"));
  EXPECT_THAT(sparse({0, 2}, {1, 1}, {1, 1}), HasSubstr("column 1 after 1"));
  EXPECT_THAT(sparse({0, 1}, {3}, {1}), HasSubstr("below 3"));
  EXPECT_THAT(sparse({0, 1}, {-1}, {1}), HasSubstr("column -1"));
  EXPECT_THAT(sparse({0}, {}, {}), HasSubstr("an offset per sample"));
  EXPECT_THAT(sparse({0, 5}, {0}, {1}), HasSubstr("an offset per sample"));
}

}  // namespace
}  // namespace clade
