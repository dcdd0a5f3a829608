#include <clade/evaluate.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "classify/joint/joint_reference.h"
#include "classify/local/top_down.h"
#include "classify/predict.h"
#include "classify/trained_models.h"

namespace clade {
namespace {

using testing::full_weights;
using testing::FullProblem;
using testing::Parameters;
using testing::random_training_options;
using testing::Reference;
using testing::slow_outputs;
using testing::trained;
using testing::Vector;

const Parameters exact_solution{{"weights", "double"}, {"prune", "0"}, {"tolerance", "1e-7"}, {"iterations", "100000"}};

// The problem of one node written out: its children as classes, all loss 1, every child an attribute of its own.
FullProblem node_problem(const Dataset& data, const NodeTable& table) {
  FullProblem full;
  full.classes = table.children;
  const std::size_t q = table.children.size();
  for (std::size_t y = 0; y < q; ++y) {
    full.attributes.emplace_back(q, 0.0)[y] = 1;
    full.loss.emplace_back(q, 1.0)[y] = 0;
  }
  for (Index r = 0; r < table.samples(); ++r) {
    Vector x(static_cast<std::size_t>(data.features()), 0);
    double square = 0;
    for (const auto& [f, v] : values_of(data, table.rows[static_cast<std::size_t>(r)])) {
      x[static_cast<std::size_t>(f)] = v;
      square += v * v;
    }
    for (double& v : x) v = square > 0 ? v / std::sqrt(square) : 0;
    full.x.push_back(x);
    const auto own = table.labels(r);
    full.own.emplace_back(own.begin(), own.end());
  }
  return full;
}

TEST(DncSvm, EveryNodeIsAFlatSvm) {
  int nodes = 0;
  for (int k = 0; k < 16; ++k) {
    RandomDataOptions options = random_training_options(k);
    options.samples = 14;
    options.features = 4;
    options.inner_labels = false;
    const Dataset data = random_dataset(options);
    const ModelBody model = trained(data, "dnc-svm", exact_solution);
    for (const NodeTable& table : node_tables(data)) {
      if (table.classes() < 2) continue;
      const NodeClassifier* const node = model.at(table.node);
      ASSERT_NE(node, nullptr);
      ASSERT_EQ(node->children, table.children);
      const FullProblem full = node_problem(data, table);
      const Reference reference(full, 1);
      if (reference.pairs.empty()) continue;  // all samples are below all children
      ++nodes;
      // The threshold is the same for all children: with their mean taken off, the weights are those of the ranking.
      const auto weights = full_weights(node->linear, data.features());
      const std::size_t q = table.children.size();
      Vector w(q * weights.size());
      for (std::size_t f = 0; f < weights.size(); ++f) {
        const double mean = std::accumulate(weights[f].begin(), weights[f].end(), 0.0) / static_cast<double>(q);
        for (std::size_t y = 0; y < q; ++y) w[y * weights.size() + f] = weights[f][y] - mean;
      }
      const double best = reference.solve(1e-8);
      EXPECT_NEAR(reference.primal(w), best, 1e-5 * std::max(1.0, best)) << "case " << k << ", node " << table.node;
    }
  }
  EXPECT_GT(nodes, 30);
}

// Without inner nodes there is one node, and it is flat-svm.
TEST(DncSvm, OfOneLevelIsFlatSvm) {
  for (int k = 0; k < 4; ++k) {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    Dataset::Parts parts =
        random_parts({.samples = 60, .features = 5, .density = 0.9, .seed = static_cast<std::uint64_t>(k)});
    parts.taxonomy = flat_taxonomy(names);
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 71});
    parts.labels = {};
    for (Index s = 0; s < 60; ++s) {
      parts.labels.nodes.push_back(static_cast<NodeId>(1 + random.below(4)));
      parts.labels.offsets.push_back(s + 1);
    }
    const Dataset data(std::move(parts));
    const Parameters parameters{{"c", "2"},
                                {"bias", k % 2 == 0 ? "0" : "1"},
                                {"tolerance", "1e-8"},
                                {"iterations", "100000"},
                                {"weights", "double"}};
    const ModelBody dnc = trained(data, "dnc-svm", parameters);
    const ModelBody flat = trained(data, "flat-svm", parameters);
    for (Index s = 0; s < data.samples(); ++s) {
      const Vector a = slow_outputs(dnc, dnc.nodes[0].linear, data, s);
      const Vector b = slow_outputs(flat, flat.nodes[0].linear, data, s);
      for (std::size_t y = 0; y < a.size(); ++y) EXPECT_NEAR(a[y], b[y], 1e-5);
    }
  }
}

// A child is taken where its score is positive, and thresholds are learnt so that these are the labels.
TEST(DncSvm, LabelSetsAreThoseOfLearntThresholds) {
  // Groups of features that say which leaves a sample belongs to, one or two of them.
  TaxonomyBuilder builder;
  for (const char* const path : {"a/1", "a/2", "a/3", "b/1", "b/2", "c"}) builder.path(path, "/");
  builder.imply_root();
  const Taxonomy taxonomy = builder.build();
  const std::vector<NodeId> leaves(taxonomy.leaves().begin(), taxonomy.leaves().end());
  RandomStream random(2, {kTestStream, 72});
  constexpr Index kSamples = 300;
  const Index features = 2 * std::ssize(leaves);
  DenseMatrix<double> matrix{kSamples, features, Buffer<double>(kSamples * features)};
  LabelSets labels;
  for (Index s = 0; s < kSamples; ++s) {
    for (Index f = 0; f < features; ++f) matrix.values[s * features + f] = 0.1 * random.normal();
    std::vector<Index> own{random.below(std::ssize(leaves))};
    const Index second = random.below(std::ssize(leaves));
    if (s % 2 == 0 && second != own[0]) own.push_back(second);
    std::ranges::sort(own);
    for (const Index y : own) {
      matrix.values[s * features + 2 * y] += 1;
      matrix.values[s * features + 2 * y + 1] += 1;
      labels.nodes.push_back(leaves[static_cast<std::size_t>(y)]);
    }
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  Dataset::Parts parts;
  parts.features = std::move(matrix);
  parts.labels = std::move(labels);
  parts.taxonomy = taxonomy;
  const Dataset data(std::move(parts));
  Context ctx({.threads = 2});
  const auto f1 = [&](const Parameters& parameters) {
    const ModelBody model = trained(data, "dnc-svm", parameters);
    const Predictions predictions = predict(model, data, {}, ctx);
    return *evaluate(data, predictions, {}, {}, ctx).value("hierarchical_f1");
  };
  EXPECT_GT(f1({{"c", "10"}}), 0.9);
  EXPECT_GT(f1({{"c", "10"}, {"calibrate", "sigmoid"}}), 0.9);
}

TEST(DncSvm, PoliciesAndCalibrationsWork) {
  for (int k = 0; k < 16; ++k) {
    const Dataset data = random_dataset(random_training_options(k));
    for (const char* const calibrate : {"none", "sigmoid", "isotonic", "temperature"}) {
      const ModelBody model = trained(data, "dnc-svm", {{"calibrate", calibrate}, {"class-weight", "balanced"}}, 1);
      EXPECT_EQ(model.has_probabilities, calibrate != std::string("none"));
      EXPECT_EQ(trained(data, "dnc-svm", {{"calibrate", calibrate}, {"class-weight", "balanced"}}, 3).summary,
                model.summary);
      Context ctx({.threads = 2});
      for (const Policy policy : {Policy::kGreedy, Policy::kBest}) {
        const Predictions predictions = predict(model, data, {.policy = policy}, ctx);
        ASSERT_EQ(predictions.samples(), data.samples());
        for (const double score : predictions.scores) {
          EXPECT_GE(score, 0);
          EXPECT_LE(score, 1 + 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace clade
