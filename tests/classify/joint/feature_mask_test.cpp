// Joint classifiers with a list of features for every node, beside plain programs in which everything outside the lists
// is 0.

#include "classify/joint/feature_mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "classify/joint/joint_reference.h"
#include "classify/joint/online_learner.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::FullProblem;
using testing::JointCase;
using testing::Reference;
using testing::Vector;

// A case with random lists, different from each other, for all inner nodes.
struct ListCase {
  JointCase joint;
  std::vector<NodeTable> tables;
  std::vector<std::vector<FeatureIndex>> features;  // per table

  TrainingInput input() const { return {joint.data, tables, features, {}}; }
  JointData data(Context& ctx) const {
    JointSettings settings{.hierarchy = joint.hierarchy};
    settings.joint.classes = ClassChoice::kSeen;
    return joint_data(input(), settings, ctx);
  }

  // The features of a node, by definition: those of its parents; of parents with one child only, those of theirs.
  std::set<FeatureIndex> list_of(NodeId node) const {
    std::set<FeatureIndex> list;
    for (const NodeId parent : joint.data.taxonomy().parents(node)) {
      for (std::size_t t = 0; t < tables.size(); ++t) {
        if (tables[t].node != parent) continue;
        const auto above = list_of(parent);
        tables[t].children.size() > 1 ? list.insert(features[t].begin(), features[t].end())
                                      : list.insert(above.begin(), above.end());
      }
    }
    return list;
  }
  // By node, then by feature: 1 where there may be a weight.
  Vector mask(const FullProblem& full) const {
    const bool is_flat = std::ranges::all_of(full.attributes, [](const Vector& own) {
      return std::ranges::count_if(own, [](double value) { return value != 0; }) == 1;
    });
    const auto width = static_cast<std::size_t>(joint.data.features());
    Vector mask(static_cast<std::size_t>(joint.data.taxonomy().size()) * width, 0);
    for (NodeId node = 1; node < joint.data.taxonomy().size(); ++node) {
      auto list = list_of(node);
      for (const auto& all : features) {
        if (list_of(node).empty()) list.insert(all.begin(), all.end());
      }
      // A class that has no weights above it has the features of all its ancestors.
      for (const NodeId above : testing::with_ancestors(joint.data.taxonomy(), node)) {
        const auto more = is_flat ? list_of(above) : std::set<FeatureIndex>();
        list.insert(more.begin(), more.end());
      }
      for (const FeatureIndex f : list) mask[static_cast<std::size_t>(node) * width + static_cast<std::size_t>(f)] = 1;
    }
    return mask;
  }
};

ListCase list_case(int k) {
  ListCase c{testing::joint_case(k), {}, {}};
  c.tables = node_tables(c.joint.data);
  RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 21});
  for (std::size_t t = 0; t < c.tables.size(); ++t) {
    std::set<FeatureIndex> list{static_cast<FeatureIndex>(random.below(c.joint.data.features()))};
    for (FeatureIndex f = 0; f < c.joint.data.features(); ++f) {
      if (random.below(3) == 0) list.insert(f);
    }
    c.features.emplace_back(list.begin(), list.end());
  }
  return c;
}

template <class T>
Vector weights_by_node(const AttributeWeights<T>& weights, const JointData& data, const FullProblem& full) {
  const std::size_t width = full.x[0].size();
  Vector w(full.attributes[0].size() * width, 0);
  for (Index f = 0; f < weights.features(); ++f) {
    weights.for_each(f, [&](std::int32_t z, T value) {
      const auto node = static_cast<std::size_t>(data.problem.attributes.nodes[static_cast<std::size_t>(z)]);
      w[node * width + static_cast<std::size_t>(data.rows.features[static_cast<std::size_t>(f)])] =
          static_cast<double>(value);
    });
  }
  return w;
}

template <class Body>
void for_each_list_case(int count, Body&& body) {
  int cases = 0;
  int compared = 0;
  for (int k = 0; k < count; ++k) {
    const ListCase c = list_case(k);
    const FullProblem full = full_problem(c.joint);
    if (!testing::is_learnable(full) || c.input().chosen() != ChosenFeatures::kPerNode) continue;
    ++cases;
    compared += body(c, full) ? 1 : 0;
  }
  EXPECT_GT(cases, count / 2);
  EXPECT_GT(compared, cases * 8 / 10);
}

TEST(FeatureMask, TheSvmIsTheBestWithinTheLists) {
  for_each_list_case(60, [](const ListCase& c, const FullProblem& full) {
    constexpr double kCost = 0.7;
    Reference reference(full, kCost);
    const Vector mask = c.mask(full);
    for (auto& pair : reference.pairs) {
      for (std::size_t k = 0; k < mask.size(); ++k) pair.direction[k] *= mask[k];
    }
    const double best = reference.solve(1e-7);
    for (const JointSchedule schedule : {JointSchedule::kFast, JointSchedule::kPublished}) {
      Context ctx({.threads = 2});
      const JointData data = c.data(ctx);
      const FeatureMask lists = mask_of(data);
      LinearScores<double> scores(data.rows, data.problem.attributes.count, &lists);
      JointVariables variables;
      const Vector costs(full.x.size(), kCost);
      const JointSvmResult result = solve_joint_svm(data.problem, scores, costs, variables,
                                                    {.tolerance = 1e-7, .seed = 1, .schedule = schedule}, ctx);
      EXPECT_NEAR(result.primal, best, 1e-5 * std::max(1.0, best)) << c.joint.name;
      EXPECT_NEAR(result.dual, best, 1e-5 * std::max(1.0, best)) << c.joint.name;
      const Vector w = weights_by_node(scores.weights(), data, full);
      for (std::size_t k = 0; k < w.size(); ++k) EXPECT_EQ(w[k] * (1 - mask[k]), 0) << c.joint.name;
      EXPECT_NEAR(reference.primal(w), best, 1e-5 * std::max(1.0, best)) << c.joint.name;
    }
    return true;
  });
}

// Lists that have everything, through the mask: the same as without one.
TEST(FeatureMask, FullListsChangeNothing) {
  for_each_list_case(30, [](const ListCase& c, const FullProblem& /*full*/) {
    Context ctx({.threads = 1});
    JointData data = testing::joint_data_of(c.joint, ctx);
    LinearScores<double> plain(data.rows, data.problem.attributes.count);
    const OnlineOptions options{.epochs = 3, .is_averaged = true, .weight = {}};
    const OnlineResult first = learn_online(data.problem, plain, perceptron_rule(data.problem), 0, options, ctx);
    data.allowed.assign(static_cast<std::size_t>(data.problem.attributes.count), data.rows.features);
    const FeatureMask lists = mask_of(data);
    LinearScores<double> masked(data.rows, data.problem.attributes.count, &lists);
    const OnlineResult second = learn_online(data.problem, masked, perceptron_rule(data.problem), 0, options, ctx);
    EXPECT_EQ(first.updates, second.updates);
    for (Index f = 0; f < data.rows.width(); ++f) {
      std::vector<std::pair<std::int32_t, double>> a;
      std::vector<std::pair<std::int32_t, double>> b;
      plain.weights().for_each(f, [&](std::int32_t z, double value) { a.emplace_back(z, value); });
      masked.weights().for_each(f, [&](std::int32_t z, double value) { b.emplace_back(z, value); });
      EXPECT_EQ(a, b);
    }
    return true;
  });
}

// Perceptron and hieron written out, with every step multiplied by the mask.
struct MaskedLearner {
  MaskedLearner(const FullProblem& problem, Vector allowed)
      : full(problem), mask(std::move(allowed)), w(mask.size(), 0) {}

  Vector difference(std::size_t i, std::size_t own, std::size_t other) const {
    Vector d;
    for (std::size_t z = 0; z < full.attributes[0].size(); ++z) {
      for (const double x : full.x[i])
        d.push_back((full.attributes[own][z] - full.attributes[other][z]) * x * mask[d.size()]);
    }
    return d;
  }
  void visit(std::size_t i, bool is_hieron) {
    const std::size_t none = full.classes.size();
    std::size_t own = none;
    std::size_t other = none;
    double worst = is_hieron ? 1e-9 : -1e300;
    for (std::size_t y = 0; y < none; ++y) {
      for (std::size_t r = 0; r < none; ++r) {
        if (!full.has(i, y) || full.has(i, r)) continue;
        const Vector d = difference(i, y, r);
        double loss = is_hieron ? std::sqrt(full.loss[y][r]) : 0;
        for (std::size_t k = 0; k < w.size(); ++k) loss -= w[k] * d[k];
        if (loss <= worst + 1e-9) continue;
        worst = loss;
        own = y;
        other = r;
      }
    }
    if (own == none || worst < -1e-9) return;
    const Vector d = difference(i, own, other);
    double length = 0;
    for (const double v : d) length += v * v;
    if (is_hieron && length == 0) return;
    const bool is_zero = std::ranges::all_of(full.x[i], [](double x) { return x == 0; });
    if (is_zero) return;
    ++updates;
    const double size = is_hieron ? worst / length : full.loss[own][other];
    for (std::size_t k = 0; k < w.size(); ++k) w[k] += size * d[k];
  }

  const FullProblem& full;
  Vector mask;
  Vector w;
  Index updates = 0;
};

TEST(FeatureMask, StepsStayWithinTheLists) {
  for (const bool is_hieron : {false, true}) {
    for_each_list_case(80, [&](const ListCase& given, const FullProblem& /*full*/) {
      ListCase c = given;
      if (is_hieron) c.joint.hierarchy = {};
      Context ctx({.threads = 1});
      JointData data = c.data(ctx);
      FullProblem full = full_problem(c.joint);
      if (is_hieron) {
        std::ranges::fill(data.problem.attributes.value, 1.0);
        for (Vector& row : full.attributes) {
          for (double& value : row) value = value > 0 ? 1 : 0;
        }
      }
      const FeatureMask lists = mask_of(data);
      LinearScores<double> scores(data.rows, data.problem.attributes.count, &lists);
      const StepRule rule = is_hieron ? hieron_rule(data.problem, true) : perceptron_rule(data.problem);
      const OnlineResult result =
          learn_online(data.problem, scores, rule, 0, {.epochs = 1, .is_averaged = false, .weight = {}}, ctx);
      MaskedLearner plain(full, c.mask(full));
      for (std::size_t i = 0; i < full.x.size(); ++i) plain.visit(i, is_hieron);
      const Vector w = weights_by_node(scores.weights(), data, full);
      double difference = 0;
      for (std::size_t k = 0; k < w.size(); ++k) difference = std::max(difference, std::abs(w[k] - plain.w[k]));
      // Ties are decided by rounding now and then.
      if (result.updates != plain.updates || difference > 1e-9) return false;
      return true;
    });
  }
}

}  // namespace
}  // namespace clade
