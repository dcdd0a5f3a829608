#pragma once

#include <clade/parameters.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "classify/classifier.h"
#include "classify/joint/joint_svm.h"
#include "classify/joint/joint_training.h"
#include "data/random_data.h"

// Small random joint problems, and the same written out in full: no attribute weights, no sparse rows, nothing of the
// solvers.
namespace clade::testing {

struct JointCase {
  Dataset data;
  HierarchyOptions hierarchy;
  std::string name;
};

// Trees and DAGs, one or several labels, all attributes and losses, by the number.
inline JointCase joint_case(int k) {
  RandomDataOptions options;
  options.samples = 6 + k % 9;
  options.features = 2 + k % 4;
  options.nodes = 5 + k % 6;
  options.dag = k % 2 == 1;
  options.several_labels = k / 2 % 2 == 1;
  options.sparse = k / 4 % 2 == 1;
  options.density = 0.8;
  options.seed = static_cast<std::uint64_t>(1000 + k);
  HierarchyOptions hierarchy;
  hierarchy.attributes = std::vector{AttributeChoice::kPath, AttributeChoice::kPathNormalised,
                                     AttributeChoice::kFlat}[static_cast<std::size_t>(k / 3 % 3)];
  hierarchy.loss = std::vector{ClassLossChoice::kTree, ClassLossChoice::kTreeNormalised, ClassLossChoice::kZeroOne,
                               ClassLossChoice::kWeighted}[static_cast<std::size_t>(k / 5 % 4)];
  hierarchy.missed_cost = 0.7;
  hierarchy.extra_cost = 1.3;
  return {random_dataset(options), hierarchy, "case " + std::to_string(k)};
}

inline std::set<NodeId> with_ancestors(const Taxonomy& taxonomy, NodeId node) {
  const auto above = taxonomy.ancestors(node);
  std::set<NodeId> all(above.begin(), above.end());
  all.insert(node);
  return all;
}

// The problem in full, from the definitions.
struct FullProblem {
  std::vector<NodeId> classes;
  std::vector<std::vector<double>> attributes;  // classes x nodes of the taxonomy
  std::vector<std::vector<double>> loss;        // classes x classes
  std::vector<std::vector<double>> x;           // samples x features, of length 1
  std::vector<std::vector<std::size_t>> own;    // classes of each sample

  bool has(std::size_t i, std::size_t y) const { return std::find(own[i].begin(), own[i].end(), y) != own[i].end(); }
};

inline FullProblem full_problem(const JointCase& c) {
  const Taxonomy& taxonomy = c.data.taxonomy();
  FullProblem full;
  std::set<NodeId> seen;
  for (Index s = 0; s < c.data.samples(); ++s) seen.insert(c.data.labels(s).begin(), c.data.labels(s).end());
  full.classes.assign(seen.begin(), seen.end());
  std::size_t depth = 0;
  for (const NodeId y : full.classes) depth = std::max(depth, with_ancestors(taxonomy, y).size() - 1);
  for (const NodeId y : full.classes) {
    std::vector<double> row(static_cast<std::size_t>(taxonomy.size()), 0);
    for (const NodeId z : with_ancestors(taxonomy, y)) {
      const bool is_shared = std::all_of(full.classes.begin(), full.classes.end(),
                                         [&](NodeId other) { return with_ancestors(taxonomy, other).contains(z); });
      const double own_depth = static_cast<double>(with_ancestors(taxonomy, y).size() - 1);
      switch (c.hierarchy.attributes) {
        case AttributeChoice::kPath:
          row[static_cast<std::size_t>(z)] = is_shared ? 0 : 1 / std::sqrt(static_cast<double>(depth));
          break;
        case AttributeChoice::kPathNormalised:
          row[static_cast<std::size_t>(z)] = is_shared ? 0 : 1 / std::sqrt(own_depth);
          break;
        case AttributeChoice::kFlat:
          row[static_cast<std::size_t>(z)] = z == y ? 1 : 0;
          break;
      }
    }
    full.attributes.push_back(row);
    auto& losses = full.loss.emplace_back();
    for (const NodeId r : full.classes) {
      double missed = 0;
      double extra = 0;
      const auto above_y = with_ancestors(taxonomy, y);
      const auto above_r = with_ancestors(taxonomy, r);
      for (const NodeId z : above_y) missed += above_r.contains(z) ? 0 : 1;
      for (const NodeId z : above_r) extra += above_y.contains(z) ? 0 : 1;
      switch (c.hierarchy.loss) {
        case ClassLossChoice::kTree:
          losses.push_back((missed + extra) / 2);
          break;
        case ClassLossChoice::kTreeNormalised:
          losses.push_back(0.5 * (missed / static_cast<double>(above_y.size() - 1) +
                                  extra / static_cast<double>(above_r.size() - 1)));
          break;
        case ClassLossChoice::kZeroOne:
          losses.push_back(y == r ? 0 : 1);
          break;
        case ClassLossChoice::kWeighted:
          losses.push_back(0.7 * missed + 1.3 * extra);
          break;
      }
    }
  }
  for (Index s = 0; s < c.data.samples(); ++s) {
    std::vector<double> x(static_cast<std::size_t>(c.data.features()), 0);
    double square = 0;
    for (const auto& [f, v] : values_of(c.data, s)) {
      x[static_cast<std::size_t>(f)] = v;
      square += v * v;
    }
    for (double& v : x) v = square > 0 ? v / std::sqrt(square) : 0;
    full.x.push_back(x);
    auto& own = full.own.emplace_back();
    for (const NodeId label : c.data.labels(s)) {
      own.push_back(
          static_cast<std::size_t>(std::find(full.classes.begin(), full.classes.end(), label) - full.classes.begin()));
    }
  }
  return full;
}

// Can a joint classifier learn it? Two classes at least, and no sample that has all of them.
inline bool is_learnable(const FullProblem& full) {
  return full.classes.size() > 1 && std::all_of(full.own.begin(), full.own.end(),
                                                [&](const auto& own) { return own.size() < full.classes.size(); });
}

inline JointData joint_data_of(const JointCase& c, Context& ctx) {
  const std::vector<NodeTable> tables = node_tables(c.data);
  const TrainingInput input{c.data, tables, {}, {}};
  JointSettings settings{.hierarchy = c.hierarchy};
  settings.joint.classes = ClassChoice::kSeen;
  return joint_data(input, settings, ctx);
}

}  // namespace clade::testing
