#include "classify/conformal.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "classify/node_cover.h"
#include "classify/node_scores.h"
#include "core/check.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr Index kAnswersPerTask = 64;

// The smallest number in single precision that is not below the value.
float rounded_up(double value) {
  const auto rounded = static_cast<float>(value);
  return rounded < value ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

bool covers_all(const Taxonomy& taxonomy, std::span<const NodeId> nodes, std::span<const NodeId> labels) {
  return std::ranges::all_of(labels, [&](NodeId label) { return covers(taxonomy, nodes, label); });
}

// What is at or above each of a sample's labels, so that covering them is looked up: in a DAG it takes a search.
class TrueNodes {
 public:
  TrueNodes(const Taxonomy& taxonomy, std::span<const NodeId> labels) {
    for (const NodeId label : labels) {
      auto& own = above_.emplace_back(static_cast<std::size_t>(taxonomy.size()), 0);
      own[static_cast<std::size_t>(label)] = 1;
      for (const NodeId node : taxonomy.ancestors(label)) own[static_cast<std::size_t>(node)] = 1;
    }
  }

  bool are_covered_by(std::span<const NodeId> nodes) const {
    return std::ranges::all_of(above_, [&](const std::vector<char>& own) {
      return std::ranges::any_of(nodes, [&](NodeId node) { return own[static_cast<std::size_t>(node)] != 0; });
    });
  }

  // The largest score of a node that is neither a label nor above one.
  double largest_other(std::span<const double> scores) const {
    double largest = 0;
    for (std::size_t node = 1; node < scores.size(); ++node) {
      if (std::ranges::none_of(above_, [&](const std::vector<char>& own) { return own[node] != 0; })) {
        largest = std::max(largest, scores[node]);
      }
    }
    return largest;
  }

 private:
  std::vector<std::vector<char>> above_;  // by label, then by node
};

// The fewest scores that have a finite threshold. A coverage such as 0.9 is not exact in binary, and must not cost one.
Index fewest_scores(double coverage) {
  return std::max<Index>(1, static_cast<Index>(std::ceil(coverage / (1 - coverage) * (1 - 1e-9))));
}

// Classes, by number, whose samples share a threshold: a class with enough samples has its own, and others are joined
// with those of the nearest node above (the first parent in a DAG) that has enough together. What is left at the root
// joins the smallest group.
std::vector<std::vector<std::size_t>> class_groups(const ConformalScores& scores, const Taxonomy& taxonomy,
                                                   Index enough) {
  const auto count_of = [&](const std::vector<std::size_t>& group) {
    Index count = 0;
    for (const std::size_t c : group) count += scores.class_offsets[c + 1] - scores.class_offsets[c];
    return count;
  };
  std::vector<std::vector<std::size_t>> waiting(static_cast<std::size_t>(taxonomy.size()));
  for (std::size_t c = 0; c < scores.classes.size(); ++c) {
    waiting[static_cast<std::size_t>(scores.classes[c])].push_back(c);
  }
  std::vector<std::vector<std::size_t>> groups;
  for (NodeId node = taxonomy.size() - 1; node >= 0; --node) {
    auto& own = waiting[static_cast<std::size_t>(node)];
    if (own.empty()) continue;
    if (count_of(own) >= enough) {
      groups.push_back(std::move(own));
      continue;
    }
    if (node == 0 && groups.empty()) groups.emplace_back();
    auto& into = node > 0 ? waiting[static_cast<std::size_t>(taxonomy.parents(node)[0])]
                          : *std::ranges::min_element(groups, {}, count_of);
    into.insert(into.end(), own.begin(), own.end());
  }
  return groups;
}

std::vector<CoverageRule::Class> class_thresholds(const ConformalScores& scores, const Taxonomy& taxonomy,
                                                  double coverage) {
  std::vector<CoverageRule::Class> classes;
  // Twice the fewest: with the fewest, the largest score of all would be the threshold.
  for (const auto& group : class_groups(scores, taxonomy, 2 * fewest_scores(coverage))) {
    std::vector<float> own;
    for (const std::size_t c : group) {
      own.insert(own.end(), scores.own.begin() + scores.class_offsets[c],
                 scores.own.begin() + scores.class_offsets[c + 1]);
    }
    std::ranges::sort(own);
    const double threshold = conformal_threshold(own, coverage);
    for (const std::size_t c : group) classes.push_back({scores.classes[c], threshold});
  }
  return classes;
}

// Covers every class that its own threshold does not exclude; the best one if all are excluded.
std::vector<NodeId> nodes_by_class(const CoverageRule& rule, std::span<const double> scores) {
  const auto score = [&](const CoverageRule::Class& one) { return scores[static_cast<std::size_t>(one.label)]; };
  std::vector<NodeId> possible;
  for (const CoverageRule::Class& one : rule.classes) {
    if (1 - score(one) <= one.threshold) possible.push_back(one.label);
  }
  if (possible.empty()) possible.push_back(std::ranges::max_element(rule.classes, {}, score)->label);
  return node_cover(rule.space, possible, rule.set_size);
}

std::vector<NodeId> complete_nodes(const CoverageRule& rule, std::span<const double> scores) {
  if (rule.threshold == kInfinite) return {rule.space.taxonomy.root()};
  if (!rule.classes.empty()) return nodes_by_class(rule, scores);
  Narrowing narrowing(rule.space, scores, rule.set_size);
  while (narrowing.next_mass() >= 0 && narrowing.next_mass() > rule.threshold) narrowing.go_on();
  return {narrowing.nodes().begin(), narrowing.nodes().end()};
}

// The most specific nodes above the threshold.
std::vector<NodeId> correct_nodes(const CoverageRule& rule, std::span<const double> scores) {
  const auto is_sure = [&](NodeId node) {
    return static_cast<std::size_t>(node) < scores.size() && scores[static_cast<std::size_t>(node)] > rule.threshold;
  };
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < static_cast<NodeId>(scores.size()); ++node) {
    if ((node == 0 || is_sure(node)) && std::ranges::none_of(rule.space.taxonomy.children(node), is_sure))
      nodes.push_back(node);
  }
  return nodes;
}

void check_coverage(const ConformalScores& scores, const CoverageOptions& options) {
  if (!(options.coverage > 0 && options.coverage < 1)) {
    throw usage_error(fmt::format("`coverage` {}", options.coverage), "expected a share above 0 and below 1");
  }
  if (options.set_size < 0 || options.set_size > kLargestSetSize) {
    throw usage_error(fmt::format("`set-size` {}", options.set_size), fmt::format("expected 1 to {}", kLargestSetSize));
  }
  if (scores.by_class() && options.guarantee == Guarantee::kCorrect) {
    throw usage_error("the model was calibrated by class, which guarantees answers that are complete",
                      "expected `guarantee` complete, or a model trained without `conformal-by-class`");
  }
}

Index set_size_of(const ConformalScores& scores, const CoverageOptions& options) {
  if (options.set_size > 0 || options.guarantee == Guarantee::kCorrect) return options.set_size;
  return scores.has_several_labels ? kLargestSetSize : 1;
}

}  // namespace

CalibrationScore calibration_score(const AnswerSpace& space, std::span<const double> node_scores,
                                   std::span<const NodeId> labels) {
  const TrueNodes truth(space.taxonomy, labels);
  CalibrationScore result;
  for (Index size = 1; size <= kLargestSetSize; ++size) {
    Narrowing narrowing(space, node_scores, size);
    while (narrowing.next_mass() >= 0) {
      narrowing.go_on();
      if (truth.are_covered_by(narrowing.nodes())) continue;
      result.complete[static_cast<std::size_t>(size - 1)] = rounded_up(narrowing.mass());
      break;
    }
  }
  if (!labels.empty()) result.own = rounded_up(1 - node_scores[static_cast<std::size_t>(labels[0])]);
  result.correct = rounded_up(truth.largest_other(node_scores));
  return result;
}

ConformalScores conformal_scores(ConformalOptions::Way way, const AnswerSpace& space,
                                 const std::vector<CalibrationScore>& scores, std::span<const NodeId> classes,
                                 std::vector<NodeId> all_classes) {
  ConformalScores result;
  result.way = way;
  result.has_several_labels = space.has_several_labels;
  result.own_share = space.own_share;
  result.samples = std::ssize(scores);
  if (!all_classes.empty()) {
    CLADE_CHECK(classes.size() == scores.size());
    std::vector<std::pair<NodeId, float>> ordered;
    for (std::size_t s = 0; s < scores.size(); ++s) ordered.emplace_back(classes[s], scores[s].own);
    std::ranges::sort(ordered);
    for (const auto& [label, score] : ordered) result.own.push_back(score);
    for (const NodeId label : all_classes) {
      const auto first = std::ranges::lower_bound(ordered, label, {}, &std::pair<NodeId, float>::first);
      result.class_offsets.push_back(first - ordered.begin());
    }
    result.class_offsets.push_back(result.samples);
    result.classes = std::move(all_classes);
    return result;
  }
  for (const CalibrationScore& score : scores) result.correct.push_back(score.correct);
  std::ranges::sort(result.correct);
  for (std::size_t size = 0; size < static_cast<std::size_t>(kLargestSetSize); ++size) {
    for (const CalibrationScore& score : scores) result.complete.push_back(score.complete[size]);
    std::sort(result.complete.end() - result.samples, result.complete.end());
  }
  return result;
}

double conformal_threshold(std::span<const float> scores, double coverage) {
  // As above.
  const double rank = std::ceil(static_cast<double>(scores.size() + 1) * (coverage - 1e-12));
  if (rank > static_cast<double>(scores.size())) return kInfinite;
  return scores[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

CoverageRule coverage_rule(const ModelBody& model, const CoverageOptions& options) {
  if (!model.conformal) {
    throw usage_error("the model has no calibration samples, which `coverage` needs",
                      "expected one trained with `conformal` cross or `conformal` split");
  }
  const ConformalScores& scores = *model.conformal;
  check_coverage(scores, options);
  CoverageRule rule{
      .space = {*model.taxonomy, scored_nodes(*model.taxonomy), scores.has_several_labels, scores.own_share},
      .guarantee = options.guarantee,
      .set_size = set_size_of(scores, options),
      .threshold = 0,
      .classes = {},
      .note = {}};
  if (scores.by_class()) {
    rule.classes = class_thresholds(scores, *model.taxonomy, options.coverage);
    rule.threshold = std::ranges::max(rule.classes, {}, &CoverageRule::Class::threshold).threshold;
  } else {
    const bool is_complete = options.guarantee == Guarantee::kComplete;
    rule.threshold = conformal_threshold(is_complete ? scores.complete_of(rule.set_size) : std::span(scores.correct),
                                         options.coverage);
  }
  if (rule.threshold == kInfinite) {
    rule.note = fmt::format(
        "`coverage` {} needs at least {} calibration samples, and the model has {}: every answer is the root",
        options.coverage, fewest_scores(options.coverage), scores.samples);
  }
  return rule;
}

std::vector<NodeId> covering_nodes(const CoverageRule& rule, std::span<const double> node_scores) {
  std::vector<NodeId> nodes =
      rule.guarantee == Guarantee::kComplete ? complete_nodes(rule, node_scores) : correct_nodes(rule, node_scores);
  std::ranges::sort(nodes, [&](NodeId a, NodeId b) {
    const double of_a = node_scores[static_cast<std::size_t>(a)];
    const double of_b = node_scores[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  // Fewer nodes are still correct; answers that are complete are small enough already.
  if (rule.set_size > 0) nodes.resize(std::min(nodes.size(), static_cast<std::size_t>(rule.set_size)));
  return nodes;
}

bool holds(Guarantee guarantee, const Taxonomy& taxonomy, std::span<const NodeId> answer,
           std::span<const NodeId> labels) {
  if (guarantee == Guarantee::kComplete) return covers_all(taxonomy, answer, labels);
  return std::ranges::all_of(answer, [&](NodeId node) {
    return std::ranges::any_of(labels, [&](NodeId label) { return covers(taxonomy, {&node, 1}, label); });
  });
}

Predictions predict_covering(const ModelBody& model, const Dataset& data, const CoverageRule& rule, Context& ctx) {
  const Index nodes = scored_nodes(*model.taxonomy);
  constexpr Index kScoresTogether = Index{1} << 22;  // 32 MiB
  const Index together = std::max<Index>(1, kScoresTogether / nodes);
  Predictions result;
  for (Index begin = 0; begin < data.samples(); begin += together) {
    std::vector<Index> rows;
    for (Index s = begin; s < std::min(data.samples(), begin + together); ++s) rows.push_back(s);
    const NodeScores scores = node_scores(model, data.subset(rows), Consistency::kDescendants, ctx);
    std::vector<std::vector<NodeId>> answers(rows.size());
    parallel_for(ctx, std::ssize(rows), kAnswersPerTask, [&](Index from, Index to) {
      for (Index s = from; s < to; ++s) {
        answers[static_cast<std::size_t>(s)] = covering_nodes(rule, scores.of(s));
      }
    });
    for (std::size_t s = 0; s < answers.size(); ++s) {
      for (const NodeId node : answers[s]) {
        result.labels.push_back(node);
        result.scores.push_back(scores.of(static_cast<Index>(s))[static_cast<std::size_t>(node)]);
      }
      result.offsets.push_back(std::ssize(result.labels));
    }
  }
  return result;
}

}  // namespace clade
