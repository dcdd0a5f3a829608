#include "classify/local/level_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "classify/path_scores.h"
#include "core/parallel.h"
#include "core/random.h"

namespace clade {

HeldOutScores::HeldOutScores(Index rows, Index one_of, std::vector<std::size_t> level, std::uint64_t seed)
    : level_(std::move(level)), samples_(static_cast<std::size_t>(rows)) {
  constexpr Index kMost = 4000;
  constexpr Index kMostScores = 20'000'000;
  const auto outputs = std::ssize(level_);
  std::iota(samples_.begin(), samples_.end(), 0);
  RandomStream(seed, {kSubsampleStream, 1}).shuffle(std::span(samples_));
  const Index taken =
      std::min({kMost, std::max<Index>(1, kMostScores / std::max<Index>(1, outputs)), (rows + one_of - 1) / one_of});
  samples_.resize(static_cast<std::size_t>(taken));
  std::sort(samples_.begin(), samples_.end());
  place_.assign(static_cast<std::size_t>(rows), -1);
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    place_[static_cast<std::size_t>(samples_[k])] = static_cast<std::int32_t>(k);
  }
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

void HeldOutScores::set(Index o, std::span<const double> held_out) {
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    scores_[k * level_.size() + static_cast<std::size_t>(o)] = static_cast<float>(held_out[k]);
  }
}

void HeldOutScores::set(Index o, std::span<const double> with, std::span<const double> losses,
                        std::span<const double> without) {
  if (!without.empty()) {  // no estimate is needed, since the truth is known
    set(o, without);
    Fit& fit = fits_[static_cast<std::size_t>(o)];
    for (std::size_t k = 0; k < samples_.size(); ++k) {
      fit.product += losses[k] * (with[k] - without[k]);
      fit.square += losses[k] * losses[k];
    }
    return;
  }
  set(o, with);
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    losses_[k * level_.size() + static_cast<std::size_t>(o)] = static_cast<float>(losses[k]);
  }
}

void HeldOutScores::put(Index o, ByteWriter& bytes) const {
  for (const auto* const table : {&scores_, &losses_}) {
    for (auto at = static_cast<std::size_t>(o); at < table->size(); at += level_.size()) bytes.put((*table)[at]);
  }
  bytes.put(fits_[static_cast<std::size_t>(o)]);
}

void HeldOutScores::get(Index o, ByteReader& bytes) {
  for (auto* const table : {&scores_, &losses_}) {
    for (auto at = static_cast<std::size_t>(o); at < table->size(); at += level_.size()) bytes.get((*table)[at]);
  }
  bytes.get(fits_[static_cast<std::size_t>(o)]);
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
  losses_.clear();
}

std::vector<double> size_factors(std::span<const std::size_t> level, std::span<const double> samples, double power) {
  const auto size_of = [&](std::size_t o) { return samples[o] > 0 ? std::log(samples[o]) : 0; };
  const std::size_t levels = level.empty() ? 0 : *std::ranges::max_element(level) + 1;
  std::vector<double> sum(levels, 0);
  std::vector<double> count(levels, 0);
  for (std::size_t o = 0; o < level.size(); ++o) {
    sum[level[o]] += size_of(o);
    count[level[o]] += 1;
  }
  std::vector<double> factors(level.size());
  for (std::size_t o = 0; o < level.size(); ++o) {
    factors[o] = std::exp(power * (size_of(o) - sum[level[o]] / count[level[o]]));
  }
  return factors;
}

namespace {

class Search {
 public:
  Search(const HeldOutScores& scores, const std::vector<NodeId>& nodes, std::span<const std::size_t> level,
         std::span<const double> samples, const Dataset& data, Context& ctx)
      : scores_(scores),
        nodes_(nodes),
        level_(level),
        sizes_(samples),
        data_(data),
        taxonomy_(data.taxonomy()),
        ctx_(ctx) {
    flat_.assign(static_cast<std::size_t>(taxonomy_.longest_path()), 0);
    // If leaves lie on several levels: with all inner levels at 0 only the leaves themselves count, which is flat.
    for (std::size_t o = 0; o < nodes.size(); ++o) {
      if (taxonomy_.is_leaf(nodes[o])) flat_[level[o]] = 1;
    }
    equal_.assign(flat_.size(), 1);
    find_candidates();
  }

  PathWeights run(double power) const {
    const double first = std::isnan(power) ? 0 : power;
    PathWeights best = better(climb({flat_, first}, false), climb({equal_, first}, false));
    if (std::isnan(power)) best = with_power(std::move(best));
    best.quality = quality(best);
    const double largest = *std::ranges::max_element(best.levels);
    for (double& w : best.levels) w /= largest;
    return best;
  }

 private:
  // The given weights or, where that is clearly better, others with a power.
  PathWeights with_power(PathWeights best) const {
    constexpr double kUsual = -0.4;
    const PathWeights other = better(climb(best, true), climb({equal_, kUsual}, true));
    // On few samples the best of many powers is a little better by chance.
    constexpr double kMoreRight = 5;
    const double clear = kMoreRight / static_cast<double>(scores_.samples().size());
    return quality(other) > quality(best) + clear ? other : best;
  }

  // A leaf that a sample may be given.
  struct Candidate {
    std::int32_t place = 0;  // in the sample's nodes
    double common = 0;       // nodes on its path and that of the label
    double nodes = 0;        // of both paths
    double right = 0;
  };
  // A sample's candidates and all nodes above them, in id order, so that parents come first.
  struct Sample {
    std::vector<std::int32_t> outputs;
    std::vector<float> scores;
    std::vector<std::int32_t> parents_end;
    std::vector<std::int32_t> parents;  // places; -1: the root
    std::vector<Candidate> candidates;
  };

  PathWeights better(PathWeights a, PathWeights b) const { return quality(b) > quality(a) ? b : a; }

  PathWeights climb(PathWeights weights, bool moves_power) const {
    double now = quality(weights);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      bool has_moved = false;
      const auto move = [&](double& which, std::initializer_list<double> values) {
        double best = which;
        const double start = which;
        for (const double tried : values) {
          if (tried == start) continue;
          which = tried;
          if (std::ranges::all_of(weights.levels, [](double w) { return w == 0; })) continue;  // all scores equal
          const double then = quality(weights);
          if (then <= now) continue;
          now = then;
          best = tried;
          has_moved = true;
        }
        which = best;
      };
      for (double& level : weights.levels) move(level, {0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0});
      if (moves_power)
        move(weights.power, {0.2, 0.1, 0.05, 0.0, -0.05, -0.1, -0.15, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7});
      if (!has_moved) break;
    }
    return weights;
  }

  // Hierarchical F1 (micro, without the root) plus accuracy.
  double quality(const PathWeights& weights) const {
    struct Counts {
      double common = 0;
      double nodes = 0;  // of both paths
      double right = 0;
    };
    const std::vector<double> factors = size_factors(level_, sizes_, weights.power);
    const Counts counts = parallel_reduce(
        ctx_, std::ssize(samples_), 64, Counts{},
        [&](Index begin, Index end) {
          Counts part;
          std::vector<double> sums;
          for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
            const Candidate& best = best_of(samples_[k], weights.levels, factors, sums);
            part.common += best.common;
            part.nodes += best.nodes;
            part.right += best.right;
          }
          return part;
        },
        [](Counts& total, const Counts& part) {
          total.common += part.common;
          total.nodes += part.nodes;
          total.right += part.right;
        });
    return 2 * counts.common / counts.nodes + counts.right / static_cast<double>(samples_.size());
  }

  const Candidate& best_of(const Sample& sample, const std::vector<double>& levels, const std::vector<double>& factors,
                           std::vector<double>& sums) const {
    sums.resize(sample.outputs.size());
    std::int32_t parent = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double best = -std::numeric_limits<double>::infinity();
      for (; parent < sample.parents_end[i]; ++parent) {
        const std::int32_t place = sample.parents[static_cast<std::size_t>(parent)];
        best = std::max(best, place < 0 ? 0 : sums[static_cast<std::size_t>(place)]);
      }
      const auto o = static_cast<std::size_t>(sample.outputs[i]);
      sums[i] = best + levels[level_[o]] * (factors[o] * (double{sample.scores[i]} + 1) - 1);
    }
    const auto score = [&](const Candidate& c) { return sums[static_cast<std::size_t>(c.place)]; };
    return *std::ranges::max_element(sample.candidates, {}, score);
  }

  // The best leaves of every sample if only leaves count, or all levels alike, and with and without a power; and its
  // own labels.
  void find_candidates() {
    samples_.resize(scores_.samples().size());
    std::vector<std::int32_t> output_of(static_cast<std::size_t>(taxonomy_.size()), -1);
    for (std::size_t o = 0; o < nodes_.size(); ++o) {
      output_of[static_cast<std::size_t>(nodes_[o])] = static_cast<std::int32_t>(o);
    }
    constexpr double kPower = -0.5;
    const std::vector<double> strong = size_factors(level_, sizes_, kPower);
    parallel_for(ctx_, std::ssize(samples_), 16, [&](Index begin, Index end) {
      PathSums sums[] = {PathSums(taxonomy_, nodes_, flat_), PathSums(taxonomy_, nodes_, equal_)};
      std::vector<double> scaled(nodes_.size());
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        std::vector<NodeId> leaves;
        const auto add_best = [&](const std::vector<double>& scores) {
          constexpr std::size_t kBest = 5;
          std::vector<NodeId> best(std::min(kBest, sums[0].leaves().size()));
          const auto score = [&](NodeId leaf) { return scores[static_cast<std::size_t>(leaf)]; };
          std::ranges::partial_sort_copy(sums[0].leaves(), best, std::ranges::greater(), score, score);
          leaves.insert(leaves.end(), best.begin(), best.end());
        };
        const std::span<const float> own = scores_.of(k);
        for (std::size_t o = 0; o < own.size(); ++o) scaled[o] = strong[o] * (double{own[o]} + 1) - 1;
        for (PathSums& way : sums) {
          add_best(way.sums(own));
          add_best(way.sums(std::span<const double>(scaled)));
        }
        for (const NodeId label : data_.labels(scores_.samples()[k])) {
          if (taxonomy_.is_leaf(label)) leaves.push_back(label);
        }
        samples_[k] = sample_of(k, leaves, output_of);
      }
    });
  }

  // The node and all above it but the root, ascending.
  std::vector<NodeId> path(NodeId node) const {
    std::vector<NodeId> path = taxonomy_.ancestors(node);
    path.push_back(node);
    std::erase(path, taxonomy_.root());
    std::ranges::sort(path);
    return path;
  }

  Sample sample_of(std::size_t k, std::vector<NodeId>& leaves, const std::vector<std::int32_t>& output_of) const {
    const auto sort = [](std::vector<NodeId>& ids) {
      std::ranges::sort(ids);
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    };
    sort(leaves);
    std::vector<NodeId> all;
    std::vector<std::vector<NodeId>> paths;
    for (const NodeId leaf : leaves) {
      paths.push_back(path(leaf));
      all.insert(all.end(), paths.back().begin(), paths.back().end());
    }
    sort(all);
    const auto place = [&](NodeId node) {
      return static_cast<std::int32_t>(std::ranges::lower_bound(all, node) - all.begin());
    };
    Sample sample;
    for (const NodeId node : all) {
      const std::int32_t o = output_of[static_cast<std::size_t>(node)];
      sample.outputs.push_back(o);
      sample.scores.push_back(scores_.of(k)[static_cast<std::size_t>(o)]);
      for (const NodeId parent : taxonomy_.parents(node)) {
        sample.parents.push_back(parent == taxonomy_.root() ? -1 : place(parent));
      }
      sample.parents_end.push_back(static_cast<std::int32_t>(sample.parents.size()));
    }
    std::vector<std::vector<NodeId>> labels;
    for (const NodeId label : data_.labels(scores_.samples()[k])) labels.push_back(path(label));
    for (std::size_t c = 0; c < leaves.size(); ++c) {
      Candidate candidate{.place = place(leaves[c])};
      for (const std::vector<NodeId>& label : labels) {
        const double common = common_nodes(paths[c], label);
        if (&label != labels.data() && common <= candidate.common) continue;
        candidate.common = common;
        candidate.nodes = static_cast<double>(paths[c].size() + label.size());
        candidate.right = paths[c] == label ? 1 : 0;
      }
      sample.candidates.push_back(candidate);
    }
    return sample;
  }

  static double common_nodes(const std::vector<NodeId>& a, const std::vector<NodeId>& b) {
    double common = 0;
    auto other = b.begin();
    for (const NodeId node : a) {
      while (other != b.end() && *other < node) ++other;
      common += other != b.end() && *other == node ? 1 : 0;
    }
    return common;
  }

  const HeldOutScores& scores_;
  const std::vector<NodeId>& nodes_;
  std::span<const std::size_t> level_;
  std::span<const double> sizes_;
  const Dataset& data_;
  const Taxonomy& taxonomy_;
  Context& ctx_;
  std::vector<double> flat_;
  std::vector<double> equal_;
  std::vector<Sample> samples_;
};

}  // namespace

PathWeights learn_path_weights(const HeldOutScores& scores, const std::vector<NodeId>& nodes,
                               std::span<const std::size_t> level, std::span<const double> samples, double power,
                               const Dataset& data, Context& ctx) {
  return Search(scores, nodes, level, samples, data, ctx).run(power);
}

}  // namespace clade
