#include "select/recursive/exact.h"

#include <clade/select.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "how_many.h"
#include "math/proximal_gradient.h"
#include "select/naive.h"
#include "select/recursive/hirr.h"
#include "select/recursive/lambda_path.h"
#include "select/selector_support.h"

namespace clade {
namespace {

using testing::NaiveMatrix;
using testing::run_selector;

const std::vector<std::string> kMethods = {"hier-fs", "fs-base",  "fs-mc",    "hirr-par", "hfsgr",
                                           "lccshfs", "hirr-sib", "hirr-fam", "fs-dr",    "fs-mgkc"};

// What a method needs besides lambda to have a convex, bounded problem.
Parameters tamed(const std::string& method, double lambda) {
  Parameters parameters{{"lambda", std::to_string(lambda)}, {"iterations", "10"}};
  if (method == "lccshfs") parameters["alpha"] = "0.0005";
  if (method == "fs-mc" || method == "fs-mgkc") parameters["alpha"] = "0.5";
  if (method == "fs-dr" || method == "fs-mgkc") parameters["redundancy"] = "psd";
  return parameters;
}

// Wide nodes, tall nodes, and some of each.
Dataset random_problem(int k) {
  RandomDataOptions options = testing::random_problem_options(k);
  options.samples = k % 3 == 0 ? 14 : 60;
  options.features = k % 3 == 0 ? 25 : 9;
  return with_leaf_labels(random_dataset(options));
}

Parameters with(Parameters parameters, const std::string& name, const std::string& value) {
  parameters[name] = value;
  return parameters;
}

NaiveMatrix brute_force(const testing::NaiveNode& node, double lambda) {
  return testing::proximal_gradient(node.x.transpose() * node.x, node.x.transpose() * node.y, lambda);
}

TEST(Exact, HierFsIsTheMinimumOfItsObjective) {
  for (int k = 0; k < 12; ++k) {
    const Dataset data = random_problem(k);
    const testing::NaiveProblem problem = testing::naive_problem(data);
    const double lambda = k % 4 == 0 ? 0.2 : 3;
    const FeatureRanking found =
        run_selector("hier-fs", data, {{"lambda", std::to_string(lambda)}, {"solver", "exact"}, {"gap", "1e-10"}});
    double optimum = 0;
    for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
      const testing::NaiveNode& node = problem.nodes[i];
      const NaiveMatrix w = brute_force(node, lambda);
      optimum += (node.x * w - node.y).squaredNorm() + lambda * w.rowwise().norm().sum();
      // The tail: zero rows by their correlation with what is left.
      const NaiveMatrix left = node.x.transpose() * (node.y - node.x * w);
      double last = std::numeric_limits<double>::infinity();
      for (std::size_t place = 0; place < found.nodes[i].ranking.size(); ++place) {
        const Index f = found.nodes[i].ranking[place];
        EXPECT_NEAR(found.nodes[i].weight[place], w.row(f).norm(), 2e-4);
        if (found.nodes[i].weight[place] > 0) continue;
        EXPECT_LE(left.row(f).norm(), last + 1e-3);
        last = left.row(f).norm();
      }
      EXPECT_TRUE(std::is_sorted(found.nodes[i].weight.rbegin(), found.nodes[i].weight.rend()));
    }
    EXPECT_NEAR(found.objective.back(), optimum, 1e-8 * optimum) << "case " << k;
    ASSERT_TRUE(found.gap);
    EXPECT_LE(*found.gap, 1e-10);
  }
}

TEST(Exact, NeverAboveReweighting) {
  for (const std::string& method : kMethods) {
    for (int k = 0; k < testing::how_many(6, 12); ++k) {
      for (const double lambda : {0.3, 4.0, 200.0}) {
        const Dataset data = random_problem(k);
        const FeatureRanking irls = run_selector(method, data, tamed(method, lambda));
        const FeatureRanking exact = run_selector(method, data, with(tamed(method, lambda), "solver", "exact"));
        EXPECT_LE(exact.objective.back(), irls.objective.back()) << method << " case " << k << " lambda " << lambda;
        EXPECT_TRUE(std::is_sorted(exact.objective.rbegin(), exact.objective.rend())) << method << " case " << k;
        // Many more iterations of the other solver do not get below what the certificate allows.
        const bool is_independent = method.starts_with("fs-") || method == "hier-fs";
        if (!is_independent) continue;
        ASSERT_TRUE(exact.gap) << method;
        EXPECT_LE(*exact.gap, 1e-6) << method << " case " << k << " lambda " << lambda;
        const FeatureRanking longer = run_selector(method, data, with(tamed(method, lambda), "iterations", "300"));
        const double objective = exact.objective.back();
        EXPECT_GE(longer.objective.back(), objective * (1 - *exact.gap) - 1e-9 * objective) << method << " case " << k;
      }
    }
  }
}

TEST(Exact, DenseAndSparseAgree) {
  for (const Index samples : {14, 60}) {
    RandomDataOptions options{.samples = samples, .features = 25, .nodes = 9, .density = 0.6, .seed = 5};
    const Dataset dense = with_leaf_labels(random_dataset(options));
    options.sparse = true;
    const Dataset sparse = with_leaf_labels(random_dataset(options));
    for (const std::string& method : kMethods) {
      const Parameters parameters = with(with(tamed(method, 2), "solver", "exact"), "gap", "1e-9");
      const FeatureRanking a = run_selector(method, dense, parameters);
      const FeatureRanking b = run_selector(method, sparse, parameters);
      EXPECT_NEAR(a.objective.back(), b.objective.back(), 1e-7 * std::abs(a.objective.back())) << method;
    }
  }
}

TEST(Exact, ThreadsChangeNothing) {
  std::vector problems{3, 0, 5};
  problems.resize(static_cast<std::size_t>(testing::how_many(1, 3)));
  for (const std::string& method : kMethods) {
    for (const int k : problems) {
      const Dataset data = random_problem(k);
      for (const auto& extra :
           {std::pair{"solver", "exact"}, std::pair{"path", "5"}, std::pair{"select-lambda", "cv"}}) {
        Parameters parameters = with(tamed(method, 2), extra.first, extra.second);
        if (extra.second == std::string("cv")) parameters["path"] = "4";
        const FeatureRanking one = run_selector(method, data, parameters, 1);
        for (const int threads : {2, 3}) {
          const FeatureRanking other = run_selector(method, data, parameters, threads);
          EXPECT_EQ(one.objective, other.objective) << method;
          EXPECT_EQ(one.gap, other.gap) << method;
          EXPECT_EQ(one.notes, other.notes) << method;
          for (std::size_t i = 0; i < one.nodes.size(); ++i) {
            EXPECT_EQ(one.nodes[i].ranking, other.nodes[i].ranking) << method;
            EXPECT_EQ(one.nodes[i].weight, other.nodes[i].weight) << method;
          }
        }
      }
    }
  }
}

TEST(Exact, PathBeginsEmptyAndEndsAtItsLastLambda) {
  for (const char* method : {"hier-fs", "hirr-par", "fs-mc"}) {
    for (int k = 0; k < 6; ++k) {
      const Dataset data = random_problem(k);
      const FeatureRanking path = run_selector(method, data, {{"path", "6"}, {"path-ratio", "0.01"}, {"gap", "1e-8"}});
      ASSERT_EQ(path.objective.size(), 6);
      double labels = 0;
      double largest = 0;
      for (const testing::NaiveNode& node : testing::naive_problem(data).nodes) {
        labels += node.y.squaredNorm();
        largest = std::max(largest, 2 * (node.x.transpose() * node.y).rowwise().norm().maxCoeff());
      }
      // At the first lambda nothing has entered, so the objective is ||Y||^2; it falls with lambda.
      EXPECT_NEAR(path.objective.front(), labels, 1e-9 * labels);
      EXPECT_TRUE(std::is_sorted(path.objective.rbegin(), path.objective.rend()));
      const FeatureRanking last = run_selector(method, data,
                                               {{"lambda", fmt::format("{:.17g}", 0.01 * largest)},
                                                {"solver", "exact"},
                                                {"gap", "1e-8"},
                                                {"iterations", "200"}});
      EXPECT_NEAR(path.objective.back(), last.objective.back(), 1e-5 * labels) << method << " case " << k;
      bool has_some = false;
      for (const NodeRanking& node : path.nodes) {
        EXPECT_TRUE(std::is_sorted(node.weight.rbegin(), node.weight.rend()));
        for (const double enters : node.weight) EXPECT_LT(enters, largest * (1 - 1e-9));
        has_some = has_some || node.weight.front() > 0;
      }
      EXPECT_TRUE(has_some);
    }
  }
}

// Held-out errors by hand: each fold's weights by brute force.
TEST(Exact, CrossValidationSumsHeldOutSquaredErrors) {
  RandomDataOptions options{.samples = 30, .features = 6, .nodes = 6, .density = 0.9, .seed = 3};
  const Dataset data = with_leaf_labels(random_dataset(options));
  const std::vector<NodeTable> tables = node_tables(data);
  std::vector<int> folds;
  for (Index s = 0; s < data.samples(); ++s) folds.push_back(static_cast<int>(s % 3));
  const std::vector<double> lambdas{8, 2, 0.5};
  Context ctx({.threads = 2});
  ExactOptions exact{.tolerance = 1e-11};
  for (std::size_t i = 0; i < tables.size(); ++i) exact.order.push_back(i);
  const auto make = [] { return std::make_unique<Hirr>(Hirr::Coupling{}); };
  const std::vector<double> found = held_out_errors(data, tables, make, lambdas, folds, exact, ctx);
  const testing::NaiveProblem whole = testing::naive_problem(data);
  for (std::size_t k = 0; k < lambdas.size(); ++k) {
    double expected = 0;
    for (int fold = 0; fold < 3; ++fold) {
      for (std::size_t i = 0; i < tables.size(); ++i) {
        const testing::NaiveNode& all = whole.nodes[i];
        testing::NaiveNode train = all;
        testing::NaiveNode test = all;
        Index trained = 0;
        Index tested = 0;
        for (Index r = 0; r < all.x.rows(); ++r) {
          const bool is_test = folds[static_cast<std::size_t>(tables[i].rows[static_cast<std::size_t>(r)])] == fold;
          testing::NaiveNode& part = is_test ? test : train;
          Index& count = is_test ? tested : trained;
          part.x.row(count) = all.x.row(r);
          part.y.row(count++) = all.y.row(r);
        }
        train.x.conservativeResize(trained, Eigen::NoChange);
        train.y.conservativeResize(trained, Eigen::NoChange);
        const NaiveMatrix w = brute_force(train, lambdas[k] * 2 / 3);
        expected += (test.x.topRows(tested) * w - test.y.topRows(tested)).squaredNorm();
      }
    }
    EXPECT_NEAR(found[k], expected, 1e-4 * expected) << "lambda " << lambdas[k];
  }
}

TEST(Exact, ChosenLambdaIsSaidAndUsed) {
  const Dataset data = random_problem(4);
  Context ctx({.threads = 2, .seed = 7});
  SelectOptions options{.method = "hier-fs", .parameters = {{"select-lambda", "cv"}, {"path", "8"}}};
  const FeatureRanking chosen = select(data, options, ctx);
  ASSERT_FALSE(chosen.notes.empty());
  EXPECT_TRUE(chosen.notes.front().starts_with("lambda ")) << chosen.notes.front();
  std::string lambda;
  for (const auto& [name, text] : chosen.parameters) lambda = name == "lambda" ? text : lambda;
  EXPECT_NE(lambda, "10");
  options.parameters = {{"lambda", lambda}};
  const FeatureRanking given = select(data, options, ctx);
  for (std::size_t i = 0; i < given.nodes.size(); ++i) EXPECT_EQ(given.nodes[i].ranking, chosen.nodes[i].ranking);
}

TEST(Exact, MethodsWithoutAConvexProblemSaySo) {
  const Dataset data = random_problem(1);
  Context ctx;
  const auto message = [&](const std::string& method, Parameters parameters) -> std::string {
    try {
      select(data, {.method = method, .parameters = std::move(parameters)}, ctx);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  for (const char* method : {"hfscn", "hfsdk"}) {
    for (const auto& way : {std::pair{"solver", "exact"}, std::pair{"path", "3"}, std::pair{"select-lambda", "cv"}}) {
      EXPECT_NE(message(method, {{way.first, way.second}}).find("`solver` irls"), std::string::npos) << method;
    }
  }
  for (const char* method : {"fs-mgkc", "fs-dr"}) {
    EXPECT_NE(message(method, {{"solver", "exact"}, {"redundancy", "distances"}}).find("`redundancy` psd"),
              std::string::npos)
        << method;
    EXPECT_EQ(message(method, {{"solver", "exact"}, {"redundancy", "psd"}}), "") << method;
  }
  EXPECT_NE(message("hier-fs", {{"solver", "exact"}, {"as-published", "true"}}).find("`as-published`"),
            std::string::npos);
}

}  // namespace
}  // namespace clade
