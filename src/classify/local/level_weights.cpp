#include "classify/local/level_weights.h"

#include <algorithm>
#include <numeric>

#include "classify/path_scores.h"
#include "core/parallel.h"
#include "core/random.h"

namespace clade {

HeldOutScores::HeldOutScores(Index rows, std::vector<std::size_t> level, std::span<const double> weight,
                             std::uint64_t seed)
    : level_(std::move(level)), samples_(static_cast<std::size_t>(rows)) {
  constexpr Index kMost = 4000;
  constexpr Index kMostScores = 20'000'000;
  constexpr Index kOneOf = 6;
  const auto outputs = std::ssize(level_);
  std::iota(samples_.begin(), samples_.end(), 0);
  RandomStream(seed, {kSubsampleStream, 1}).shuffle(std::span(samples_));
  const Index taken =
      std::min({kMost, std::max<Index>(1, kMostScores / std::max<Index>(1, outputs)), (rows + kOneOf - 1) / kOneOf});
  samples_.resize(static_cast<std::size_t>(taken));
  std::sort(samples_.begin(), samples_.end());
  weight_.assign(static_cast<std::size_t>(rows), 1);
  if (!weight.empty()) weight_.assign(weight.begin(), weight.end());
  for (const Index s : samples_) weight_[static_cast<std::size_t>(s)] = 0;
  scores_.resize(samples_.size() * level_.size());
  losses_.resize(scores_.size());
  fits_.resize(level_.size());
  // All outputs if they are few, else some of each level, spread evenly.
  constexpr std::size_t kFew = 128;
  const std::size_t measured_per_level = level_.size() <= kFew ? kFew : 20;
  is_measured_.assign(level_.size(), 0);
  const std::size_t levels = level_.empty() ? 0 : *std::max_element(level_.begin(), level_.end()) + 1;
  for (std::size_t l = 0; l < levels; ++l) {
    std::vector<std::size_t> of_level;
    for (std::size_t o = 0; o < level_.size(); ++o) {
      if (level_[o] == l) of_level.push_back(o);
    }
    const std::size_t count = std::min(measured_per_level, of_level.size());
    for (std::size_t k = 0; k < count; ++k) is_measured_[of_level[k * of_level.size() / count]] = 1;
  }
}

void HeldOutScores::set(Index o, const TrainingRows& rows, const HingeResult& solution, const HingeResult* without,
                        std::span<const std::int8_t> sign, double bias) {
  const auto at = static_cast<std::size_t>(o);
  const auto decision = [](const HingeResult& of, std::span<const std::int32_t> columns,
                           std::span<const double> values) {
    double sum = of.bias;
    for (std::size_t e = 0; e < columns.size(); ++e) sum += values[e] * of.w[static_cast<std::size_t>(columns[e])];
    return sum;
  };
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const auto s = static_cast<std::size_t>(samples_[k]);
    const auto columns = rows.columns_of(samples_[k]);
    const auto values = rows.values_of(samples_[k]);
    double square = bias * bias;
    for (const double value : values) square += value * value;
    const double with = decision(solution, columns, values);
    const double loss = solution.alpha[s] * sign[s] * square;
    scores_[k * level_.size() + at] = static_cast<float>(with);
    losses_[k * level_.size() + at] = static_cast<float>(loss);
    if (without == nullptr) continue;
    const double held_out = decision(*without, columns, values);
    fits_[at].product += loss * (with - held_out);
    fits_[at].square += loss * loss;
    scores_[k * level_.size() + at] = static_cast<float>(held_out);
    losses_[k * level_.size() + at] = 0;  // no estimate is needed, since the truth is known
  }
}

void HeldOutScores::finish() {
  std::vector<Fit> of_level(level_.empty() ? 0 : *std::max_element(level_.begin(), level_.end()) + 1);
  for (std::size_t o = 0; o < level_.size(); ++o) {
    of_level[level_[o]].product += fits_[o].product;
    of_level[level_[o]].square += fits_[o].square;
  }
  std::vector<float> factor(level_.size());
  for (std::size_t o = 0; o < level_.size(); ++o) {
    const Fit& fit = of_level[level_[o]];
    factor[o] = static_cast<float>(fit.square > 0 ? std::clamp(fit.product / fit.square, 0.0, 1.0) : 1);
  }
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    for (std::size_t o = 0; o < level_.size(); ++o) {
      scores_[k * level_.size() + o] -= factor[o] * losses_[k * level_.size() + o];
    }
  }
}

namespace {

class Search {
 public:
  Search(const HeldOutScores& scores, const std::vector<NodeId>& nodes, const Dataset& data, Context& ctx)
      : scores_(scores), nodes_(nodes), data_(data), taxonomy_(data.taxonomy()), ctx_(ctx) {
    levels_ = static_cast<std::size_t>(taxonomy_.longest_path());
    paths_.resize(static_cast<std::size_t>(taxonomy_.size()));
    for (const NodeId node : nodes) {
      if (!taxonomy_.is_leaf(node)) continue;
      std::vector<NodeId>& path = paths_[static_cast<std::size_t>(node)];
      path = taxonomy_.ancestors(node);
      path.pop_back();  // the root
      std::ranges::reverse(path);
      path.push_back(node);
    }
  }

  std::vector<double> run() {
    // If leaves lie on several levels: with all inner levels at 0 only the leaves themselves count, which is flat.
    std::vector<double> flat(levels_, 0);
    for (const NodeId node : nodes_) {
      if (taxonomy_.is_leaf(node)) flat[static_cast<std::size_t>(taxonomy_.depth(node)) - 1] = 1;
    }
    const std::vector<double> equal(levels_, 1);
    std::vector<double> best = climb(flat);
    const std::vector<double> other = climb(equal);
    if (quality(other) > quality(best)) best = other;
    const double largest = *std::max_element(best.begin(), best.end());
    for (double& w : best) w /= largest;
    return best;
  }

 private:
  std::vector<double> climb(std::vector<double> weights) {
    double now = quality(weights);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      bool has_moved = false;
      for (std::size_t level = 0; level < levels_; ++level) {
        const double start = weights[level];
        double best = start;
        for (const double tried : {0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0}) {
          if (tried == start) continue;
          weights[level] = tried;
          if (std::ranges::all_of(weights, [](double w) { return w == 0; })) continue;  // all scores equal
          const double then = quality(weights);
          if (then <= now) continue;
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

  // Hierarchical F1 (micro, without the root) plus accuracy.
  double quality(const std::vector<double>& weights) const {
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
          PathSums paths(taxonomy_, nodes_, weights);
          for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
            const std::vector<double>& sums = paths.sums(scores_.of(k));
            const auto score = [&](NodeId leaf) { return sums[static_cast<std::size_t>(leaf)]; };
            const NodeId predicted = *std::ranges::max_element(paths.leaves(), {}, score);
            const auto common = [&](NodeId label) { return common_nodes(predicted, label); };
            const NodeId label = *std::ranges::max_element(data_.labels(scores_.samples()[k]), {}, common);
            part.common += common(label);
            part.nodes += static_cast<double>(path(predicted).size() + path(label).size());
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
    return 2 * counts.common / counts.nodes + counts.right / counts.samples;
  }

  // The node and its ancestors except the root, ascending.
  const std::vector<NodeId>& path(NodeId leaf) const { return paths_[static_cast<std::size_t>(leaf)]; }
  double common_nodes(NodeId a, NodeId b) const {
    double common = 0;
    auto other = path(b).begin();
    for (const NodeId node : path(a)) {
      while (other != path(b).end() && *other < node) ++other;
      common += other != path(b).end() && *other == node ? 1 : 0;
    }
    return common;
  }

  const HeldOutScores& scores_;
  const std::vector<NodeId>& nodes_;
  const Dataset& data_;
  const Taxonomy& taxonomy_;
  Context& ctx_;
  std::size_t levels_ = 0;
  std::vector<std::vector<NodeId>> paths_;  // of leaves
};

}  // namespace

std::vector<double> learn_level_weights(const HeldOutScores& scores, const std::vector<NodeId>& nodes,
                                        const Dataset& data, Context& ctx) {
  return Search(scores, nodes, data, ctx).run();
}

}  // namespace clade
