#include "experiment/diagnose/trials.h"

#include <clade/paired.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "evaluate/statistics/distributions.h"
#include "pipeline/learning_plan.h"
#include "pipeline/other_taxonomy.h"

namespace clade {
namespace {

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The labels and all nodes above them, without the root.
std::set<NodeId> with_ancestors(std::span<const NodeId> labels, const Taxonomy& taxonomy) {
  std::set<NodeId> nodes(labels.begin(), labels.end());
  for (const NodeId label : labels) {
    for (const NodeId above : taxonomy.ancestors(label)) nodes.insert(above);
  }
  nodes.erase(taxonomy.root());
  return nodes;
}

double f1_of(std::span<const NodeId> truth, std::span<const NodeId> found, const Taxonomy& taxonomy) {
  const std::set<NodeId> a = with_ancestors(truth, taxonomy);
  const std::set<NodeId> b = with_ancestors(found, taxonomy);
  const auto common = std::ranges::count_if(a, [&](NodeId node) { return b.contains(node); });
  return a.empty() && b.empty() ? 1 : 2 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

// The mean of differences, and the standard error of that mean.
struct MeanDifference {
  double mean = 0;
  double error = 0;
};

MeanDifference difference_of(const std::vector<double>& now, const std::vector<double>& before,
                             std::span<const Index> samples) {
  const auto n = static_cast<double>(samples.size());
  if (samples.empty()) return {};
  const auto difference = [&](Index s) {
    return now[static_cast<std::size_t>(s)] - before[static_cast<std::size_t>(s)];
  };
  double sum = 0;
  for (const Index s : samples) sum += difference(s);
  const double mean = sum / n;
  double squares = 0;
  for (const Index s : samples) squares += (difference(s) - mean) * (difference(s) - mean);
  return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

}  // namespace

double TrialAnswers::accuracy() const {
  return mean_of(right);
}

double TrialAnswers::hierarchical_f1() const {
  return mean_of(f1);
}

TrialAnswers answers_over(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                          const TaxonomySource& source, Context& ctx) {
  LearningPlan plan{recipe};
  if (source) {
    plan.relabel = [&](const Dataset& all, const std::vector<Index>& training, double&, Context& inner) {
      return relabelled_by_name(all, source(all, training, inner));
    };
  }
  const CrossValidation found = cross_validate(data, plan, folds, {}, {}, ctx, false);
  const Predictions& predictions = found.decided.samples() > 0 ? found.decided : found.predictions;
  TrialAnswers answers;
  answers.has_several_labels = has_several_labels(data);
  for (Index s = 0; s < data.samples(); ++s) {
    std::vector<NodeId> labels(predictions.labels_of(s).begin(), predictions.labels_of(s).end());
    std::ranges::sort(labels);
    answers.right.push_back(std::ranges::equal(labels, data.labels(s)) ? 1 : 0);
    answers.f1.push_back(f1_of(data.labels(s), labels, data.taxonomy()));
    answers.labels.push_back(std::move(labels));
  }
  return answers;
}

PairedGain paired_gain(const TrialAnswers& now, const TrialAnswers& before, std::span<const Index> samples) {
  PairedGain gain;
  gain.samples = std::ssize(samples);
  const MeanDifference accuracy = difference_of(now.right, before.right, samples);
  const MeanDifference f1 = difference_of(now.f1, before.f1, samples);
  gain.accuracy = accuracy.mean;
  gain.accuracy_error = accuracy.error;
  gain.hierarchical_f1 = f1.mean;
  gain.hierarchical_f1_error = f1.error;
  for (const Index s : samples) {
    const double difference = now.right[static_cast<std::size_t>(s)] - before.right[static_cast<std::size_t>(s)];
    gain.only_new += difference > 0 ? 1 : 0;
    gain.only_old += difference < 0 ? 1 : 0;
  }
  if (!now.has_several_labels) {
    gain.p = mcnemar_test(gain.only_new, gain.only_old).p;
  } else if (f1.error > 0) {
    gain.p = 2 * normal_above(std::abs(f1.mean) / f1.error);
  }
  return gain;
}

PairedGain paired_gain(const TrialAnswers& now, const TrialAnswers& before) {
  std::vector<Index> all(now.right.size());
  std::iota(all.begin(), all.end(), Index{0});
  return paired_gain(now, before, all);
}

}  // namespace clade
