#pragma once

#include <clade/evaluate.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evaluate/random_outcomes.h"
#include "taxonomy/brute_force.h"

// The measures straight from their definitions, on sets of nodes as bits of a word, as slowly as it gets.
namespace clade::testing {

class Definitions {
 public:
  using Set = BruteForce::Set;

  explicit Definitions(const Case& c)
      : brute_(c.hierarchy, c.taxonomy), nodes_(static_cast<std::size_t>(c.taxonomy.size())) {
    // Floyd and Warshall, along undirected edges and along edges upwards.
    constexpr int kFar = 1000;
    distance_.assign(nodes_, std::vector<int>(nodes_, kFar));
    up_ = distance_;
    for (std::size_t v = 0; v < nodes_; ++v) {
      distance_[v][v] = up_[v][v] = 0;
      for (const NodeId p : BruteForce::ascending(brute_.parents(v))) {
        const auto u = static_cast<std::size_t>(p);
        distance_[v][u] = distance_[u][v] = up_[v][u] = 1;
      }
    }
    for (std::size_t k = 0; k < nodes_; ++k) {
      for (std::size_t i = 0; i < nodes_; ++i) {
        for (std::size_t j = 0; j < nodes_; ++j) {
          distance_[i][j] = std::min(distance_[i][j], distance_[i][k] + distance_[k][j]);
          up_[i][j] = std::min(up_[i][j], up_[i][k] + up_[k][j]);
        }
      }
    }
    depth_.assign(nodes_, 0);
    for (std::size_t v = 0; v < nodes_; ++v) depth_[v] = static_cast<int>(std::bit_width(brute_.path_lengths(v))) - 1;
  }

  const BruteForce& brute() const { return brute_; }

  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }
  Set aug(NodeId node) const { return brute_.above(at(node)) | BruteForce::bit(at(node)); }
  Set aug(const std::vector<NodeId>& nodes) const {
    Set all = 0;
    for (const NodeId node : nodes) all |= aug(node);
    return all;
  }
  int distance(NodeId a, NodeId b) const { return distance_[at(a)][at(b)]; }
  int largest() const {
    int most = 0;
    for (const auto& row : distance_) most = std::max(most, *std::max_element(row.begin(), row.end()));
    return most;
  }
  double loss(NodeId a, NodeId b) const { return std::popcount(aug(a) ^ aug(b)) / 2.0; }

  double tie(const std::vector<NodeId>& truth, const std::vector<NodeId>& predicted) const {
    const auto nearest = [&](const std::vector<NodeId>& from, const std::vector<NodeId>& to) {
      double sum = 0;
      for (const NodeId a : from) {
        int best = std::numeric_limits<int>::max();
        for (const NodeId b : to) best = std::min(best, distance(a, b));
        sum += best;
      }
      return sum / static_cast<double>(from.size());
    };
    return (nearest(truth, predicted) + nearest(predicted, truth)) / 2;
  }

  double level_agreement(const std::vector<NodeId>& truth, const std::vector<NodeId>& predicted) const {
    std::map<int, std::pair<Set, Set>> levels;
    for (const NodeId v : BruteForce::ascending(aug(truth))) levels[depth_[at(v)]].first |= BruteForce::bit(at(v));
    for (const NodeId v : BruteForce::ascending(aug(predicted))) levels[depth_[at(v)]].second |= BruteForce::bit(at(v));
    levels.erase(0);
    if (levels.empty()) return 1;
    double agree = 0;
    for (const auto& [level, sets] : levels) agree += sets.first == sets.second ? 1 : 0;
    return agree / static_cast<double>(levels.size());
  }

  struct Lca {
    double p, r, f;
  };
  Lca lca(const std::vector<NodeId>& truth, const std::vector<NodeId>& predicted) const {
    std::vector<Set> allowed;  // connectors of each label
    Set all = 0;
    const auto add = [&](const std::vector<NodeId>& labels, const std::vector<NodeId>& others) {
      for (const NodeId a : labels) {
        int nearest = std::numeric_limits<int>::max();
        for (const NodeId b : others) nearest = std::min(nearest, join_length(a, b));
        Set connectors = 0;
        for (const NodeId b : others) {
          if (join_length(a, b) == nearest) connectors |= joins(a, b);
        }
        allowed.push_back(connectors);
        all |= connectors;
      }
    };
    add(truth, predicted);
    add(predicted, truth);
    Lca best{};
    std::vector<Index> best_key;
    for (Set chosen = all; chosen != 0; chosen = (chosen - 1) & all) {
      if (std::any_of(allowed.begin(), allowed.end(), [&](Set a) { return (a & chosen) == 0; })) continue;
      const Set t = graph(truth, {allowed.begin(), allowed.begin() + std::ssize(truth)}, chosen);
      const Set p = graph(predicted, {allowed.begin() + std::ssize(truth), allowed.end()}, chosen);
      std::vector<Index> key{std::popcount(t) + std::popcount(p), std::popcount(chosen)};
      for (const NodeId v : BruteForce::ascending(chosen)) key.push_back(-v);  // larger ids first
      if (!best_key.empty() && key >= best_key) continue;
      best_key = key;
      const double common = std::popcount(t & p);
      best = {common / std::popcount(p), common / std::popcount(t), 0};
      best.f = 2 * best.p * best.r / (best.p + best.r);
    }
    return best;
  }

 private:
  Set joins(NodeId a, NodeId b) const {
    Set best = 0;
    for (const NodeId c : BruteForce::ascending(brute_.lowest_common_ancestors(at(a), at(b)))) {
      if (up_[at(a)][at(c)] + up_[at(b)][at(c)] == join_length(a, b)) best |= BruteForce::bit(at(c));
    }
    return best;
  }
  int join_length(NodeId a, NodeId b) const {
    int best = std::numeric_limits<int>::max();
    for (const NodeId c : BruteForce::ascending(brute_.lowest_common_ancestors(at(a), at(b)))) {
      best = std::min(best, up_[at(a)][at(c)] + up_[at(b)][at(c)]);
    }
    return best;
  }
  Set graph(const std::vector<NodeId>& labels, const std::vector<Set>& allowed, Set chosen) const {
    Set nodes = chosen;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      NodeId nearest = kNoNode;
      for (const NodeId c : BruteForce::ascending(allowed[k] & chosen)) {
        if (nearest == kNoNode || up_[at(labels[k])][at(c)] <= up_[at(labels[k])][at(nearest)]) nearest = c;
      }
      nodes |= path(labels[k], nearest);
    }
    return nodes;
  }
  // From the connector down, always to the child with the smallest id that is on a shortest way to the label.
  Set path(NodeId label, NodeId connector) const {
    Set nodes = BruteForce::bit(at(connector));
    while (connector != label) {
      for (const NodeId child : BruteForce::ascending(brute_.children(at(connector)))) {
        if (up_[at(label)][at(child)] + 1 != up_[at(label)][at(connector)]) continue;
        connector = child;
        break;
      }
      nodes |= BruteForce::bit(at(connector));
    }
    return nodes;
  }

  BruteForce brute_;
  std::size_t nodes_;
  std::vector<std::vector<int>> distance_;
  std::vector<std::vector<int>> up_;
  std::vector<int> depth_;
};

// All measures that apply to a case whose predicted sets are given; costs and volumes are those of weighted_loss.
inline std::map<std::string, double> measures_by_definition(const Case& c, const std::vector<std::vector<NodeId>>& sets,
                                                            Average average, bool count_root, bool ranked,
                                                            double missed = 1, double extra = 1,
                                                            const std::vector<double>& volumes = {}) {
  const Definitions defs(c);
  using Set = Definitions::Set;
  std::map<std::string, double> sums;
  const auto samples = static_cast<double>(c.data.samples());
  double true_nodes = 0;
  double predicted_nodes = 0;
  double common_nodes = 0;
  double decisions = 0;
  double right_decisions = 0;
  std::set<std::string> too_short;  // measures that look further than some list goes
  std::map<NodeId, std::array<double, 3>> per_node;
  std::set<NodeId> classes(c.taxonomy.leaves().begin(), c.taxonomy.leaves().end());
  classes.insert(c.predictions.labels.begin(), c.predictions.labels.end());
  for (Index s = 0; s < c.data.samples(); ++s) {
    const auto labels = c.data.labels(s);
    classes.insert(labels.begin(), labels.end());
  }
  const Set root = count_root ? 0 : BruteForce::bit(0);
  for (Index s = 0; s < c.data.samples(); ++s) {
    const std::vector<NodeId> truth(c.data.labels(s).begin(), c.data.labels(s).end());
    const std::vector<NodeId>& predicted = sets[static_cast<std::size_t>(s)];
    const Set t = defs.aug(truth) & ~root;
    const Set p = defs.aug(predicted) & ~root;
    const double nt = std::popcount(t);
    const double np = std::popcount(p);
    const double nc = std::popcount(t & p);
    true_nodes += nt;
    predicted_nodes += np;
    common_nodes += nc;
    const double precision = np > 0 ? nc / np : (nt > 0 ? 0 : 1);
    const double recall = nt > 0 ? nc / nt : (np > 0 ? 0 : 1);
    sums["sample_precision"] += precision;
    sums["sample_recall"] += recall;
    sums["sample_f1"] += precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
    for (const NodeId v : BruteForce::ascending(t)) per_node[v][0] += 1;
    for (const NodeId v : BruteForce::ascending(p)) per_node[v][1] += 1;
    for (const NodeId v : BruteForce::ascending(t & p)) per_node[v][2] += 1;

    sums["accuracy"] += truth == predicted ? 1 : 0;
    sums["tie"] += defs.tie(truth, predicted);
    const auto lca = defs.lca(truth, predicted);
    sums["p_lca"] += lca.p;
    sums["r_lca"] += lca.r;
    sums["f_lca"] += lca.f;
    sums["hierarchical_accuracy"] += defs.level_agreement(truth, predicted);
    sums["symmetric_loss"] += std::popcount(defs.aug(truth) ^ defs.aug(predicted));
    const auto volume = [&](Set nodes) {
      double sum = 0;
      for (const NodeId v : BruteForce::ascending(nodes)) sum += volumes.empty() ? 1 : volumes[Definitions::at(v)];
      return sum;
    };
    sums["weighted_loss"] += missed * volume(defs.aug(truth) & ~defs.aug(predicted)) +
                             extra * volume(defs.aug(predicted) & ~defs.aug(truth));
    for (const NodeId v : BruteForce::ascending(defs.aug(truth) & defs.aug(predicted))) {
      const Set below = defs.brute().children(Definitions::at(v));
      if (below == 0) continue;
      ++decisions;
      if ((defs.aug(truth) & below) == (defs.aug(predicted) & below)) ++right_decisions;
    }
    for (const Index depth : {1, 3, 5, 10}) {
      const auto list = c.predictions.labels_of(s);
      double found = 0;
      for (std::size_t k = 0; k < std::min(list.size(), static_cast<std::size_t>(depth)); ++k) {
        found += std::find(truth.begin(), truth.end(), list[k]) != truth.end() ? 1 : 0;
      }
      const std::string name = depth == 10 ? "k" : std::to_string(depth);
      sums["precision_at_" + name] += found / static_cast<double>(depth);
      sums["recall_at_" + name] += found / static_cast<double>(truth.size());
      if (std::ssize(list) >= depth && std::ssize(c.predictions.labels) > c.data.samples()) continue;
      too_short.insert("precision_at_" + name);
      too_short.insert("recall_at_" + name);
    }

    const NodeId first = c.predictions.labels_of(s)[0];
    const bool right = std::find(truth.begin(), truth.end(), first) != truth.end();
    sums["one_accuracy"] += right ? 1 : 0;
    double top = 0;
    bool parent = right;
    for (const NodeId y : truth) {
      top = std::max(top, right ? 0 : defs.loss(y, first));
      parent = parent || (defs.brute().parents(Definitions::at(y)) & defs.brute().parents(Definitions::at(first))) != 0;
    }
    sums["top_loss"] += top;
    sums["parent_accuracy"] += parent ? 1 : 0;

    if (!ranked) continue;
    std::map<NodeId, double> score;
    for (const NodeId label : classes) score[label] = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < c.predictions.labels_of(s).size(); ++k) {
      score[c.predictions.labels_of(s)[k]] = c.predictions.scores_of(s)[k];
    }
    const std::set<NodeId> positive(truth.begin(), truth.end());
    double precision_sum = 0;
    double misordered = 0;
    double worst = 0;
    double furthest = 0;
    for (const NodeId y : truth) {
      double above = 0;
      double positive_above = 0;
      for (const auto& [label, value] : score) {
        if (value < score[y]) continue;
        ++above;
        if (positive.contains(label)) {
          ++positive_above;
        } else {
          ++misordered;
          worst = std::max(worst, defs.loss(y, label));
          sums["summed_ranking_loss"] += std::popcount(defs.aug(y) ^ defs.aug(label));
        }
      }
      precision_sum += positive_above / above;
      furthest = std::max(furthest, above);
    }
    sums["summed_ranking_loss"] += 0;
    sums["coverage_error"] += furthest;
    const auto positives = static_cast<double>(truth.size());
    const double negatives = static_cast<double>(classes.size()) - positives;
    sums["average_precision"] += precision_sum / positives;
    sums["ranking_loss"] += negatives > 0 ? misordered / (positives * negatives) : 0;
    sums["maximal_loss"] += worst;
  }
  std::map<std::string, double> values;
  for (const auto& [name, sum] : sums) {
    if (!too_short.contains(name)) values[name] = sum / samples;
  }
  values["decision_accuracy"] = decisions > 0 ? right_decisions / decisions : 1;
  values["tie_normalized"] = defs.largest() > 0 ? values["tie"] / defs.largest() : 0;
  double& precision = values["hierarchical_precision"];
  double& recall = values["hierarchical_recall"];
  double& f1 = values["hierarchical_f1"];
  if (average == Average::kMicro) {
    precision = predicted_nodes > 0 ? common_nodes / predicted_nodes : (true_nodes > 0 ? 0 : 1);
    recall = true_nodes > 0 ? common_nodes / true_nodes : (predicted_nodes > 0 ? 0 : 1);
    f1 = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
  } else if (average == Average::kSamples) {
    precision = values["sample_precision"];
    recall = values["sample_recall"];
    f1 = values["sample_f1"];
  } else {
    for (const auto& [node, n] : per_node) {
      const double np = n[1] > 0 ? n[2] / n[1] : 0;
      const double nr = n[0] > 0 ? n[2] / n[0] : 0;
      const auto count = static_cast<double>(per_node.size());
      precision += np / count;
      recall += nr / count;
      f1 += (np + nr > 0 ? 2 * np * nr / (np + nr) : 0) / count;
    }
    if (per_node.empty()) precision = recall = f1 = 1;
  }
  return values;
}

}  // namespace clade::testing
