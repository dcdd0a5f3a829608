#include <gtest/gtest.h>

#include <numeric>

#include "classify/classifier.h"
#include "classify/node_scores.h"
#include "classify/nodes/kernel_arrays.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "classify/train.h"
#include "data/kernel/ridge_solver.h"
#include "data/random_data.h"
#include "plain_inverse.h"

namespace clade {
namespace {

using testing::plain_inverse;

// A tree of three levels; samples have one to three labels, inner nodes among them, and features that tell a little.
Dataset some_data(Index samples, Index most_labels, std::uint64_t seed) {
  TaxonomyBuilder builder;
  for (const char* edge : {"ra", "rb", "rc", "ad", "ae", "bf", "bg", "fh", "fi"}) {
    builder.edge(std::string_view(edge, 1), std::string_view(edge + 1, 1));
  }
  const Taxonomy taxonomy = builder.build();
  RandomStream random(seed, {kTestStream, 73});
  std::vector<double> values;
  std::vector<std::vector<std::string>> labels;
  const std::vector<std::string> names{"c", "d", "e", "g", "h", "i", "f"};
  for (Index s = 0; s < samples; ++s) {
    std::vector<std::string> own;
    const Index count = 1 + random.below(most_labels);
    for (Index k = 0; k < count; ++k) own.push_back(names[static_cast<std::size_t>(random.below(std::ssize(names)))]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (Index f = 0; f < 5; ++f) {
      values.push_back(static_cast<double>(own[0][0] - 'a') * (f % 2 == 0 ? 1.0 : 0.3) + 2 * random.normal());
    }
    labels.push_back(own);
  }
  return with_leaf_labels(dense_dataset(values, 5, labels, taxonomy));
}

RidgeProblem problem_of(const Dataset& data, std::vector<double> weight, Context& ctx) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  const KernelSamples samples(kernel_arrays(data, all, {}, {}, false, ctx), {.kind = KernelKind::kLinear, .gamma = 1},
                              ctx);
  RidgeProblem problem{squared_distances(samples, ctx), 1, data, closed_labels(data, weight), weight};
  problem.median = median_square(problem.squares);
  return problem;
}

Matrix closed_matrix(const ClosedLabels& labels, Index samples) {
  Matrix y = Matrix::Zero(samples, labels.columns());
  for (Index s = 0; s < samples; ++s) {
    for (const std::int32_t c : labels.members.of(s)) y(s, c) = 1;
  }
  return y;
}

TEST(ClosedLabels, AreLabelsWithTheirAncestors) {
  const Dataset data = some_data(60, 3, 1);
  const ClosedLabels labels = closed_labels(data, {});
  const Taxonomy& taxonomy = data.taxonomy();
  for (Index s = 0; s < data.samples(); ++s) {
    std::vector<NodeId> found;
    for (const std::int32_t c : labels.members.of(s)) found.push_back(labels.nodes[static_cast<std::size_t>(c)]);
    std::vector<NodeId> expected;
    for (NodeId node = 1; node < taxonomy.size(); ++node) {
      bool is_member = false;
      for (const NodeId label : data.labels(s))
        is_member = is_member || label == node || taxonomy.is_ancestor(node, label);
      if (is_member && !taxonomy.is_miscellaneous(node)) expected.push_back(node);
    }
    EXPECT_EQ(found, expected);
  }
}

// Every sample is left out and the rest solved anew; the means stay those of all samples.
TEST(KernelRidge, LeaveOneOutIsThatOfSolvingWithoutTheSample) {
  Context ctx({.threads = 2});
  const Dataset data = some_data(40, 3, 2);
  for (const bool has_weights : {false, true}) {
    std::vector<double> weight;
    if (has_weights) {
      for (Index s = 0; s < data.samples(); ++s) weight.push_back(0.5 + static_cast<double>(s % 4));
    }
    for (const RidgeKernel kernel : {RidgeKernel::kExponential, RidgeKernel::kRbf}) {
      RidgeProblem problem = problem_of(data, weight, ctx);
      const Index n = data.samples();
      const double width = 0.7;
      const double penalty = 0.3;
      const RidgeFit fit = solve_ridge(problem, kernel, width, penalty, true, ctx);
      Matrix k(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          const double square = problem.squares(std::max(i, j), std::min(i, j)) / problem.median;
          k(i, j) = std::exp(-width * (kernel == RidgeKernel::kExponential ? std::sqrt(square) : square));
        }
      }
      Matrix y = closed_matrix(problem.labels, n);
      for (Index c = 0; c < y.cols(); ++c) y.col(c).array() -= problem.labels.frequency[static_cast<std::size_t>(c)];
      for (Index left_out = 0; left_out < n; ++left_out) {
        std::vector<Index> rest;
        for (Index s = 0; s < n; ++s) {
          if (s != left_out) rest.push_back(s);
        }
        Matrix inner(n - 1, n - 1);
        Matrix targets(n - 1, y.cols());
        Eigen::RowVectorXd similarity(n - 1);
        for (Index i = 0; i < n - 1; ++i) {
          for (Index j = 0; j < n - 1; ++j)
            inner(i, j) = k(rest[static_cast<std::size_t>(i)], rest[static_cast<std::size_t>(j)]);
          const auto own = static_cast<std::size_t>(rest[static_cast<std::size_t>(i)]);
          inner(i, i) += penalty / (has_weights ? weight[own] : 1);
          targets.row(i) = y.row(rest[static_cast<std::size_t>(i)]);
          similarity(i) = k(left_out, rest[static_cast<std::size_t>(i)]);
        }
        Eigen::RowVectorXd expected = similarity * plain_inverse(inner) * targets;
        for (Index c = 0; c < y.cols(); ++c) expected(c) += problem.labels.frequency[static_cast<std::size_t>(c)];
        EXPECT_LE((fit.held_out.row(left_out) - expected).cwiseAbs().maxCoeff(), 1e-10);
      }
    }
  }
}

ModelBody trained(const Dataset& data, Parameters parameters, int threads) {
  Context ctx({.threads = threads});
  return train_model(data, {.classifier = "kernel-ridge", .parameters = std::move(parameters)}, ctx);
}

TEST(KernelRidge, DoesNotDependOnThreads) {
  const Dataset data = some_data(150, 3, 3);
  const Dataset other = some_data(50, 3, 4);
  const ModelBody one = trained(data, {}, 1);
  const ModelBody four = trained(data, {}, 4);
  Context single({.threads = 1});
  Context several({.threads = 4});
  EXPECT_EQ(node_scores(one, other, Consistency::kDescendants, single).values,
            node_scores(four, other, Consistency::kDescendants, several).values);
  EXPECT_EQ(one.node_threshold, four.node_threshold);
}

TEST(KernelRidge, LearnsWhatThereIs) {
  for (const Index most_labels : {1, 3}) {
    Context ctx;
    const Dataset data = some_data(300, most_labels, 5);
    const Dataset other = some_data(300, most_labels, 6);
    const ClosedLabels labels = closed_labels(other, {});
    const auto f1_of = [&](const ModelBody& model) {
      const Predictions found = predict_by_nodes(model, other, {}, ctx);
      double both = 0;
      double all = 0;
      for (Index s = 0; s < other.samples(); ++s) {
        std::vector<char> is_found(static_cast<std::size_t>(other.taxonomy().size()), 0);
        for (const NodeId label : found.labels_of(s)) {
          is_found[static_cast<std::size_t>(label)] = 1;
          for (const NodeId above : other.taxonomy().ancestors(label)) is_found[static_cast<std::size_t>(above)] = 1;
        }
        is_found[0] = 0;
        all += static_cast<double>(std::ranges::count(is_found, 1)) + static_cast<double>(labels.members.of(s).size());
        for (const std::int32_t c : labels.members.of(s)) {
          both += is_found[static_cast<std::size_t>(labels.nodes[static_cast<std::size_t>(c)])];
        }
      }
      return 2 * both / all;
    };
    const ModelBody ridge = trained(data, {}, 1);
    const ModelBody prior = train_model(data, {.classifier = "prior"}, ctx);
    EXPECT_GT(f1_of(ridge), f1_of(prior) + 0.05) << most_labels;
  }
}

TEST(KernelRidge, HandlesHardlyAnyData) {
  Context ctx;
  for (const Index samples : {1, 2, 3}) {
    const Dataset data = some_data(samples, 1, 7);
    for (const char* classifier : {"kernel-ridge", "prior"}) {
      const ModelBody model = train_model(data, {.classifier = classifier}, ctx);
      const NodeScores scores = node_scores(model, data, Consistency::kDescendants, ctx);
      for (const double score : scores.values) EXPECT_TRUE(score >= 0 && score <= 1) << score;
      EXPECT_EQ(predict_by_nodes(model, data, {}, ctx).samples(), samples);
    }
  }
}

// No score may change the order that the sums give, nor leave (0, 1).
TEST(ScoreMap, RisesStrictly) {
  Context ctx;
  RandomStream random(9, {kTestStream, 74});
  Matrix scores(200, 30);
  PositivePairs pairs;
  for (Index s = 0; s < 200; ++s) {
    for (Index c = 0; c < 30; ++c) {
      const bool positive = random.uniform() < 0.3;
      scores(s, c) = random.normal() + (positive ? 0.5 : 0);
      if (positive) pairs.columns.push_back(static_cast<std::int32_t>(c));
    }
    pairs.offsets.push_back(std::ssize(pairs.columns));
  }
  const ScoreMap map = fit_score_map(rank_pairs(scores, pairs, ctx));
  ASSERT_GT(map.at.size(), 3U);
  double last = 0;
  for (double score = -5; score <= 5; score += 0.001) {
    const double value = map(score);
    EXPECT_GT(value, last);
    EXPECT_LT(value, 1);
    last = value;
  }
}

TEST(DecidedLabels, AreTheMostSpecificThatReachTheirThreshold) {
  const Dataset data = some_data(10, 3, 8);
  const Taxonomy& taxonomy = data.taxonomy();
  RandomStream random(10, {kTestStream, 75});
  for (int round = 0; round < 200; ++round) {
    std::vector<double> scores(static_cast<std::size_t>(scored_nodes(taxonomy)));
    std::vector<double> threshold(static_cast<std::size_t>(taxonomy.size()), 0.3 + 0.5 * random.uniform());
    for (double& score : scores) score = random.uniform();
    make_consistent(taxonomy, scores);
    std::vector<NodeId> expected;
    for (NodeId node = 1; node < static_cast<NodeId>(scores.size()); ++node) {
      bool is_most_specific = scores[static_cast<std::size_t>(node)] >= threshold[0];
      for (const NodeId below : taxonomy.descendants(node)) {
        if (static_cast<std::size_t>(below) >= scores.size()) continue;
        is_most_specific = is_most_specific && scores[static_cast<std::size_t>(below)] < threshold[0];
      }
      if (is_most_specific) expected.push_back(node);
    }
    const std::vector<NodeId> found = decided_labels(taxonomy, scores, threshold);
    if (expected.empty()) {
      EXPECT_EQ(found.size(), 1U);  // never without an answer
    } else {
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace clade
