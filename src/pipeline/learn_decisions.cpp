#include "pipeline/learn_decisions.h"

#include <clade/split.h>
#include <clade/summary.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "classify/decide/learn_thresholds.h"
#include "classify/node_scores.h"
#include "classify/predict.h"
#include "core/random.h"
#include "pipeline/learn_recipe.h"

namespace clade {
namespace {

constexpr Index kFewest = 50;           // samples from which thresholds are learnt unasked
constexpr Index kMostFolded = 2'000;    // samples that are all held out in turn
constexpr Index kMostHeldOut = 10'000;  // more say little more
constexpr Index kFewestHeldOut = 100;
constexpr Index kMostHeldOutScores = 20'000'000;
constexpr double kHeldOutShare = 0.25;
constexpr int kFolds = 3;

// Which samples are held out together; each is learnt without once.
using HeldOutParts = std::vector<std::vector<Index>>;

// Places among the samples.
HeldOutParts held_out_parts(const Dataset& labelled, const DecideOptions& options, std::uint64_t seed) {
  const Index most = std::min(kMostHeldOut, kMostHeldOutScores / labelled.taxonomy().size());
  const int folds = options.folds > 0 ? options.folds : labelled.samples() <= kMostFolded ? kFolds : 1;
  HeldOutParts parts;
  if (folds > labelled.samples()) {
    throw usage_error(fmt::format("`decide-folds` {}: there are {} samples to learn from", folds, labelled.samples()),
                      fmt::format("expected at most {}", labelled.samples()));
  }
  if (folds > 1 && labelled.samples() <= std::max(most, kFewestHeldOut)) {
    const std::vector<int> fold = stratified_folds(labelled, folds, seed);
    parts.resize(static_cast<std::size_t>(folds));
    for (std::size_t s = 0; s < fold.size(); ++s)
      parts[static_cast<std::size_t>(fold[s])].push_back(static_cast<Index>(s));
    return parts;
  }
  const double share = std::min(kHeldOutShare, static_cast<double>(most) / static_cast<double>(labelled.samples()));
  parts.push_back(train_test_split(labelled, share, seed).test);
  return parts;
}

bool wants_thresholds(const ModelBody& model, const DecideOptions& options, Index samples, Context& ctx) {
  if (options.by == DecideBy::kOwn) return false;
  const bool is_asked = options.by != DecideBy::kAuto || options.measure != DecideFor::kHierarchicalF1;
  if (!model.is_multilabel) {
    if (is_asked || options.folds > 0) {
      ctx.info("`decide`, `decide-for` and `decide-folds` have no effect: every sample has one label");
    }
    return false;
  }
  if (is_asked) return samples >= 2 * kFolds;
  if (model.kind == ModelKind::kNodes || samples < kFewest) return false;
  if (kMostHeldOutScores / model.taxonomy->size() >= kFewestHeldOut) return true;
  ctx.info(
      fmt::format("label sets are decided in the classifier's own way: thresholds would need scores at {} nodes "
                  "(`decide` one learns them)",
                  model.taxonomy->size()));
  return false;
}

// What models of the other samples say of those held out, part after part, in the columns of the labels.
struct HeldOutAnswers {
  Matrix scores;
  std::vector<std::vector<std::int32_t>> sets;  // decided in the models' own way; with all columns above
};

// The columns of the labels and of all nodes above them, ascending.
std::vector<std::int32_t> closed_columns(const Taxonomy& taxonomy, std::span<const NodeId> labels,
                                         const std::vector<NodeId>& nodes) {
  std::vector<std::int32_t> columns;
  const auto add = [&](NodeId node) {
    const auto found = std::ranges::lower_bound(nodes, node);
    if (found != nodes.end() && *found == node) columns.push_back(static_cast<std::int32_t>(found - nodes.begin()));
  };
  for (const NodeId label : labels) {
    add(label);
    for (const NodeId above : taxonomy.ancestors(label)) add(above);
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

HeldOutAnswers answers_held_out(const Dataset& data, const std::vector<Index>& samples, const Recipe& recipe,
                                const std::vector<double>& weights, const HeldOutParts& parts,
                                const std::vector<NodeId>& nodes, Context& ctx) {
  Index rows = 0;
  for (const auto& part : parts) rows += std::ssize(part);
  HeldOutAnswers answers{Matrix(rows, std::ssize(nodes)), {}};
  Index row = 0;
  for (const std::vector<Index>& part : parts) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    std::vector<double> own_weights;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      if (std::ranges::binary_search(part, static_cast<Index>(k))) {
        inside.push_back(samples[k]);
        continue;
      }
      outside.push_back(samples[k]);
      if (!weights.empty()) own_weights.push_back(weights[k]);
    }
    const auto [features, model, spared] = learn_recipe(data, outside, recipe, std::move(own_weights), ctx);
    const Dataset held_out = features.subset(inside);
    const NodeScores found = node_scores(model, held_out, Consistency::kDescendants, ctx);
    const Predictions sets = predict(model, held_out, {}, ctx);
    for (Index s = 0; s < found.samples(); ++s, ++row) {
      answers.sets.push_back(closed_columns(data.taxonomy(), sets.labels_of(s), nodes));
      for (std::size_t c = 0; c < nodes.size(); ++c) {
        answers.scores(row, static_cast<Index>(c)) = found.of(s)[static_cast<std::size_t>(nodes[c])];
      }
    }
  }
  return answers;
}

std::string_view measure_text(const DecideOptions& options) {
  switch (options.measure) {
    case DecideFor::kHierarchicalF1:
      return "hierarchical F1";
    case DecideFor::kSampleF1:
      return "mean F1 of samples";
    case DecideFor::kLabelF1:
      return "F1 of labels";
    case DecideFor::kRecall:
      return "recall";
  }
  return {};
}

std::string thresholds_text(const LearntThresholds& learnt) {
  if (learnt.by == DecideBy::kOwn) return "decided in the classifier's own way";
  if (learnt.mix.trust == 0) return "the same for every sample: scores were no better than frequencies of nodes";
  std::string text = "thresholds per node";
  if (learnt.by == DecideBy::kOne) text = fmt::format("threshold {:.3g}", learnt.threshold.front());
  if (learnt.by == DecideBy::kLevel) text = "thresholds per level";
  return text + fmt::format(" of {:g} x score + {:g} x frequency", learnt.mix.trust, 1 - learnt.mix.trust);
}

std::string value_text(double value) {
  return value < 0 ? "precision not reached" : fmt::format("{:.3f}", value);
}

void add_summary(ModelBody& model, const LearntThresholds& learnt, const DecideOptions& options,
                 const HeldOutParts& parts, Index held_out) {
  model.summary.emplace_back("label sets", thresholds_text(learnt));
  model.summary.emplace_back(
      fmt::format("held-out {}", measure_text(options)),
      fmt::format("{}, {} by frequencies alone; {} samples, by {}", value_text(learnt.value),
                  value_text(learnt.prior_value), held_out,
                  parts.size() == 1 ? "1 model more" : fmt::format("{} models more", parts.size())));
}

}  // namespace

void learn_label_decisions(ModelBody& model, const Dataset& data, const std::vector<Index>& samples,
                           const Recipe& recipe, const std::vector<double>& weights, Context& ctx) {
  std::vector<Index> counting;
  std::vector<double> own_weights;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (!weights.empty() && weights[k] == 0) continue;
    counting.push_back(samples[k]);
    if (!weights.empty()) own_weights.push_back(weights[k]);
  }
  if (!wants_thresholds(model, recipe.decide, std::ssize(counting), ctx)) return;
  const auto start = std::chrono::steady_clock::now();
  const Dataset labelled = data.subset(counting);
  const HeldOutParts parts = held_out_parts(labelled, recipe.decide, ctx.seed());
  // Of very many classes, each with few samples, hardly any sample can be held out: nothing could be learnt from these.
  const bool is_asked = recipe.decide.by != DecideBy::kAuto || recipe.decide.measure != DecideFor::kHierarchicalF1 ||
                        recipe.decide.folds > 0;
  if (!is_asked && labelled.samples() > kMostFolded && std::ssize(parts[0]) < kFewestHeldOut) return;
  const ClosedLabels labels = closed_labels(labelled, own_weights);
  Recipe own_way = recipe;
  own_way.decide.by = DecideBy::kOwn;
  HeldOutAnswers answers = answers_held_out(data, counting, own_way, own_weights, parts, labels.nodes, ctx);

  std::vector<Index> order;
  for (const auto& part : parts) order.insert(order.end(), part.begin(), part.end());
  std::vector<Index> rows(order.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  RandomStream(ctx.seed(), {kSplitStream, order.size()}).shuffle(std::span<Index>(rows));
  std::vector<Index> shuffled;
  PositivePairs own;
  for (const Index row : rows) {
    shuffled.push_back(order[static_cast<std::size_t>(row)]);
    if (recipe.decide.by != DecideBy::kAuto) continue;
    const auto& set = answers.sets[static_cast<std::size_t>(row)];
    own.columns.insert(own.columns.end(), set.begin(), set.end());
    own.offsets.push_back(std::ssize(own.columns));
  }
  Matrix scores = answers.scores(rows, Eigen::all);
  answers.scores.resize(0, 0);

  const LearntThresholds learnt = learn_thresholds(
      {labelled.taxonomy(), labels_of(labels, shuffled), std::move(scores), std::move(own)}, recipe.decide, ctx);
  add_summary(model, learnt, recipe.decide, parts, std::ssize(order));
  if (learnt.value < 0) {
    ctx.info(
        fmt::format("`least-precision` {:g} was not reached on held-out samples: the label sets are those that come "
                    "nearest to it",
                    recipe.decide.least_precision));
  }
  model.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (learnt.by == DecideBy::kOwn) return;
  const auto size = static_cast<std::size_t>(model.taxonomy->size());
  constexpr double kNever = 2;
  auto mix = std::make_shared<LabelDecisions>(learnt.mix);
  mix->frequency.assign(size, 0);
  model.node_threshold.assign(size, kNever);
  for (std::size_t c = 0; c < labels.nodes.size(); ++c) {
    const auto node = static_cast<std::size_t>(labels.nodes[c]);
    mix->frequency[node] = labels.frequency[c];
    model.node_threshold[node] = learnt.threshold[c];
  }
  model.decisions = std::move(mix);
}

}  // namespace clade
