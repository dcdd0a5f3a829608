// What is proved of the hierarchical SVM (L. Cai, thesis, chapter 4) must hold of what is trained.
#include <clade/evaluate.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "classify/joint/joint_reference.h"
#include "classify/predict.h"
#include "classify/trained_models.h"
#include "how_many.h"
#include "plain_inverse.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::full_weights;
using testing::FullProblem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;
using testing::Parameters;
using testing::random_training_options;
using testing::Solved;
using testing::solved;
using testing::trained;
using testing::Vector;

const Parameters exact_solution{{"weights", "double"}, {"tolerance", "1e-7"}, {"iterations", "100000"}};

Parameters with(Parameters parameters, const Parameters& more) {
  parameters.insert(more.begin(), more.end());
  return parameters;
}

double summary(const ModelBody& model, const std::string& name) {
  for (const auto& [key, value] : model.summary) {
    if (key == name) return std::stod(value);
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

// Figure 4.5: two perfect trees of depth 2, inner nodes 1 to 6, classes 7 to 14; node (k - 1) / 2 is above node k.
Taxonomy two_trees() {
  TaxonomyBuilder builder;
  for (int node = 3; node <= 14; ++node) builder.edge(std::to_string((node - 1) / 2), std::to_string(node));
  return builder.build();
}

Dataset random_data_of_two_trees(Index samples, std::uint64_t seed) {
  const Taxonomy taxonomy = two_trees();
  RandomStream random(seed, {kTestStream, 61});
  constexpr Index kFeatures = 6;
  DenseMatrix<double> matrix{samples, kFeatures, Buffer<double>(samples * kFeatures)};
  LabelSets labels;
  for (Index s = 0; s < samples; ++s) {
    for (Index f = 0; f < kFeatures; ++f) matrix.values[s * kFeatures + f] = random.normal();
    std::vector<NodeId> own{*taxonomy.find(std::to_string(7 + s % 8))};
    if (s % 3 == 0) own.push_back(*taxonomy.find(std::to_string(7 + (s + 1 + random.below(7)) % 8)));
    std::ranges::sort(own);
    labels.nodes.insert(labels.nodes.end(), own.begin(), own.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  Dataset::Parts parts;
  parts.features = std::move(matrix);
  parts.labels = std::move(labels);
  parts.taxonomy = taxonomy;
  return Dataset(std::move(parts));
}

// Attributes of the classes of Figure 4.5: lambda at a class and the inner nodes above it, and what is given at a node
// above all. Columns: nodes 1 to 14, then that node.
std::string attributes_of_two_trees(double lambda, double at_top) {
  std::string text = "class";
  for (int node = 1; node <= 14; ++node) text += ",n" + std::to_string(node);
  text += ",top\n";
  for (int y = 7; y <= 14; ++y) {
    text += std::to_string(y);
    for (int node = 1; node <= 14; ++node) {
      const int parent = (y - 1) / 2;
      const bool is_above = node == y || node == parent || node == (parent - 1) / 2;
      text += "," + std::to_string(is_above ? lambda : 0);
    }
    text += "," + std::to_string(at_top) + "\n";
  }
  return text;
}

// 4.2.1: whatever all classes share tells none from another, and the smallest weight is 0.
TEST(JointSvmFacts, ANodeAboveAllClassesHasNoWeight) {
  const TemporaryFolder folder;
  const std::string file = folder.write("attributes.csv", attributes_of_two_trees(1, 0.7));
  const std::string without = folder.write("without.csv", attributes_of_two_trees(1, 0));
  for (int seed = 1; seed <= testing::how_many(1, 3); ++seed) {
    const Dataset data = random_data_of_two_trees(40, static_cast<std::uint64_t>(seed));
    const ModelBody model = trained(data, "hierarchical-svm", with(exact_solution, {{"class-attributes", file}}));
    const auto weights = full_weights(model.nodes[0].linear, data.features());
    double others = 0;
    for (const auto& row : weights) {
      ASSERT_EQ(row.size(), 15U);
      EXPECT_EQ(row[14], 0);
      for (std::size_t z = 0; z < 14; ++z) others += std::abs(row[z]);
    }
    EXPECT_GT(others, 0);
    const ModelBody plain = trained(data, "hierarchical-svm", with(exact_solution, {{"class-attributes", without}}));
    EXPECT_NEAR(summary(model, "dual objective"), summary(plain, "dual objective"), 1e-5);
  }
}

// (4.44), (4.45) and (4.47): the weights of inner nodes are those that a regulariser of class weights implies.
TEST(JointSvmFacts, TheRegulariserOfClassWeights) {
  const TemporaryFolder folder;
  for (const double lambda : {1.0, 0.5}) {
    const std::string file = folder.write("attributes.csv", attributes_of_two_trees(lambda, 0));
    for (int seed = 1; seed <= testing::how_many(1, 3); ++seed) {
      const Dataset data = random_data_of_two_trees(40, static_cast<std::uint64_t>(seed));
      const ModelBody model = trained(data, "hierarchical-svm", with(exact_solution, {{"class-attributes", file}}));
      const auto weights = full_weights(model.nodes[0].linear, data.features());
      const auto features = static_cast<Eigen::Index>(weights.size());
      Eigen::MatrixXd node(15, features);  // row k: node k
      for (Eigen::Index f = 0; f < features; ++f) {
        for (Eigen::Index k = 1; k <= 14; ++k) {
          node(k, f) = weights[static_cast<std::size_t>(f)][static_cast<std::size_t>(k - 1)];
        }
      }
      const auto is_above = [](Eigen::Index o, Eigen::Index y) {
        return o == (y - 1) / 2 || o == ((y - 1) / 2 - 1) / 2;
      };
      Eigen::MatrixXd of_class = Eigen::MatrixXd::Zero(15, features);
      for (Eigen::Index y = 7; y <= 14; ++y) {
        of_class.row(y) = lambda * node.row(y);
        for (Eigen::Index o = 1; o <= 6; ++o) {
          if (is_above(o, y)) of_class.row(y) += lambda * node.row(o);
        }
      }
      // (4.40) and (4.42), all attributes being lambda.
      Eigen::MatrixXd a = Eigen::MatrixXd::Identity(6, 6);
      Eigen::MatrixXd u = Eigen::MatrixXd::Zero(6, features);
      for (Eigen::Index y = 7; y <= 14; ++y) {
        for (Eigen::Index o = 1; o <= 6; ++o) {
          if (!is_above(o, y)) continue;
          u.row(o - 1) += of_class.row(y) / lambda;
          for (Eigen::Index p = 1; p <= 6; ++p) a(o - 1, p - 1) += is_above(p, y) ? 1 : 0;
        }
      }
      const Eigen::MatrixXd inner = testing::plain_inverse(a) * u;
      EXPECT_LT((inner - node.middleRows(1, 6)).cwiseAbs().maxCoeff(), 1e-9);  // (4.45)
      const auto square = [&](std::initializer_list<Eigen::Index> classes) {
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(features);
        for (const Eigen::Index y : classes) sum += of_class.row(y);
        return sum.squaredNorm();
      };
      const double coupled = (square({7, 8, 9, 10}) / 21 + square({7, 8}) / 3 + square({9, 10}) / 3 +
                              square({11, 12, 13, 14}) / 21 + square({11, 12}) / 3 + square({13, 14}) / 3) /
                             (lambda * lambda);
      const double all = of_class.middleRows(7, 8).squaredNorm() / (lambda * lambda);
      const double size = node.middleRows(1, 14).squaredNorm();
      EXPECT_GT(size, 0);
      EXPECT_NEAR((u.transpose() * testing::plain_inverse(a) * u).trace(), coupled, 1e-9 * all);  // (4.47)
      EXPECT_NEAR(size, all - coupled, 1e-9 * all);                                               // (4.44)
    }
  }
}

TEST(JointSvmFacts, FlatIsHierarchicalWithoutTheHierarchy) {
  for (int k = 0; k < 16; ++k) {
    const Dataset data = random_dataset(random_training_options(k));
    const Parameters parameters{{"c", "0.7"}, {"bias", k % 2 == 0 ? "0" : "0.5"}};
    const ModelBody flat = trained(data, "flat-svm", parameters);
    const ModelBody same =
        trained(data, "hierarchical-svm", with(parameters, {{"attributes", "flat"}, {"loss", "zero-one"}}));
    EXPECT_EQ(full_weights(flat.nodes[0].linear, data.features()), full_weights(same.nodes[0].linear, data.features()));
    EXPECT_TRUE(std::ranges::equal(flat.nodes[0].linear.bias, same.nodes[0].linear.bias));
    EXPECT_EQ(flat.threshold, same.threshold);
    EXPECT_EQ(flat.summary, same.summary);
    const ModelBody other = trained(data, "hierarchical-svm", parameters);
    EXPECT_NE(flat.summary, other.summary);
  }
}

// Proposition 2 and its corollary: the mean slack bounds the maximal and the top loss of the training data, as the
// library measures them.
TEST(JointSvmFacts, SlacksBoundTheLossOfTrainingSamples) {
  int bounded = 0;
  int close = 0;
  for (int k = 0; k < 60; ++k) {
    const JointCase c = joint_case(k);
    const FullProblem full = full_problem(c);
    // Measures rank all leaves, so all must be classes.
    if (!is_learnable(full) || full.classes.size() != c.data.taxonomy().leaves().size()) continue;
    for (const char* const cost : {"0.05", "5"}) {
      Context ctx({.threads = 2});
      const ModelBody model =
          trained(c.data, "hierarchical-svm", {{"c", cost}, {"weights", "double"}, {"loss", "tree"}});
      const double mean_slack = [&] {
        const JointCase with_tree_loss{c.data, {}, c.name};
        const FullProblem tree = full_problem(with_tree_loss);
        double slack = 0;
        for (Index s = 0; s < c.data.samples(); ++s) {
          const Vector outputs = testing::slow_outputs(model, model.nodes[0].linear, c.data, s);
          const auto score = [&](std::size_t y) {
            double sum = 0;
            const auto index = model.attributes.index_of(static_cast<Index>(y));
            for (std::size_t z = 0; z < index.size(); ++z) {
              sum += model.attributes.value_of(static_cast<Index>(y))[z] * outputs[static_cast<std::size_t>(index[z])];
            }
            return sum;
          };
          double worst = 0;
          for (const std::size_t y : tree.own[static_cast<std::size_t>(s)]) {
            for (std::size_t r = 0; r < tree.classes.size(); ++r) {
              if (tree.has(static_cast<std::size_t>(s), r)) continue;
              worst = std::max(worst, tree.loss[y][r] * (1 - score(y) + score(r)));
            }
          }
          slack += worst;
        }
        return slack / static_cast<double>(c.data.samples());
      }();
      const Predictions predictions = predict(model, c.data, {.is_ranked = true}, ctx);
      const Evaluation measured = evaluate(c.data, predictions, {}, {}, ctx);
      const auto maximal = measured.value("maximal_loss");
      const auto top = measured.value("top_loss");
      ASSERT_TRUE(maximal && top) << c.name;
      EXPECT_LE(*maximal, mean_slack + 1e-9) << c.name;
      EXPECT_LE(*top, *maximal + 1e-12) << c.name;
      ++bounded;
      close += *maximal > 0.3 * mean_slack ? 1 : 0;
    }
  }
  EXPECT_GT(bounded, 30);
  EXPECT_GT(close, 5);  // a bound that says something
}

TEST(JointSvmFacts, ThreadsChangeNothing) {
  for (int k = 0; k < 16; k += testing::how_many(5, 1)) {
    RandomDataOptions options = random_training_options(k);
    options.samples = 70;  // some blocks of samples
    options.features = 12;
    const Dataset data = random_dataset(options);
    for (const Parameters& parameters :
         {Parameters{}, Parameters{{"weights", "double"}, {"tolerance", "1e-4"}}, Parameters{{"c-grid", "0.1,1,10"}}}) {
      const ModelBody one = trained(data, "hierarchical-svm", parameters, 1);
      for (const int threads : {2, 3}) {
        const ModelBody more = trained(data, "hierarchical-svm", parameters, threads);
        EXPECT_EQ(one.summary, more.summary);
        EXPECT_EQ(one.threshold, more.threshold);
        EXPECT_EQ(full_weights(one.nodes[0].linear, data.features()),
                  full_weights(more.nodes[0].linear, data.features()));
      }
    }
  }
}

TEST(JointSvmFacts, ThePublishedScheduleReachesTheSameObjective) {
  int problems = 0;
  for (int k = 0; problems < 60; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    ++problems;
    for (const double cost : {0.3, 3.0}) {
      const Solved fast = solved<double>(c, cost, {.tolerance = 1e-6, .iterations = 100000});
      const Solved published =
          solved<double>(c, cost, {.tolerance = 1e-6, .iterations = 100000, .schedule = JointSchedule::kPublished});
      ASSERT_TRUE(fast.result.has_converged && published.result.has_converged) << c.name;
      EXPECT_LE(published.result.violation, 1e-6 + 1e-12);
      const double size = std::max(1.0, fast.result.primal);
      EXPECT_NEAR(fast.result.primal, published.result.primal, 1e-4 * size) << c.name;
      EXPECT_NEAR(fast.result.dual, published.result.dual, 1e-4 * size) << c.name;
      // Both are between the other's bounds.
      EXPECT_LE(fast.result.dual, published.result.primal + 1e-9 * size);
      EXPECT_LE(published.result.dual, fast.result.primal + 1e-9 * size);
    }
  }
}

TEST(JointSvmFacts, AWarmStartEndsWhereAColdOneDoes) {
  int problems = 0;
  for (int k = 0; problems < 40; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    ++problems;
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(c, ctx);
    LinearScores<double> scores(data.rows, data.problem.attributes.count);
    JointVariables variables;
    for (const double cost : {0.01, 0.1, 1.0, 10.0}) {
      const JointSvmOptions options{.tolerance = 1e-8, .iterations = 100000};
      const JointSvmResult warm = solve_joint_svm(
          data.problem, scores, Vector(static_cast<std::size_t>(data.rows.rows()), cost), variables, options, ctx);
      const Solved cold = solved<double>(c, cost, options);
      ASSERT_TRUE(warm.has_converged && cold.result.has_converged) << c.name;
      EXPECT_NEAR(warm.primal, cold.result.primal, 1e-6 * std::max(1.0, cold.result.primal)) << c.name;
      EXPECT_NEAR(warm.dual, cold.result.dual, 1e-6 * std::max(1.0, cold.result.dual)) << c.name;
    }
  }
}

// A sample of weight 2 is two of weight 1.
TEST(JointSvmFacts, SampleWeightsCountSamples) {
  const Dataset data = random_data_of_two_trees(30, 4);
  std::vector<Index> twice;
  Vector weight;
  for (Index s = 0; s < data.samples(); ++s) {
    weight.push_back(s % 3 == 0 ? 2 : 1);
    for (int copy = 0; copy < static_cast<int>(weight.back()); ++copy) twice.push_back(s);
  }
  Context ctx({.threads = 1});
  const ModelBody weighted = train_model(
      data, {.classifier = "hierarchical-svm", .parameters = exact_solution, .ranking = {}, .top = 0, .weight = weight},
      ctx);
  const ModelBody doubled = trained(data.subset(twice), "hierarchical-svm", exact_solution);
  EXPECT_NEAR(summary(weighted, "dual objective"), summary(doubled, "dual objective"), 1e-4);
}

}  // namespace
}  // namespace clade
