#include <clade/text.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "classify/class_scores.h"
#include "classify/predict.h"
#include "classify/trained_models.h"
#include "model/array_file.h"
#include "model/model_file.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using testing::Parameters;
using testing::trained;

Predictions ranked(const ModelBody& model, const Dataset& data, int threads = 2) {
  Context ctx({.threads = threads});
  return predict(model, data, {.is_ranked = true}, ctx);
}

void expect_same(const Predictions& a, const Predictions& b) {
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.scores, b.scores);
}

ModelBody through_file(const ModelBody& model) {
  const TemporaryFolder folder;
  write_model(model, folder.file("m.clade"), false);
  return read_model_body(folder.file("m.clade"));
}

const std::vector<testing::Method> kJointMethods = {
    {"hierarchical-svm", {}},
    {"hierarchical-svm", {{"attributes", "path-normalised"}, {"loss", "tree-normalised"}, {"bias", "1"}}},
    {"hierarchical-svm", {{"kernel", "rbf"}}},
    {"hierarchical-svm", {{"kernel", "polynomial"}, {"scale", "none"}}},
    {"flat-svm", {{"scale", "standard"}, {"weights", "double"}}},
    {"hierarchical-perceptron", {}},
    {"hierarchical-perceptron", {{"variant", "online"}, {"bias", "0.5"}}},
    {"hierarchical-perceptron", {{"variant", "averaged"}, {"kernel", "rbf"}}},
    {"flat-perceptron", {{"variant", "minover"}}},
    {"flat-perceptron", {{"variant", "minover"}, {"kernel", "polynomial"}}},
};

TEST(JointModel, AFileHoldsAllOfIt) {
  int k = 0;
  for (const auto& [name, parameters] : kJointMethods) {
    ++k;
    const bool is_dense = parameters.contains("scale") && parameters.at("scale") == "standard";
    const Dataset data = random_dataset({.samples = 40,
                                         .features = 6,
                                         .nodes = 8,
                                         .several_labels = k % 2 == 0,
                                         .sparse = !is_dense,
                                         .density = 0.9,
                                         .seed = static_cast<std::uint64_t>(k)});
    const ModelBody model = trained(data, name, parameters);
    EXPECT_EQ(model.kind, ModelKind::kClasses);
    const ModelBody again = through_file(model);
    expect_same(ranked(model, data), ranked(again, data));
    EXPECT_EQ(model.threshold, again.threshold);
    EXPECT_EQ(model.threshold.empty(), k % 2 == 1) << name;
    EXPECT_EQ(model.state.has_value(), again.state.has_value());
    // One thread or two, all classes, each once, best first.
    const Predictions all = ranked(model, data, 1);
    expect_same(all, ranked(trained(data, name, parameters, 1), data));
    for (Index s = 0; s < data.samples(); ++s) {
      EXPECT_EQ(all.labels_of(s).size(), data.taxonomy().leaves().size());
      EXPECT_TRUE(std::ranges::is_sorted(all.scores_of(s), std::greater()));
    }
  }
}

// Samples by their own rules: the threshold, the best, the k best.
TEST(JointModel, LabelsFollowTheRule) {
  const Dataset data = random_dataset({.samples = 60, .features = 8, .nodes = 9, .several_labels = true, .density = 1});
  const ModelBody model = trained(data, "hierarchical-svm");
  Context ctx({.threads = 2});
  const Predictions all = ranked(model, data);
  const Predictions sets = predict(model, data, {.label_set = LabelSet::kThreshold}, ctx);
  const Predictions automatic = predict(model, data, {}, ctx);
  const Predictions first = predict(model, data, {.label_set = LabelSet::kTop1}, ctx);
  const Predictions three = predict(model, data, {.top_k = 3}, ctx);
  expect_same(sets, automatic);
  Index several = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto above = std::ranges::count_if(all.scores_of(s), [](double score) { return score > 0; });
    EXPECT_EQ(std::ssize(sets.labels_of(s)), std::max<Index>(1, above));
    EXPECT_EQ(first.labels_of(s).size(), 1U);
    EXPECT_EQ(three.labels_of(s).size(), 3U);
    for (std::size_t k = 0; k < sets.labels_of(s).size(); ++k) EXPECT_EQ(sets.labels_of(s)[k], all.labels_of(s)[k]);
    several += sets.labels_of(s).size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 0);
  const ModelBody single = trained(random_dataset({.samples = 30, .nodes = 7, .density = 1}), "hierarchical-svm");
  EXPECT_THROW(predict(single, data, {.label_set = LabelSet::kThreshold}, ctx), Error);
}

// The same stream in two parts, through files, and in one.
TEST(JointModel, AStreamInTwoPartsGivesTheSameModel) {
  const std::vector<testing::Method> methods = {
      {"hierarchical-perceptron", {{"variant", "online"}, {"epochs", "1"}, {"scale", "unit"}}},
      {"hierarchical-perceptron", {{"variant", "averaged"}, {"epochs", "1"}, {"scale", "none"}, {"bias", "1"}}},
      {"flat-perceptron", {{"variant", "averaged"}, {"epochs", "1"}, {"scale", "unit"}}},
      {"hieron", {{"variant", "online"}, {"epochs", "1"}, {"scale", "none"}}},
      {"hieron", {{"variant", "averaged"}, {"epochs", "1"}, {"scale", "unit"}, {"flat", "true"}}}};
  for (const auto& [name, parameters] : methods) {
    for (const bool sparse : {false, true}) {
      const Dataset data = random_dataset(
          {.samples = 200, .features = 30, .nodes = 9, .sparse = sparse, .density = 0.3, .seed = sparse ? 3U : 4U});
      const ModelBody whole = trained(data, name, parameters);
      for (const Index cut : {1, 77, 199}) {
        std::vector<Index> first(static_cast<std::size_t>(cut));
        std::iota(first.begin(), first.end(), Index{0});
        std::vector<Index> second(static_cast<std::size_t>(data.samples() - cut));
        std::iota(second.begin(), second.end(), cut);
        const ModelBody begun = through_file(trained(data.subset(first), name, parameters));
        Context ctx({.threads = 2});
        const ModelBody done = continue_training(begun, data.subset(second), {}, ctx);
        EXPECT_EQ(done.samples, whole.samples);
        EXPECT_EQ(done.state->steps, whole.state->steps);
        const auto weights = [](const LinearOutputs& linear) {
          return std::vector<double>(std::get<1>(linear.weights).begin(), std::get<1>(linear.weights).end());
        };
        EXPECT_EQ(weights(done.state->weights), weights(whole.state->weights)) << name << " " << cut;
        expect_same(ranked(done, data), ranked(whole, data));
      }
    }
  }
}

// A feature whose weights come to 0 again and that the second part does not have: the average still knows it.
TEST(JointModel, WeightsThatCancelCountInTheAverage) {
  const std::vector<std::pair<FeatureIndex, const char*>> stream = {{0, "b"}, {0, "a"}, {1, "b"}, {2, "a"}};
  Dataset::Parts parts;
  parts.taxonomy = flat_taxonomy(std::vector<std::string>{"a", "b"});
  SparseMatrix<double> matrix{4, 3, Buffer<Index>(5), Buffer<FeatureIndex>(4), Buffer<double>(4)};
  matrix.offsets[0] = 0;
  for (Index s = 0; s < 4; ++s) {
    const auto& [feature, label] = stream[static_cast<std::size_t>(s)];
    matrix.indices[s] = feature;
    matrix.values[s] = 1;
    matrix.offsets[s + 1] = s + 1;
    parts.labels.nodes.push_back(*parts.taxonomy->find(label));
    parts.labels.offsets.push_back(s + 1);
  }
  parts.features = std::move(matrix);
  const Dataset data(std::move(parts));
  const Parameters once{{"epochs", "1"}};
  Context ctx({.threads = 1});
  const ModelBody begun = through_file(trained(data.subset({0, 1}), "flat-perceptron", once));
  EXPECT_TRUE(begun.state->weights.features.empty());
  ASSERT_EQ(begun.state->lagged.features.size(), 1U);
  expect_same(ranked(continue_training(begun, data.subset({2, 3}), {}, ctx), data),
              ranked(trained(data, "flat-perceptron", once), data));
}

// A file with any byte changed, sealed again: refused, or a model that can be used.
TEST(JointModel, ChangedFilesAreRefusedOrUsable) {
  const Dataset data = random_dataset({.samples = 12, .features = 4, .nodes = 6, .several_labels = true, .density = 1});
  RandomStream random(3, {kTestStream, 11});
  int refused = 0;
  int used = 0;
  for (const auto& [name, parameters] : kJointMethods) {
    StringSink sink;
    write_model(trained(data, name, parameters), sink);
    for (int k = 0; k < 400; ++k) {
      std::string bytes = sink.text();
      for (int changes = 0; changes <= k % 3; ++changes) {
        bytes[static_cast<std::size_t>(random.below(std::ssize(bytes)))] = static_cast<char>(random.below(256));
      }
      seal_array_file(bytes);
      try {
        const ModelBody model = parse_model(Input::from_bytes("changed", bytes));
        ranked(model, data);
        Context ctx({.threads = 1});
        if (model.state) continue_training(model, data, {}, ctx);
        ++used;
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), Error::Kind::kInternal) << name << ": " << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(used, 100);
}

TEST(JointModel, OnlySomeModelsGoOn) {
  const Dataset data = random_dataset({.samples = 40, .nodes = 8, .density = 1});
  Context ctx({.threads = 1});
  const std::vector<testing::Method> methods = {{"top-down-svm", {}},
                                                {"hierarchical-svm", {}},
                                                {"flat-perceptron", {{"variant", "minover"}}},
                                                {"flat-perceptron", {{"kernel", "rbf"}}},
                                                {"flat-perceptron", {{"classes", "seen"}}}};
  for (const auto& [name, parameters] : methods) {
    EXPECT_THROW(continue_training(trained(data, name, parameters), data, {}, ctx), Error) << name;
  }
}

Dataset with_matrix(const Dataset& data, DenseMatrix<double> matrix) {
  Dataset::Parts parts;
  parts.features = std::move(matrix);
  parts.taxonomy = data.taxonomy();
  for (Index s = 0; s < data.samples(); ++s) {
    parts.labels.nodes.insert(parts.labels.nodes.end(), data.labels(s).begin(), data.labels(s).end());
    parts.labels.offsets.push_back(std::ssize(parts.labels.nodes));
  }
  return Dataset(std::move(parts));
}

// Inner products given as a kernel: the same problem in its other form.
TEST(JointModel, AKernelOfInnerProductsIsLinear) {
  for (const char* name : {"hierarchical-svm", "flat-svm"}) {
    const Dataset data = random_dataset({.samples = 50, .features = 6, .nodes = 9, .density = 1, .seed = 12});
    DenseMatrix<double> gram{50, 50, Buffer<double>(2500)};
    for (Index i = 0; i < 50; ++i) {
      for (Index j = 0; j < 50; ++j) {
        double product = 0;
        const auto a = values_of(data, i);
        const auto b = values_of(data, j);
        for (const auto& [f, v] : a) product += v * b.at(f);
        gram.values[i * 50 + j] = product;
      }
    }
    const Dataset kernel = with_matrix(data, std::move(gram));
    const Parameters exact{{"tolerance", "1e-6"}, {"scale", "none"}};
    Parameters dual = exact;
    dual["kernel"] = "precomputed";
    const Predictions a = ranked(trained(data, name, exact), data);
    const Predictions b = ranked(trained(kernel, name, dual), kernel);
    for (Index s = 0; s < data.samples(); ++s) {
      for (std::size_t k = 0; k < a.scores_of(s).size(); ++k) {
        EXPECT_NEAR(a.scores_of(s)[k], b.scores_of(s)[k], 1e-4) << name;
      }
    }
  }
}

}  // namespace
}  // namespace clade
