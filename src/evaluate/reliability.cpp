#include "evaluate/reliability.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.h"
#include "core/parallel.h"
#include "evaluate/outcome_facts.h"

namespace clade {
namespace {

constexpr std::size_t kBins = 15;
constexpr std::size_t kCoveragePoints = 20;
constexpr Index kSamplesPerChunk = 16384;

struct Bin {
  double samples = 0;
  double right = 0;
  double score = 0;

  void add(double p, bool is_true) {
    ++samples;
    right += is_true ? 1 : 0;
    score += p;
  }
  double gap() const { return samples > 0 ? std::abs(right - score) / samples : 0; }
};

// Bin k holds k/15 <= p < (k + 1)/15; the last one also holds 1.
std::size_t bin_of(double p) {
  return std::min(static_cast<std::size_t>(p * static_cast<double>(kBins)), kBins - 1);
}

double mean_gap(std::span<const Bin> bins, double samples) {
  double sum = 0;
  for (const Bin& bin : bins) sum += bin.samples / samples * bin.gap();
  return sum;
}

std::array<Bin, kBins> bins_of_equal_width(std::span<const FirstLabel> samples) {
  std::array<Bin, kBins> bins;
  for (const FirstLabel& sample : samples) bins[bin_of(sample.score)].add(sample.score, sample.is_right);
  return bins;
}

// Bins of equally many samples, as far as possible: equal scores stay together. `samples` ascend.
std::array<Bin, kBins> bins_of_equal_mass(std::span<const FirstLabel> samples) {
  std::array<Bin, kBins> bins;
  std::size_t bin = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (k == 0 || samples[k].score != samples[k - 1].score) bin = k * kBins / samples.size();
    bins[bin].add(samples[k].score, samples[k].is_right);
  }
  return bins;
}

// The samples that are answered: those with at least some score.
struct Answered {
  Index samples = 0;
  Index right = 0;
  Index true_nodes = 0;
  Index predicted_nodes = 0;
  Index common_nodes = 0;

  void add(const FirstLabel& sample) {
    ++samples;
    right += sample.is_right ? 1 : 0;
    true_nodes += sample.true_nodes;
    predicted_nodes += sample.predicted_nodes;
    common_nodes += sample.common_nodes;
  }
};

CoveragePoint coverage_point(double threshold, const Answered& answered, std::size_t samples) {
  const auto common = static_cast<double>(answered.common_nodes);
  const auto predicted = static_cast<double>(answered.predicted_nodes);
  const auto truth = static_cast<double>(answered.true_nodes);
  return {.threshold = threshold,
          .answered = answered.samples,
          .coverage = static_cast<double>(answered.samples) / static_cast<double>(samples),
          .accuracy = static_cast<double>(answered.right) / static_cast<double>(answered.samples),
          .hierarchical_f1 = harmonic_mean(share(common, predicted, truth), share(common, truth, predicted))};
}

// The sum, over every k from before.samples + 1 to after.samples, of the accuracy among the first k samples. The
// samples in between have the same score, so each is right with the same probability.
double accuracies_between(const Answered& before, const Answered& after) {
  const double rate = static_cast<double>(after.right - before.right) /  //
                      static_cast<double>(after.samples - before.samples);
  double sum = 0;
  for (Index k = before.samples + 1; k <= after.samples; ++k) {
    sum +=
        (static_cast<double>(before.right) + static_cast<double>(k - before.samples) * rate) / static_cast<double>(k);
  }
  return sum;
}

// From the most certain sample down; `samples` ascend.
void add_coverage(std::span<const FirstLabel> samples, Reliability& result) {
  Answered answered;
  double accuracies = 0;
  std::size_t points = 0;  // that should exist by now
  for (std::size_t k = samples.size(); k > 0;) {
    const Answered before = answered;
    const double score = samples[k - 1].score;
    for (; k > 0 && samples[k - 1].score == score; --k) answered.add(samples[k - 1]);
    accuracies += accuracies_between(before, answered);
    const std::size_t due = (samples.size() - k) * kCoveragePoints / samples.size();
    if (due > points) result.coverage.push_back(coverage_point(score, answered, samples.size()));
    points = due;
  }
  result.accuracy_coverage_area = accuracies / static_cast<double>(samples.size());
}

bool is_probability(double score) {
  return score >= 0 && score <= 1;
}

bool look_like_probabilities(const Predictions& predictions) {
  if (!std::ranges::all_of(predictions.scores, is_probability)) return false;
  for (Index s = 0; s < predictions.samples(); ++s) {
    const auto scores = predictions.scores_of(s);
    if (!scores.empty() && scores[0] > 0 && scores[0] < 1) return true;
  }
  return false;
}

void require_probabilities(const Dataset& data, const Predictions& predictions) {
  for (Index s = 0; s < data.samples(); ++s) {
    const auto scores = predictions.scores_of(s);
    if (data.labels(s).empty() || scores.empty() || is_probability(scores[0])) continue;
    throw usage_error(
        fmt::format("the first score of sample {} is {}, not a probability", data.sample_name(s), scores[0]),
        "expected scores from 0 to 1 with `probabilities` yes");
  }
}

bool are_probabilities(const Dataset& data, const Predictions& predictions, Probabilities choice) {
  if (choice == Probabilities::kAuto) return look_like_probabilities(predictions);
  if (choice == Probabilities::kYes) require_probabilities(data, predictions);
  return choice == Probabilities::kYes;
}

// Looks up how first labels fared; one per thread.
class FirstLabelReader {
 public:
  FirstLabelReader(const Outcomes& outcomes, const AncestorTable& table, bool count_root)
      : outcomes_(outcomes), table_(table), uncounted_(count_root ? 0 : 1) {}

  FirstLabel read(Index sample) {
    const auto truth = outcomes_.data.labels(sample);
    const NodeId first = outcomes_.predictions.labels_of(sample)[0];
    join_ancestors(table_, truth, true_nodes_);
    const auto predicted = table_.of(first);
    std::int32_t common = 0;
    auto at = true_nodes_.begin();
    for (const Ancestor& ancestor : predicted) {
      at = std::find_if(at, true_nodes_.end(), [&](NodeId node) { return node >= ancestor.node; });
      if (at != true_nodes_.end() && *at == ancestor.node) ++common;
    }
    return {.score = outcomes_.predictions.scores_of(sample)[0],
            .is_right = std::ranges::find(truth, first) != truth.end(),
            .true_nodes = static_cast<std::int32_t>(true_nodes_.size()) - uncounted_,
            .predicted_nodes = static_cast<std::int32_t>(predicted.size()) - uncounted_,
            .common_nodes = common - uncounted_};
  }

 private:
  const Outcomes& outcomes_;
  const AncestorTable& table_;
  std::int32_t uncounted_;
  std::vector<NodeId> true_nodes_;
};

std::vector<FirstLabel> first_labels(const Outcomes& outcomes, const AncestorTable& table, bool count_root,
                                     Context& ctx) {
  std::vector<Index> samples;
  for (Index s = 0; s < outcomes.data.samples(); ++s) {
    if (!outcomes.data.labels(s).empty()) samples.push_back(s);
  }
  std::vector<FirstLabel> result(samples.size());
  parallel_for(ctx, std::ssize(samples), kSamplesPerChunk, [&](Index begin, Index end) {
    FirstLabelReader reader(outcomes, table, count_root);
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      result[k] = reader.read(samples[k]);
    }
  });
  return result;
}

// The probabilities of nodes, in bins of equal width.
class NodeBins {
 public:
  void add(double p, bool is_true) { bins_[bin_of(p)].add(p, is_true); }
  std::optional<double> mean() const {
    double pairs = 0;
    for (const Bin& bin : bins_) pairs += bin.samples;
    return pairs > 0 ? std::optional(mean_gap(bins_, pairs)) : std::nullopt;
  }

 private:
  std::array<Bin, kBins> bins_;
};

}  // namespace

Reliability reliability_of(std::vector<FirstLabel> samples) {
  CLADE_CHECK(!samples.empty());
  std::ranges::sort(samples, {}, [](const FirstLabel& s) { return std::pair(s.score, s.is_right); });
  const auto count = static_cast<double>(samples.size());
  Reliability result;
  const auto by_width = bins_of_equal_width(samples);
  result.expected_calibration_error = mean_gap(by_width, count);
  for (const Bin& bin : by_width) {
    result.maximum_calibration_error = std::max(result.maximum_calibration_error, bin.gap());
    if (bin.samples == 0) continue;
    result.bins.push_back({static_cast<Index>(bin.samples), bin.score / bin.samples, bin.right / bin.samples});
  }
  result.adaptive_calibration_error = mean_gap(bins_of_equal_mass(samples), count);
  for (const FirstLabel& sample : samples) {
    const double error = sample.score - (sample.is_right ? 1 : 0);
    result.brier_score += error * error / count;
  }
  add_coverage(samples, result);
  return result;
}

std::optional<Reliability> measure_reliability(const Outcomes& outcomes, const AncestorTable& table,
                                               const EvaluateOptions& options, Context& ctx) {
  if (!are_probabilities(outcomes.data, outcomes.predictions, options.probabilities)) return std::nullopt;
  return reliability_of(first_labels(outcomes, table, options.count_root, ctx));
}

void add_node_errors(const Outcomes& outcomes, const AncestorTable& table, const NodeScoreRows& scores,
                     std::span<const NodeId> left_out, Reliability& result) {
  const NodeId size = outcomes.data.taxonomy().size();
  std::vector<char> counts(static_cast<std::size_t>(size), 1);
  for (const NodeId node : left_out) counts[static_cast<std::size_t>(node)] = 0;
  NodeBins predicted_bins;
  NodeBins all_bins;
  std::vector<NodeId> true_nodes;
  std::vector<NodeId> predicted_nodes;
  std::vector<char> is_true(counts.size(), 0);
  for (Index s = 0; s < outcomes.data.samples(); ++s) {
    const Index outcome = outcomes.of_sample(s);
    if (outcome < 0) continue;
    join_ancestors(table, outcomes.data.labels(s), true_nodes);
    join_ancestors(table, outcomes.predicted(outcome), predicted_nodes);
    for (const NodeId node : true_nodes) is_true[static_cast<std::size_t>(node)] = 1;
    // A node that the model does not know has no probability at all.
    const auto add = [&](NodeId node, NodeBins& bins) {
      const auto v = static_cast<std::size_t>(node);
      if (counts[v] != 0) bins.add(std::max(scores.of(s, node), 0.0), is_true[v] != 0);
    };
    for (const NodeId node : predicted_nodes) add(node, predicted_bins);
    for (NodeId node = 0; node < size; ++node) add(node, all_bins);
    for (const NodeId node : true_nodes) is_true[static_cast<std::size_t>(node)] = 0;
  }
  result.node_calibration_error = predicted_bins.mean();
  result.pair_calibration_error = all_bins.mean();
}

}  // namespace clade
