#pragma once

#include <clade/context.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/random_data.h"
#include "select/selector.h"

namespace clade {

std::unique_ptr<Selector> make_fisher(bool flat);
std::unique_ptr<Selector> make_fsnm(bool flat);
std::unique_ptr<Selector> make_mrmr(bool flat);

}  // namespace clade

// Random problems for filters, and what every filter must hold on them.
namespace clade::testing {

struct FilterCase {
  std::string name;
  RandomDataOptions options;
};

// Small enough for definitions, with everything that has gone wrong somewhere: trees and DAGs, tall and wide, sparse,
// single precision, several labels per sample; most have childless, one-child and empty nodes among their random ones.
inline std::vector<FilterCase> filter_cases() {
  std::vector<FilterCase> cases;
  std::uint64_t seed = 100;
  for (const bool dag : {false, true}) {
    for (const bool several : {false, true}) {
      for (const auto& [samples, features] : {std::pair<Index, Index>{90, 12}, {25, 60}, {9, 5}}) {
        for (const auto& [sparse, single] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
          const double density = sparse ? 0.1 : 0.9;  // below and above the share at which sparse products pay
          const RandomDataOptions o{.samples = samples,
                                    .features = features,
                                    .nodes = 14,
                                    .dag = dag,
                                    .several_labels = several,
                                    .sparse = sparse,
                                    .single_precision = single,
                                    .density = density,
                                    .seed = ++seed};
          cases.push_back({"seed " + std::to_string(seed), o});
        }
      }
    }
  }
  return cases;
}

// Random data with a column that is constant (if dense, and not a binary fraction) and one that repeats another.
inline Dataset with_odd_columns(const RandomDataOptions& options) {
  auto parts = random_parts(options);
  std::visit(
      [&](auto& m) {
        if constexpr (!requires { m.indices; }) {
          for (Index r = 0; r < m.rows; ++r) {
            m.values[r * m.columns + 1] = static_cast<std::remove_cvref_t<decltype(m.values[0])>>(0.1);
            m.values[r * m.columns + 3] = m.values[r * m.columns + 2];
          }
        }
      },
      parts.features);
  return Dataset(std::move(parts));
}

// Parameters by name and text, as the command line gives them.
using Settings = std::vector<std::pair<std::string, std::string>>;
using MakeFilter = std::unique_ptr<Selector> (*)(bool flat);

inline FeatureRanking run_filter(MakeFilter make, const Dataset& data, bool flat, const Settings& settings = {},
                                 int threads = 2, Index top = 0) {
  const auto selector = make(flat);
  auto parameters = selector->parameters();
  for (const auto& [name, value] : settings) parameters.set(name, value);
  const auto tables = node_tables(data);
  const auto internal = data.taxonomy().internal_nodes();
  Context ctx({.threads = threads});
  return selector->select({.data = data, .tables = tables, .nodes = {internal.begin(), internal.end()}, .top = top},
                          ctx);
}

// A sub-table by its definition: values and 0/1 labels as plain matrices, a column per child that has samples.
struct PlainTable {
  Eigen::MatrixXd x;
  Eigen::MatrixXd y;
};

inline PlainTable plain_table(const Dataset& data, NodeId node) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<NodeId> classes;
  if (node == kNoNode) {
    classes.assign(taxonomy.leaves().begin(), taxonomy.leaves().end());
  } else {
    classes.assign(taxonomy.children(node).begin(), taxonomy.children(node).end());
  }
  std::sort(classes.begin(), classes.end());
  std::vector<Index> rows;
  std::vector<std::vector<double>> labels;
  for (Index s = 0; s < data.samples(); ++s) {
    std::vector<double> of;
    for (const NodeId child : classes) {
      const auto in = [&](NodeId label) { return label == child || taxonomy.is_ancestor(child, label); };
      of.push_back(std::ranges::any_of(data.labels(s), in) ? 1 : 0);
    }
    if (std::ranges::count(of, 1.0) == 0) continue;
    rows.push_back(s);
    labels.push_back(of);
  }
  PlainTable table{Eigen::MatrixXd::Zero(std::ssize(rows), data.features()), {}};
  Eigen::MatrixXd y(std::ssize(rows), std::ssize(classes));
  for (Index r = 0; r < std::ssize(rows); ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (const auto& [feature, value] : values_of(data, rows[row])) table.x(r, feature) = value;
    for (Index c = 0; c < y.cols(); ++c) y(r, c) = labels[row][static_cast<std::size_t>(c)];
  }
  std::vector<Index> kept;
  for (Index c = 0; c < y.cols(); ++c) {
    if (y.col(c).sum() > 0) kept.push_back(c);
  }
  table.y.resize(y.rows(), std::ssize(kept));
  for (std::size_t k = 0; k < kept.size(); ++k) table.y.col(static_cast<Index>(k)) = y.col(kept[k]);
  return table;
}

// Weights by feature instead of by rank.
inline Eigen::VectorXd weights_by_feature(const NodeRanking& node) {
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(std::ssize(node.ranking));
  for (std::size_t k = 0; k < node.ranking.size(); ++k) weights[node.ranking[k]] = node.weight[k];
  return weights;
}

inline void expect_ranking_of_all_features(const NodeRanking& node, Index features) {
  auto sorted = node.ranking;
  std::ranges::sort(sorted);
  ASSERT_EQ(std::ssize(sorted), features);
  ASSERT_EQ(node.weight.size(), node.ranking.size());
  for (Index j = 0; j < features; ++j) ASSERT_EQ(sorted[static_cast<std::size_t>(j)], j);
}

inline void expect_descending_with_ties_by_index(const NodeRanking& node) {
  for (std::size_t k = 1; k < node.ranking.size(); ++k) {
    const bool falls = node.weight[k - 1] > node.weight[k];
    ASSERT_TRUE(falls || (node.weight[k - 1] == node.weight[k] && node.ranking[k - 1] < node.ranking[k]));
  }
}

inline void expect_same_for_any_number_of_threads(MakeFilter make, const Settings& settings = {}, Index top = 0) {
  auto cases = filter_cases();
  // Large enough for several chunks, tiles and blocks inside a node.
  cases.push_back({"tall", {.samples = 1500, .features = 300, .nodes = 8, .density = 0.7, .seed = 7}});
  cases.push_back({"wide", {.samples = 300, .features = 1400, .nodes = 4, .density = 0.7, .seed = 8}});
  cases.push_back(
      {"wide, sparse", {.samples = 300, .features = 1400, .nodes = 4, .sparse = true, .density = 0.05, .seed = 9}});
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Dataset data = random_dataset(c.options);
    for (const bool flat : {false, true}) {
      const auto one = run_filter(make, data, flat, settings, 1, top);
      for (const int threads : {2, 3}) {
        const auto several = run_filter(make, data, flat, settings, threads, top);
        ASSERT_EQ(one.nodes.size(), several.nodes.size());
        ASSERT_EQ(one.objective, several.objective);
        ASSERT_EQ(one.notes, several.notes);
        for (std::size_t k = 0; k < one.nodes.size(); ++k) {
          ASSERT_EQ(one.nodes[k].ranking, several.nodes[k].ranking);
          ASSERT_EQ(one.nodes[k].weight, several.nodes[k].weight);
        }
      }
    }
  }
}

// Calls check(table by definition, ranking) for every node with samples of every case, tree and flat.
inline void for_each_filter_result(
    MakeFilter make, const Settings& settings, Index top,
    const std::function<void(const Dataset&, const PlainTable&, const NodeRanking&)>& check) {
  for (const auto& c : filter_cases()) {
    SCOPED_TRACE(c.name);
    const Dataset data = with_odd_columns(c.options);
    for (const bool flat : {false, true}) {
      const auto result = run_filter(make, data, flat, settings, 2, top);
      ASSERT_EQ(std::ssize(result.nodes), flat ? 1 : std::ssize(data.taxonomy().internal_nodes()));
      for (const NodeRanking& node : result.nodes) {
        expect_ranking_of_all_features(node, data.features());
        const PlainTable table = plain_table(data, node.node);
        ASSERT_EQ(node.samples, table.x.rows());
        ASSERT_EQ(node.children, table.y.cols());
        if (node.samples > 0) check(data, table, node);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace clade::testing
