#include "classify/linear/one_vs_rest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "classify/linear/random_rows.h"

namespace clade {
namespace {

struct Case {
  std::string name;
  Eigen::MatrixXd x;
  Index classes = 2;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> labels;
  std::vector<double> weight;  // empty: 1
  double c = 1;
  double bias = 1;
  Loss loss = Loss::kHinge;

  RowClasses row_classes() const { return {offsets, labels}; }
  double sign(Index row, Index of_class) const {
    const auto begin = labels.begin() + offsets[static_cast<std::size_t>(row)];
    const auto end = labels.begin() + offsets[static_cast<std::size_t>(row) + 1];
    return std::binary_search(begin, end, static_cast<std::int32_t>(of_class)) ? 1 : -1;
  }
  double cost(Index row) const { return c * (weight.empty() ? 1 : weight[static_cast<std::size_t>(row)]); }
  HingeOptions options(double tolerance, int passes = 1000000) const {
    return {.c = c, .loss = loss, .bias = bias, .tolerance = tolerance, .iterations = passes};
  }
};

// Few and many classes, one label and several, both losses, weights with some of 0, rows without values, no bias.
std::vector<Case> cases() {
  std::vector<Case> all;
  const Index counts[] = {1, 2, 3, 6, 10, 15, 16, 17, 40};
  for (int k = 0; k < 36; ++k) {
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 90});
    Case c;
    c.name = "case " + std::to_string(k);
    c.classes = counts[k % 9];
    c.loss = k % 2 == 0 ? Loss::kHinge : Loss::kSquaredHinge;
    c.x = testing::random_matrix(12 + 7 * (k % 4), k % 3 == 0 ? 4 : 17, k % 4 == 3 ? 0.25 : 1, random);
    if (k % 5 == 2) c.x.row(3).setZero();
    for (Index r = 0; r < c.x.rows(); ++r) {
      const auto first = static_cast<std::int32_t>(random.below(c.classes));
      c.labels.push_back(first);
      c.x(r, first % c.x.cols()) += 0.7 * (k % 3);
      for (std::int32_t y = first + 1; k % 4 == 1 && y < c.classes; y += 3) c.labels.push_back(y);
      c.offsets.push_back(std::ssize(c.labels));
      if (k % 3 == 1) c.weight.push_back(r % 6 == 5 ? 0 : 3 * random.uniform());
    }
    const double costs[] = {1, 0.03, 10};
    c.c = costs[(k / 2) % 3];
    c.bias = (k / 6) % 2 == 0 ? 1 : 0;
    all.push_back(c);
  }
  return all;
}

OneVsRestResult run(const Case& c, const HingeOptions& options, std::span<const double> start = {}, int threads = 1) {
  Context ctx({.threads = threads});
  return one_vs_rest_dual(testing::rows_of(c.x), c.row_classes(), c.classes, c.weight, start, options, ctx);
}

Eigen::VectorXd decisions(const Case& c, const OneVsRestResult& found, Index of_class) {
  const std::vector<double>& w = found.weights.w[static_cast<std::size_t>(of_class)];
  return (c.x * Eigen::Map<const Eigen::VectorXd>(w.data(), c.x.cols())).array() +
         found.weights.bias[static_cast<std::size_t>(of_class)];
}

double objective(const Case& c, const OneVsRestResult& found, Index of_class) {
  const auto at = static_cast<std::size_t>(of_class);
  double sum = c.bias == 0 ? 0 : std::pow(found.weights.bias[at] / c.bias, 2) / 2;
  for (const double w : found.weights.w[at]) sum += w * w / 2;
  const Eigen::VectorXd decision = decisions(c, found, of_class);
  for (Index r = 0; r < c.x.rows(); ++r) {
    const double slack = std::max(0.0, 1 - c.sign(r, of_class) * decision(r));
    sum += c.cost(r) * (c.loss == Loss::kHinge ? slack : slack * slack);
  }
  return sum;
}

TEST(OneVsRest, ObjectivesAreThoseOfTheClassesAlone) {
  for (const Case& c : cases()) {
    const OneVsRestResult found = run(c, c.options(1e-8));
    EXPECT_TRUE(found.has_converged) << c.name;
    Context ctx({.threads = 1});
    for (Index y = 0; y < c.classes; ++y) {
      std::vector<std::int8_t> sign;
      for (Index r = 0; r < c.x.rows(); ++r) sign.push_back(c.sign(r, y) > 0 ? 1 : -1);
      const HingeResult alone = hinge_dual(testing::rows_of(c.x), sign, c.weight, {}, c.options(1e-8), ctx);
      EXPECT_NEAR(objective(c, found, y), alone.objective, 1e-6 * alone.objective) << c.name << " class " << y;
    }
  }
}

// Rows in blocks, of one row and of several, are visited in another order.
TEST(OneVsRest, BlocksReachTheSameObjectives) {
  for (const Case& c : cases()) {
    const OneVsRestResult whole = run(c, c.options(1e-8));
    for (const Index block : {Index{1}, Index{60}}) {
      HingeOptions options = c.options(1e-8);
      options.block = block;
      const OneVsRestResult found = run(c, options);
      EXPECT_TRUE(found.has_converged) << c.name;
      for (Index y = 0; y < c.classes; ++y) {
        EXPECT_NEAR(objective(c, found, y), objective(c, whole, y), 1e-5 * objective(c, whole, y)) << c.name;
      }
    }
  }
}

// One by one, in any process.
TEST(OneVsRest, GroupsTogetherAreTheWhole) {
  RandomStream random(7, {kTestStream, 83});
  for (const auto& [rows, classes] : {std::pair<Index, Index>{60, 40}, {8200, 5}}) {
    Eigen::MatrixXd x = testing::random_matrix(rows, 6, 0.7, random);
    const std::vector<std::int32_t> label = testing::random_classes(x, classes, 2, random);
    const SingleClasses labels(label);
    const TrainingRows own = testing::rows_of(x);
    const HingeOptions options{.loss = Loss::kSquaredHinge, .stream = 9};
    Context ctx({.threads = 2});
    const OneVsRestResult whole = one_vs_rest_dual(own, labels.classes(), classes, {}, {}, options, ctx);
    const Index groups = one_vs_rest_groups(rows, classes);
    EXPECT_EQ(groups, 3);
    Index next = 0;
    for (Index group = 0; group < groups; ++group) {
      const OneVsRestResult part = one_vs_rest_group(own, labels.classes(), classes, {}, options, group, ctx);
      EXPECT_EQ(part.first, next);
      for (std::size_t c = 0; c < part.weights.w.size(); ++c) {
        EXPECT_EQ(part.weights.w[c], whole.weights.w[static_cast<std::size_t>(next)]);
        EXPECT_EQ(part.weights.bias[c], whole.weights.bias[static_cast<std::size_t>(next)]);
        ++next;
      }
    }
    EXPECT_EQ(next, classes);
  }
}

// Wherever the solver stops: variables are within their bounds, and the weights are theirs.
TEST(OneVsRest, WeightsAreThoseOfTheVariables) {
  for (const Case& c : cases()) {
    for (const int passes : {0, 1, 3, 1000}) {
      const OneVsRestResult found = run(c, c.options(1e-3, passes));
      EXPECT_LE(found.iterations, passes);
      for (Index y = 0; y < c.classes; ++y) {
        Eigen::VectorXd w = Eigen::VectorXd::Zero(c.x.cols());
        double bias = 0;
        for (Index r = 0; r < c.x.rows(); ++r) {
          const double alpha = found.alpha[static_cast<std::size_t>(r * c.classes + y)];
          EXPECT_GE(alpha, 0);
          if (c.loss == Loss::kHinge || c.cost(r) == 0) {
            EXPECT_LE(alpha, c.cost(r)) << c.name;
          }
          w += alpha * c.sign(r, y) * c.x.row(r).transpose();
          bias += alpha * c.sign(r, y) * c.bias * c.bias;
        }
        const auto at = static_cast<std::size_t>(y);
        const Eigen::Map<const Eigen::VectorXd> own(found.weights.w[at].data(), c.x.cols());
        EXPECT_LT((w - own).norm(), 1e-9 * (1 + w.norm())) << c.name;
        EXPECT_NEAR(found.weights.bias[at], bias, 1e-9 * (1 + std::abs(bias))) << c.name;
      }
    }
  }
}

TEST(OneVsRest, StartFromTheSolutionStaysThere) {
  for (const Case& c : cases()) {
    const OneVsRestResult first = run(c, c.options(1e-7));
    const OneVsRestResult again = run(c, c.options(1e-6), first.alpha);
    EXPECT_TRUE(again.has_converged) << c.name;
    EXPECT_LE(again.iterations, 2) << c.name;
    for (Index y = 0; y < c.classes; ++y) {
      EXPECT_NEAR(objective(c, again, y), objective(c, first, y), 1e-5 * objective(c, first, y)) << c.name;
    }
  }
}

// As where a solution for all rows becomes one for some: variables beyond their new bounds are brought within.
TEST(OneVsRest, StartOfOtherWeightsIsNoHindrance) {
  for (const Case& c : cases()) {
    const OneVsRestResult first = run(c, c.options(1e-3));
    Case part = c;
    part.weight.assign(static_cast<std::size_t>(c.x.rows()), 1);
    for (std::size_t r = 1; r < part.weight.size(); r += 4) part.weight[r] = 0;
    const OneVsRestResult expected = run(part, part.options(1e-8));
    const OneVsRestResult found = run(part, part.options(1e-8), first.alpha);
    for (Index y = 0; y < c.classes; ++y) {
      EXPECT_NEAR(objective(part, found, y), objective(part, expected, y), 1e-6 * objective(part, expected, y))
          << c.name;
      for (Index r = 1; r < c.x.rows(); r += 4) {
        EXPECT_EQ(found.alpha[static_cast<std::size_t>(r * c.classes + y)], 0) << c.name;
      }
    }
  }
}

TEST(OneVsRest, SameForAnyNumberOfThreads) {
  for (const Case& c : cases()) {
    const OneVsRestResult one = run(c, c.options(1e-3));
    for (const int threads : {2, 3}) {
      const OneVsRestResult more = run(c, c.options(1e-3), {}, threads);
      EXPECT_EQ(more.weights.w, one.weights.w) << c.name;
      EXPECT_EQ(more.weights.bias, one.weights.bias) << c.name;
      EXPECT_EQ(more.alpha, one.alpha) << c.name;
    }
  }
}

TEST(OneVsRest, NoRows) {
  Case none;
  none.x = Eigen::MatrixXd::Zero(0, 2);
  const OneVsRestResult found = run(none, none.options(1e-6));
  EXPECT_TRUE(found.has_converged);
  EXPECT_EQ(found.weights.w[1], std::vector<double>({0, 0}));
}

TEST(OneVsRest, CanBeCancelled) {
  const Case c = cases()[4];
  auto cancel = std::make_shared<CancelToken>();
  cancel->cancel();
  Context ctx({.threads = 1, .cancel = cancel});
  EXPECT_THROW(one_vs_rest_dual(testing::rows_of(c.x), c.row_classes(), c.classes, c.weight, {}, {}, ctx), Error);
}

}  // namespace
}  // namespace clade
