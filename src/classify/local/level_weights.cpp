#include "classify/local/level_weights.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"

namespace clade {

HeldOutScores::HeldOutScores(const TrainingRows& rows, Index outputs, std::span<const double> weight,
                             std::uint64_t seed)
    : rows_(rows), outputs_(outputs), samples_(static_cast<std::size_t>(rows.rows())) {
  constexpr Index kMost = 4000;
  constexpr Index kOneOf = 6;
  std::iota(samples_.begin(), samples_.end(), 0);
  RandomStream(seed, {kSubsampleStream, 1}).shuffle(std::span(samples_));
  samples_.resize(static_cast<std::size_t>(std::min(kMost, (rows.rows() + kOneOf - 1) / kOneOf)));
  std::sort(samples_.begin(), samples_.end());
  weight_.assign(static_cast<std::size_t>(rows.rows()), 1);
  if (!weight.empty()) weight_.assign(weight.begin(), weight.end());
  for (const Index s : samples_) weight_[static_cast<std::size_t>(s)] = 0;
  scores_.resize(samples_.size() * static_cast<std::size_t>(outputs));
}

void HeldOutScores::set(Index o, const HingeResult& solution) {
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const auto columns = rows_.columns_of(samples_[k]);
    const auto values = rows_.values_of(samples_[k]);
    double sum = solution.bias;
    for (std::size_t e = 0; e < columns.size(); ++e) {
      sum += values[e] * solution.w[static_cast<std::size_t>(columns[e])];
    }
    scores_[k * static_cast<std::size_t>(outputs_) + static_cast<std::size_t>(o)] = static_cast<float>(sum);
  }
}

namespace {

struct Quality {
  double f1 = 0;
  double accuracy = 0;
  bool is_better_than(const Quality& other) const {
    constexpr double kNoise = 1e-9;
    return f1 > other.f1 + kNoise || (f1 > other.f1 - kNoise && accuracy > other.accuracy + kNoise);
  }
};

class Search {
 public:
  Search(const HeldOutScores& scores, const std::vector<NodeId>& nodes, const Dataset& data, Context& ctx)
      : scores_(scores), nodes_(nodes), data_(data), taxonomy_(data.taxonomy()), ctx_(ctx) {
    levels_ = static_cast<std::size_t>(taxonomy_.longest_path());
  }

  std::vector<double> run() {
    // Leaves lie on several levels: only the leaves themselves count where all inner levels weigh 0, which is flat.
    std::vector<double> flat(levels_, 0);
    for (const NodeId node : nodes_) {
      if (taxonomy_.is_leaf(node)) flat[static_cast<std::size_t>(taxonomy_.depth(node)) - 1] = 1;
    }
    const std::vector<double> equal(levels_, 1);
    std::vector<double> best = climb(flat);
    const std::vector<double> other = climb(equal);
    if (quality(other).is_better_than(quality(best))) best = other;
    const double largest = *std::max_element(best.begin(), best.end());
    for (double& w : best) w /= largest;
    return best;
  }

 private:
  std::vector<double> climb(std::vector<double> weights) {
    Quality now = quality(weights);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      bool has_moved = false;
      for (std::size_t level = 0; level < levels_; ++level) {
        const double start = weights[level];
        double best = start;
        for (const double tried : {0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0}) {
          if (tried == start) continue;
          weights[level] = tried;
          const Quality then = quality(weights);
          if (!then.is_better_than(now)) continue;
          now = then;
          best = tried;
          has_moved = true;
        }
        weights[level] = best;
      }
      if (!has_moved) break;
    }
    return weights;
  }

  Quality quality(const std::vector<double>& weights) const {
    struct Counts {
      double common = 0;
      double nodes = 0;  // of both paths
      double right = 0;
      double samples = 0;
    };
    const Counts counts = parallel_reduce(
        ctx_, std::ssize(scores_.samples()), 64, Counts{},
        [&](Index begin, Index end) {
          Counts part;
          std::vector<double> sums(static_cast<std::size_t>(taxonomy_.size()));
          for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
            const NodeId predicted = best_leaf(scores_.of(k), weights, sums);
            const auto labels = data_.labels(scores_.samples()[k]);
            const NodeId label = *std::max_element(labels.begin(), labels.end(), [&](NodeId a, NodeId b) {
              return common_nodes(predicted, a) < common_nodes(predicted, b);
            });
            part.common += common_nodes(predicted, label);
            part.nodes += path_nodes(predicted) + path_nodes(label);
            part.right += predicted == label ? 1 : 0;
            part.samples += 1;
          }
          return part;
        },
        [](Counts& total, const Counts& part) {
          total.common += part.common;
          total.nodes += part.nodes;
          total.right += part.right;
          total.samples += part.samples;
        });
    return {2 * counts.common / counts.nodes, counts.right / counts.samples};
  }

  NodeId best_leaf(std::span<const float> outputs, const std::vector<double>& weights,
                   std::vector<double>& sums) const {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    std::fill(sums.begin(), sums.end(), kNever);
    sums[0] = 0;
    NodeId best = kNoNode;
    for (std::size_t o = 0; o < nodes_.size(); ++o) {
      const NodeId node = nodes_[o];
      double above = kNever;
      for (const NodeId parent : taxonomy_.parents(node))
        above = std::max(above, sums[static_cast<std::size_t>(parent)]);
      const double weight = weights[static_cast<std::size_t>(taxonomy_.depth(node)) - 1];
      sums[static_cast<std::size_t>(node)] = above + weight * static_cast<double>(outputs[o]);
      if (!taxonomy_.is_leaf(node)) continue;
      if (best == kNoNode || sums[static_cast<std::size_t>(node)] > sums[static_cast<std::size_t>(best)]) best = node;
    }
    return best;
  }

  double path_nodes(NodeId node) const { return static_cast<double>(taxonomy_.ancestors(node).size()); }
  double common_nodes(NodeId a, NodeId b) const {
    if (a == b) return path_nodes(a);
    double common = -1;  // the root does not count
    for (const NodeId above : taxonomy_.ancestors(a)) common += taxonomy_.is_ancestor(above, b) ? 1 : 0;
    return common;
  }

  const HeldOutScores& scores_;
  const std::vector<NodeId>& nodes_;
  const Dataset& data_;
  const Taxonomy& taxonomy_;
  Context& ctx_;
  std::size_t levels_ = 0;
};

}  // namespace

std::vector<double> learn_level_weights(const HeldOutScores& scores, const std::vector<NodeId>& nodes,
                                        const Dataset& data, Context& ctx) {
  return Search(scores, nodes, data, ctx).run();
}

}  // namespace clade
