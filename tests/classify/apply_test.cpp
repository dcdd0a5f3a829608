#include "classify/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "classify/predict.h"
#include "classify/trained_models.h"

namespace clade {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::trained;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "";
}

const RandomDataOptions kNamed{.samples = 40, .features = 5, .nodes = 8, .names = true, .density = 0.8};

// The columns of random data in another order, under other names, or fewer of them: to[k] is the column of `data` that
// becomes column k, -1 one that is new.
Dataset rearranged(const std::vector<int>& columns, const std::vector<std::string>& names, bool is_sparse = false) {
  const Dataset data = random_dataset(kNamed);
  Dataset::Parts parts = random_parts(kNamed);
  const Index width = std::ssize(columns);
  DenseMatrix<double> matrix{data.samples(), width, Buffer<double>(data.samples() * width)};
  for (Index s = 0; s < data.samples(); ++s) {
    std::map<FeatureIndex, double> values = values_of(data, s);
    for (Index k = 0; k < width; ++k) {
      const int from = columns[static_cast<std::size_t>(k)];
      matrix.values[s * width + k] = from < 0 ? 1000 : values[from];
    }
  }
  if (is_sparse) {
    SparseMatrix<double> sparse{data.samples(), width, Buffer<Index>(data.samples() + 1),
                                Buffer<FeatureIndex>(data.samples() * width), Buffer<double>(data.samples() * width)};
    for (Index e = 0; e < data.samples() * width; ++e) {
      sparse.indices[e] = static_cast<FeatureIndex>(e % width);
      sparse.values[e] = matrix.values[e];
    }
    for (Index s = 0; s <= data.samples(); ++s) sparse.offsets[s] = s * width;
    parts.features = std::move(sparse);
  } else {
    parts.features = std::move(matrix);
  }
  parts.feature_names = names;
  return Dataset(std::move(parts));
}

std::string name(int feature) {
  return "feature " + std::to_string(feature);
}

TEST(ModelFeatures, SameFeaturesAreTaken) {
  Context ctx({.threads = 1});
  const Dataset data = random_dataset(kNamed);
  const ModelBody model = trained(data, "top-down-svm");
  EXPECT_FALSE(difference(with_model_features(data, model, false, ctx), data));
  EXPECT_FALSE(difference(with_model_features(data, model, true, ctx), data));
}

TEST(ModelFeatures, AreFoundByNameAndMissingOnesAreNamed) {
  Context ctx({.threads = 1});
  const ModelBody model = trained(random_dataset(kNamed), "top-down-svm");
  const Dataset data = random_dataset(kNamed);
  const Dataset swapped = rearranged({0, 2, 1, 3, 4}, {name(0), name(2), name(1), name(3), name(4)});
  EXPECT_FALSE(difference(with_model_features(swapped, model, false, ctx), data));
  const Dataset more = rearranged({0, 1, 2, 3, 4, -1}, {name(0), name(1), name(2), name(3), name(4), "x"});
  EXPECT_FALSE(difference(with_model_features(more, model, false, ctx), data));
  const std::string fewer =
      refusal([&] { with_model_features(rearranged({0, 1, 2}, {name(0), name(1), name(2)}), model, false, ctx); });
  EXPECT_THAT(fewer, HasSubstr("the data lack 2 of the model's 5 features: feature 3, feature 4"));
  EXPECT_THAT(fewer, HasSubstr("`align-features`"));
}

TEST(ModelFeatures, WithoutNamesTheirNumberCounts) {
  Context ctx({.threads = 1});
  const ModelBody model = trained(random_dataset(kNamed), "top-down-svm");
  EXPECT_EQ(with_model_features(rearranged({4, 3, 2, 1, 0}, {}), model, false, ctx).features(), 5);
  const std::string more =
      refusal([&] { with_model_features(rearranged({0, 1, 2, 3, 4, -1}, {}), model, false, ctx); });
  EXPECT_THAT(more, HasSubstr("the data have 6 features and the model 5"));
  EXPECT_THAT(refusal([&] { with_model_features(rearranged({0, 1}, {}), model, false, ctx); }),
              HasSubstr("2 features"));
  // Of sparse data the last columns may be empty.
  EXPECT_EQ(with_model_features(rearranged({0, 1}, {}, true), model, false, ctx).features(), 2);
  EXPECT_THAT(refusal([&] { with_model_features(rearranged({0, 1, 2, 3, 4, -1}, {}, true), model, false, ctx); }),
              HasSubstr("6 features"));
}

TEST(ModelFeatures, AlignmentIsReorderingByHand) {
  const Dataset data = random_dataset(kNamed);
  Context ctx({.threads = 2});
  for (const char* method : {"top-down-svm", "top-down-logistic", "path-svm"}) {
    const ModelBody model = trained(data, method);
    for (const bool is_sparse : {false, true}) {
      const Dataset other =
          rearranged({3, -1, 0, 4, 2, 1}, {name(3), "new", name(0), name(4), name(2), name(1)}, is_sparse);
      const Predictions found = predict(model, with_model_features(other, model, true, ctx), {}, ctx);
      const Predictions expected = predict(model, data, {}, ctx);
      EXPECT_EQ(found.labels, expected.labels) << method;
      EXPECT_EQ(found.scores, expected.scores) << method;
    }
    // A feature that the data lack is 0.
    const Dataset without = rearranged({1, 0, 4}, {name(1), name(0), name(4)});
    Dataset::Parts parts = random_parts(kNamed);
    auto& values = std::get<DenseMatrix<double>>(parts.features).values;
    for (Index s = 0; s < data.samples(); ++s) {
      values[s * 5 + 2] = 0;
      values[s * 5 + 3] = 0;
    }
    EXPECT_EQ(predict(model, with_model_features(without, model, true, ctx), {}, ctx).scores,
              predict(model, Dataset(std::move(parts)), {}, ctx).scores);
  }
}

TEST(ModelFeatures, AlignmentKeepsLabelsAndNames) {
  Context ctx({.threads = 1});
  const ModelBody model = trained(random_dataset(kNamed), "top-down-svm");
  const Dataset other = rearranged({4, 3, 2, 1, 0}, {name(4), name(3), name(2), name(1), name(0)});
  EXPECT_FALSE(difference(with_model_features(other, model, true, ctx), random_dataset(kNamed)));
}

TEST(ModelFeatures, AlignmentNeedsNamesThatTellFeaturesApart) {
  Context ctx({.threads = 1});
  const ModelBody model = trained(random_dataset(kNamed), "top-down-svm");
  EXPECT_THAT(refusal([&] { with_model_features(rearranged({0, 1}, {}), model, true, ctx); }),
              HasSubstr("needs names"));
  EXPECT_THAT(refusal([&] { with_model_features(rearranged({0, 1}, {"x", "y"}), model, true, ctx); }),
              HasSubstr("expected these names instead of x, y"));
  EXPECT_THAT(refusal([&] { with_model_features(rearranged({0, 1, 2}, {name(0), "x", name(0)}), model, true, ctx); }),
              HasSubstr("two features 'feature 0'"));
}

// New sequences may be longer than those of training; and they are not mixed up with vectors.
TEST(ModelFeatures, SequencesAreAsLongAsTheyAre) {
  Context ctx({.threads = 1});
  const auto sequences = [](Index longest) {
    Dataset::Parts parts = random_parts({.samples = 6, .features = longest, .sparse = true});
    auto vectorizer = std::make_shared<TextVectorizer>();
    vectorizer->options.sequences = true;
    parts.vectorizer = vectorizer;
    return Dataset(std::move(parts));
  };
  ModelBody model = trained(random_dataset({.samples = 6, .features = 9, .sparse = true}), "top-down-svm");
  EXPECT_THAT(refusal([&] { with_model_features(sequences(9), model, false, ctx); }), HasSubstr("not of sequences"));
  model.vectorizer = sequences(9).vectorizer();
  EXPECT_EQ(with_model_features(sequences(30), model, false, ctx).features(), 30);
  EXPECT_EQ(with_model_features(sequences(3), model, false, ctx).features(), 3);
  const Dataset vectors = random_dataset({.samples = 6, .features = 9, .sparse = true});
  EXPECT_THAT(refusal([&] { with_model_features(vectors, model, false, ctx); }), HasSubstr("the data are none"));
}

TEST(ModelLabels, AreFoundByName) {
  const Dataset data = random_dataset({.samples = 40, .nodes = 8, .inner_labels = true});
  const ModelBody model = trained(data, "top-down-svm");
  Context ctx({.threads = 1});
  std::vector<std::string> names;
  for (NodeId node = 7; node > 0; --node) names.push_back("n" + std::to_string(node));
  const Taxonomy flat = flat_taxonomy(names);
  LabelSets labels;
  for (Index s = 0; s < data.samples(); ++s) {
    const std::string& of = data.taxonomy().name(data.labels(s)[0]);
    labels.nodes.push_back(of == "n0" ? *flat.find("n1") : *flat.find(of));
    labels.offsets.push_back(s + 1);
  }
  const Dataset other = data.relabelled(flat, std::move(labels));
  const Dataset found = with_model_labels(other, model, ctx).data;
  EXPECT_GT(model.taxonomy->size(), data.taxonomy().size());
  EXPECT_TRUE(found.taxonomy() == data.taxonomy());
  for (Index s = 0; s < data.samples(); ++s) {
    ASSERT_EQ(found.labels(s).size(), 1U);
    EXPECT_EQ(model.taxonomy->name(found.labels(s)[0]), flat.name(other.labels(s)[0]));
  }
}

TEST(ModelLabels, UnknownOnesBecomeLeaves) {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("r", "b");
  builder.edge("a", "a1");
  builder.edge("a", "a2");
  const Taxonomy known = builder.build();
  for (const char* child : {"a3", "a1x"}) builder.edge(child[2] == 'x' ? "a1" : "a", child);
  builder.edge("r", "c");
  builder.edge("c", "c1");
  const Taxonomy wider = builder.build();
  const auto labelled = [](const Taxonomy& taxonomy, const std::vector<std::string>& names) {
    Dataset::Parts parts = random_parts({.samples = 12, .density = 1});
    parts.taxonomy = taxonomy;
    parts.labels = {};
    for (std::size_t s = 0; s < 12; ++s) {
      parts.labels.nodes.push_back(*taxonomy.find(names[s % names.size()]));
      parts.labels.offsets.push_back(static_cast<Index>(s) + 1);
    }
    return Dataset(std::move(parts));
  };
  const ModelBody model = trained(labelled(known, {"b", "a1", "a2"}), "top-down-svm");
  Context ctx({.threads = 1});
  const ModelLabels found = with_model_labels(labelled(wider, {"b", "a3", "c1", "a1x"}), model, ctx);
  const Taxonomy& taxonomy = found.data.taxonomy();
  EXPECT_EQ(found.unknown.size(), 3U);
  EXPECT_EQ(found.samples_with_unknown, 9);
  const auto parent = [&](const char* name) { return taxonomy.name(taxonomy.parents(*taxonomy.find(name))[0]); };
  EXPECT_EQ(parent("a3"), "a");
  EXPECT_EQ(parent("a1x"), "a1");
  EXPECT_EQ(parent("c1"), "r");  // c is unknown, too
  for (NodeId node = 0; node < known.size(); ++node) EXPECT_EQ(taxonomy.name(node), known.name(node));
}

// Labels side by side in the data may be one above the other in the model.
TEST(ModelLabels, ImpliedOnesAreDroppedAndNoted) {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("r", "b");
  builder.edge("a", "a1");
  builder.edge("a", "a2");
  Dataset::Parts parts = random_parts({.samples = 12, .density = 1});
  parts.taxonomy = builder.build();
  parts.labels = {};
  const std::vector<std::string> leaves{"b", "a1", "a2"};
  for (Index s = 0; s < 12; ++s) {
    parts.labels.nodes.push_back(*parts.taxonomy->find(leaves[static_cast<std::size_t>(s % 3)]));
    parts.labels.offsets.push_back(s + 1);
  }
  const Dataset data(std::move(parts));
  const ModelBody model = trained(data, "top-down-svm");
  const std::vector<std::string> names{"b", "a1", "a"};
  LabelSets labels;
  for (Index s = 0; s < 12; ++s) {
    labels.nodes.insert(labels.nodes.end(), {2, 3});
    labels.offsets.push_back(2 * (s + 1));
  }
  std::string notes;
  Context ctx({.threads = 1, .log = [&](LogLevel, std::string_view text) { notes += text; }});
  const Dataset found = with_model_labels(data.relabelled(flat_taxonomy(names), std::move(labels)), model, ctx).data;
  for (Index s = 0; s < 12; ++s) {
    ASSERT_EQ(found.labels(s).size(), 1U);
    EXPECT_EQ(found.taxonomy().name(found.labels(s)[0]), "a1");
  }
  EXPECT_THAT(notes, HasSubstr("12 labels"));
}

}  // namespace
}  // namespace clade
