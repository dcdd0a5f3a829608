#include <gtest/gtest.h>

#include "select/naive.h"
#include "select/recursive/memory_plan.h"
#include "select/selector_support.h"

namespace clade {
namespace {

using testing::NaiveMatrix;
using testing::NaiveSettings;
using testing::run_selector;

constexpr const char* kMethods[] = {"hier-fs", "hirr-par", "hirr-sib", "hirr-fam", "hfsgr", "lccshfs",
                                    "fs-mgkc", "fs-base",  "fs-mc",    "fs-dr",    "hfscn", "hfsdk"};

// Tall, wide, and in between: nodes of one problem differ.
Dataset random_problem(int k) {
  RandomDataOptions options = testing::random_problem_options(k);
  options.inner_labels = k % 3 == 0;
  options.samples = k % 5 == 0 ? 12 : 60;
  options.features = k % 5 == 0 ? 25 : 9;
  return with_leaf_labels(random_dataset(options));
}

void expect_same_norms(const FeatureRanking& ranking, const testing::NaiveProblem& problem,
                       const std::vector<NaiveMatrix>& expected, bool counts_padding) {
  ASSERT_EQ(ranking.nodes.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Index columns = counts_padding ? problem.width : problem.nodes[i].classes;
    const Eigen::VectorXd norms = expected[i].leftCols(columns).rowwise().norm();
    const double scale = std::max(norms.size() > 0 ? norms.maxCoeff() : 0, 1e-10);
    for (std::size_t k = 0; k < ranking.nodes[i].ranking.size(); ++k) {
      const double reference = norms(ranking.nodes[i].ranking[k]);
      // Relative, but for rows that the penalty has made vanish.
      EXPECT_NEAR(ranking.nodes[i].weight[k], reference, 1e-8 * std::max(reference, 1e-6 * scale))
          << "node " << i << " place " << k;
    }
  }
}

TEST(Recursive, EveryMethodMatchesItsFormula) {
  for (const std::string method : kMethods) {
    for (int k = 0; k < 24; ++k) {
      const Dataset data = random_problem(k);
      NaiveSettings settings{.method = method, .lambda = 2, .iterations = 4};
      Parameters parameters{{"lambda", "2"}, {"iterations", "4"}};
      settings.as_published = k % 4 == 3;
      if (settings.as_published) parameters["as-published"] = "true";
      if (method == "lccshfs") {
        settings.alpha = 0.05;
        parameters["alpha"] = "0.05";
        settings.ancestors = k % 3 == 1;
        if (settings.ancestors) parameters["similarity"] = "ancestors";
      }
      if (method == "fs-mgkc" || method == "fs-mc" || method == "fs-dr") {
        settings.alpha = 0.5;
        settings.beta = 0.01;
        if (method != "fs-dr") parameters["alpha"] = "0.5";
        if (method != "fs-mc") parameters["beta"] = "0.01";
        settings.psd = k % 3 == 2 && method != "fs-mc";
        if (method != "fs-mc") parameters["redundancy"] = settings.psd ? "psd" : "distances";
      }
      SCOPED_TRACE(method + " case " + std::to_string(k));
      const testing::NaiveProblem problem = testing::naive_problem(data);
      std::vector<NaiveMatrix> start(problem.nodes.size(), NaiveMatrix::Ones(problem.features, problem.width));
      const auto expected = testing::naive_solve(problem, data, start, settings);
      expect_same_norms(run_selector(method, data, parameters), problem, expected,
                        method == "hfsdk" && settings.as_published);
      if (HasFailure()) return;
    }
  }
}

// Seven groups of three classes.
Dataset many_siblings(Index samples, Index features) {
  TaxonomyBuilder builder;
  for (int g = 0; g < 7; ++g) {
    const std::string group = "g" + std::to_string(g);
    builder.edge("root", group);
    for (int c = 0; c < 3; ++c) builder.edge(group, group + "." + std::to_string(c));
  }
  Dataset::Parts parts = random_parts({.samples = samples, .features = features, .density = 0.8});
  const Taxonomy taxonomy = builder.build();
  parts.labels = {};
  for (Index s = 0; s < samples; ++s) {
    parts.labels.nodes.push_back(taxonomy.leaves()[static_cast<std::size_t>(s) % taxonomy.leaves().size()]);
    parts.labels.offsets.push_back(s + 1);
  }
  parts.taxonomy = taxonomy;
  return Dataset(std::move(parts));
}

// Their products are summed once for all: fewer features than columns, and more; tall nodes, and wide ones.
TEST(Recursive, ManySiblingsMatchTheFormula) {
  for (const auto& [samples, features] : {std::pair<Index, Index>{84, 9}, {210, 50}, {63, 30}, {42, 80}}) {
    const Dataset data = many_siblings(samples, features);
    for (const std::string method : {"hirr-sib", "hirr-fam", "hfscn"}) {
      // Its weights of fitted samples grow without bound: what rounding leaves is not comparable.
      if (method == "hfscn" && samples < features) continue;
      SCOPED_TRACE(method + " with features: " + std::to_string(features));
      const testing::NaiveProblem problem = testing::naive_problem(data);
      const auto expected = testing::naive_solve(
          problem, data,
          std::vector<NaiveMatrix>(problem.nodes.size(), NaiveMatrix::Ones(problem.features, problem.width)),
          {.method = method, .lambda = 2, .iterations = 4});
      const FeatureRanking found = run_selector(method, data, {{"lambda", "2"}, {"iterations", "4"}});
      expect_same_norms(found, problem, expected, false);
    }
    for (const std::string method : {"hirr-sib", "hirr-fam"}) {
      const FeatureRanking found = run_selector(method, data, {{"lambda", "2"}, {"iterations", "20"}});
      EXPECT_TRUE(std::is_sorted(found.objective.rbegin(), found.objective.rend())) << method;
      const FeatureRanking exact = run_selector(method, data, {{"lambda", "2"}, {"solver", "exact"}});
      EXPECT_LE(exact.objective.back(), found.objective.back() * (1 + 1e-6)) << method;
    }
  }
}

// Few samples with several labels each, and many nodes: far more pairs of nodes are similar than nodes hold samples,
// and nodes are solved column by column. Some have no samples.
Dataset few_samples_many_nodes(int k) {
  return with_leaf_labels(random_dataset({.samples = k % 2 == 0 ? 10 : 25,
                                          .features = k % 3 == 0 ? 30 : 7,
                                          .nodes = 70,
                                          .dag = k % 2 == 0,
                                          .several_labels = true,
                                          .inner_labels = true,
                                          .sparse = k % 4 >= 2,
                                          .density = 0.7,
                                          .seed = static_cast<std::uint64_t>(k) + 1}));
}

TEST(Recursive, ManySimilarNodesMatchTheFormula) {
  for (int k = 0; k < 12; ++k) {
    const Dataset data = few_samples_many_nodes(k);
    NaiveSettings settings{.method = "lccshfs", .lambda = 2, .alpha = 0.02, .iterations = 6};
    Parameters parameters{{"lambda", "2"}, {"alpha", "0.02"}, {"iterations", "6"}};
    settings.ancestors = k % 3 == 1;
    if (settings.ancestors) parameters["similarity"] = "ancestors";
    SCOPED_TRACE("case " + std::to_string(k));
    const testing::NaiveProblem problem = testing::naive_problem(data);
    const auto expected = testing::naive_solve(
        problem, data,
        std::vector<NaiveMatrix>(problem.nodes.size(), NaiveMatrix::Ones(problem.features, problem.width)), settings);
    const FeatureRanking found = run_selector("lccshfs", data, parameters);
    expect_same_norms(found, problem, expected, false);
    // The exact solver computes its objective node by node, and starts from what iterations have reached.
    parameters["solver"] = "exact";
    const FeatureRanking exact = run_selector("lccshfs", data, parameters);
    EXPECT_LE(exact.objective.back(), found.objective.back() * (1 + 1e-12));
    EXPECT_GE(exact.objective.back(), 0.5 * found.objective.back());
  }
}

TEST(Recursive, ObjectivesFallMonotonically) {
  for (const char* method : {"hier-fs", "hirr-par", "hirr-sib", "hirr-fam", "hfsgr"}) {
    for (int k = 0; k < 24; ++k) {
      const FeatureRanking ranking = run_selector(method, random_problem(k), {{"lambda", "1.5"}, {"iterations", "30"}});
      for (std::size_t t = 1; t < ranking.objective.size(); ++t) {
        EXPECT_LE(ranking.objective[t], ranking.objective[t - 1] + 1e-9 * std::abs(ranking.objective[t - 1]))
            << method << " case " << k << " iteration " << t;
      }
    }
  }
}

// Three groups of two groups of two classes.
Dataset groups_of_groups(Index samples, Index features, bool is_sparse) {
  TaxonomyBuilder builder;
  for (const std::string group : {"a", "b", "c"}) {
    builder.edge("root", group);
    for (const std::string part : {"x", "y"}) {
      builder.edge(group, group + part);
      for (const std::string leaf : {"1", "2"}) builder.edge(group + part, group + part + leaf);
    }
  }
  const Taxonomy taxonomy = builder.build();
  Dataset::Parts parts = random_parts({.samples = samples, .features = features, .sparse = is_sparse, .density = 0.3});
  parts.labels = {};
  for (Index s = 0; s < samples; ++s) {
    parts.labels.nodes.push_back(taxonomy.leaves()[static_cast<std::size_t>(s) % taxonomy.leaves().size()]);
    parts.labels.offsets.push_back(s + 1);
  }
  parts.taxonomy = taxonomy;
  return Dataset(std::move(parts));
}

// Matrices with many more features than siblings have columns are factored before the siblings are known, those of all
// wide nodes in any case.
TEST(Recursive, SystemsFactoredBeforehandMatchTheFormula) {
  for (const auto& [samples, features] : {std::pair<Index, Index>{400, 192}, {60, 100}}) {
    for (const bool is_sparse : {false, true}) {
      if (is_sparse && samples > features) continue;  // tall nodes do not notice
      const Dataset data = groups_of_groups(samples, features, is_sparse);
      for (const std::string method : {"hier-fs", "hirr-fam"}) {
        SCOPED_TRACE(method + " with features: " + std::to_string(features));
        const testing::NaiveProblem problem = testing::naive_problem(data);
        const auto expected = testing::naive_solve(
            problem, data,
            std::vector<NaiveMatrix>(problem.nodes.size(), NaiveMatrix::Ones(problem.features, problem.width)),
            {.method = method, .lambda = 2, .iterations = 2});
        expect_same_norms(run_selector(method, data, {{"lambda", "2"}, {"iterations", "2"}}), problem, expected, false);
      }
    }
  }
}

TEST(Recursive, SystemsFactoredBeforehandAreTheSameForAnyNumberOfThreads) {
  for (const auto& [samples, features] : {std::pair<Index, Index>{1000, 390}, {120, 2100}}) {
    for (const bool is_sparse : {false, true}) {
      const Dataset data = groups_of_groups(samples, features, is_sparse);
      const FeatureRanking one = run_selector("hirr-fam", data, {{"iterations", "4"}}, 1);
      EXPECT_TRUE(std::is_sorted(one.objective.rbegin(), one.objective.rend()));
      for (const int threads : {2, 3}) {
        const FeatureRanking other = run_selector("hirr-fam", data, {{"iterations", "4"}}, threads);
        EXPECT_EQ(one.objective, other.objective);
        for (std::size_t i = 0; i < one.nodes.size(); ++i) EXPECT_EQ(one.nodes[i].weight, other.nodes[i].weight);
      }
    }
  }
}

TEST(Recursive, ThreadsChangeNothing) {
  for (const std::string method : kMethods) {
    for (const int k : {0, 3, 5, 6}) {
      const Dataset data = k < 6 ? random_problem(k) : few_samples_many_nodes(k);
      const FeatureRanking one = run_selector(method, data, {{"iterations", "3"}}, 1);
      for (const int threads : {2, 3}) {
        const FeatureRanking other = run_selector(method, data, {{"iterations", "3"}}, threads);
        EXPECT_EQ(one.objective, other.objective) << method;
        for (std::size_t i = 0; i < one.nodes.size(); ++i) {
          EXPECT_EQ(one.nodes[i].ranking, other.nodes[i].ranking) << method;
          EXPECT_EQ(one.nodes[i].weight, other.nodes[i].weight) << method;
        }
      }
    }
  }
}

// Six inner nodes below the root, two classes below each.
Dataset many_siblings() {
  TaxonomyBuilder builder;
  for (int node = 0; node < 6; ++node) {
    const std::string name = "n" + std::to_string(node);
    builder.edge("root", name);
    builder.edge(name, name + "a");
    builder.edge(name, name + "b");
  }
  Dataset::Parts parts;
  parts.taxonomy = builder.build();
  constexpr Index kSamples = 240;
  constexpr Index kFeatures = 20;
  DenseMatrix<double> matrix{kSamples, kFeatures, Buffer<double>(kSamples * kFeatures)};
  for (Index k = 0; k < kSamples * kFeatures; ++k) matrix.values[k] = static_cast<double>((7 * k) % 31);
  parts.features = std::move(matrix);
  for (Index s = 0; s < kSamples; ++s) {
    const std::string name = "n" + std::to_string(s % 6) + (s % 4 < 2 ? "a" : "b");
    parts.labels.nodes.push_back(*parts.taxonomy->find(name));
    parts.labels.offsets.push_back(s + 1);
  }
  return Dataset(std::move(parts));
}

TEST(Recursive, OnlyMethodsThatKeepMatricesNeedMemoryForThem) {
  const Dataset data = many_siblings();
  const std::vector<NodeTable> tables = node_tables(data);
  Context ctx({.threads = 1});
  const double of_the_nodes = plan_memory(tables, {.features = data.features(), .threads = 1}).total();
  for (const std::string method : kMethods) {
    const std::unique_ptr<Selector> selector = selector_table().make(method);
    const SelectionInput input{data, tables, {}, 0, of_the_nodes};
    const bool keeps_matrices =
        method == "hirr-sib" || method == "hirr-fam" || method == "fs-mgkc" || method == "fs-dr";
    if (method == "fs-mgkc" || method == "fs-dr") selector->parameters().set("redundancy", "distances");
    if (keeps_matrices) {
      EXPECT_THROW(selector->select(input, ctx), Error) << method;
    } else {
      EXPECT_NO_THROW(selector->select(input, ctx)) << method;
    }
  }
}

}  // namespace
}  // namespace clade
