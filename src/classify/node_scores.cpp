#include "classify/node_scores.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "classify/apply.h"
#include "classify/class_probabilities.h"
#include "classify/class_scores.h"
#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/linear_scores.h"
#include "classify/model_kinds.h"
#include "classify/node_decision.h"
#include "classify/nodes/node_model.h"
#include "classify/output_scorer.h"
#include "core/parallel.h"
#include "data/kernel/kernel_check.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;
constexpr Index kMostRowsTogether = 4096;
constexpr Index kMostScoresTogether = Index{1} << 24;  // 128 MiB

double logistic(double score) {
  return score >= 0 ? 1 / (1 + std::exp(-score)) : std::exp(score) / (1 + std::exp(score));
}

// Whether a node judges each of its children by itself, so that their probabilities need not add up to 1.
bool judges_children_apart(const ModelBody& model, const NodeClassifier& node) {
  if (!model.is_multilabel || node.decision != Decision::kScores) return false;
  return !node.calibration.empty() || !model.has_probabilities;
}

// The probabilities of the children of one node. Without calibration, margins that are judged one by one go through a
// logistic function.
void flow_to_children(const NodeClassifier& node, bool are_apart, bool is_multilabel, std::span<const double> scores,
                      std::span<double> probabilities) {
  if (!are_apart || !node.calibration.empty()) {
    return child_probabilities(node, scores, is_multilabel, probabilities);
  }
  for (std::size_t c = 0; c < scores.size(); ++c) probabilities[c] = logistic(scores[c]);
}

// Turns the probabilities of classes into scores of nodes; one for all threads.
class ClassesToNodes {
 public:
  ClassesToNodes(const ModelBody& model, std::span<const NodeId> classes)
      : model_(model), classes_(classes.begin(), classes.end()) {
    if (model.is_multilabel) return;
    for (const NodeId node : classes_) {
      for (const NodeId above : model.taxonomy->ancestors(node)) above_.push_back(above);
      offsets_.push_back(above_.size());
    }
  }

  // The row is zero at first.
  void fill(std::span<const double> scores, std::vector<double>& probabilities, std::span<double> row) const {
    probabilities.resize(scores.size());
    if (model_.is_multilabel && !model_.sigmoid) {
      const double threshold = label_threshold(model_, scores);
      for (std::size_t c = 0; c < scores.size(); ++c) probabilities[c] = logistic(scores[c] - threshold);
    } else {
      class_probabilities(model_, scores, probabilities);
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) at(row, classes_[c]) += probabilities[c];
    if (model_.is_multilabel) return;  // consistency gives inner nodes the largest below them
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      for (std::size_t k = offsets_[c]; k < offsets_[c + 1]; ++k) at(row, above_[k]) += probabilities[c];
    }
    // Sums of all classes may be above 1 by rounding.
    for (double& value : row) value = std::min(value, 1.0);
  }

 private:
  static double& at(std::span<double> row, NodeId node) { return row[static_cast<std::size_t>(node)]; }

  const ModelBody& model_;
  std::vector<NodeId> classes_;
  std::vector<std::size_t> offsets_{0};
  std::vector<NodeId> above_;  // the ancestors of each class
};

}  // namespace

void make_consistent(const Taxonomy& taxonomy, std::span<double> scores, Consistency consistency) {
  const auto size = std::min(taxonomy.size(), static_cast<NodeId>(scores.size()));
  // Ids are topological, so when a node's turn comes, what it depends on is settled.
  if (consistency == Consistency::kDescendants) {
    for (NodeId node = size - 1; node > 0; --node) {
      for (const NodeId parent : taxonomy.parents(node)) {
        double& above = scores[static_cast<std::size_t>(parent)];
        above = std::max(above, scores[static_cast<std::size_t>(node)]);
      }
    }
    return;
  }
  for (NodeId node = 1; node < size; ++node) {
    double& own = scores[static_cast<std::size_t>(node)];
    for (const NodeId parent : taxonomy.parents(node)) own = std::min(own, scores[static_cast<std::size_t>(parent)]);
  }
}

void score_nodes_top_down(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                          Context& ctx) {
  const auto width = static_cast<std::size_t>(model.taxonomy->size());
  parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
    OutputScorer scorer(model);
    LabelTreeSearch search(model);
    std::vector<double> outputs;
    std::vector<double> scores;
    std::vector<double> probabilities;
    for (Index s = from; s < to; ++s) rows[static_cast<std::size_t>(s) * width] = 1;
    for (const NodeClassifier& node : model.nodes) {  // in id order, so a node's own score is complete
      outputs.resize(static_cast<std::size_t>(node.linear.count));
      scores.assign(node.children.size(), 0);
      probabilities.assign(node.children.size(), 1);
      const bool is_choice = node.children.size() > 1;
      const bool are_apart = judges_children_apart(model, node);
      if (is_choice && !node.tree) scorer.use(node.linear, to - from);
      for (Index s = from; s < to; ++s) {
        double* const row = rows.data() + static_cast<std::size_t>(s) * width;
        const double here = row[node.node];
        if (here == 0) continue;
        if (node.tree) {
          search.judge(node, data, begin + s, scores, probabilities);
          if (are_apart) flow_to_children(node, are_apart, model.is_multilabel, scores, probabilities);
        } else if (is_choice) {
          scorer.score(data, begin + s, outputs);
          child_scores(node, outputs, scores);
          flow_to_children(node, are_apart, model.is_multilabel, scores, probabilities);
        }
        for (std::size_t c = 0; c < node.children.size(); ++c) {
          double& child = row[node.children[c]];
          const double through = here * probabilities[c];
          // Where children are judged by themselves, all parents of a node answer the same question, and the best
          // answer counts; sums over many paths would make deep nodes certain.
          child = are_apart ? std::max(child, through) : std::min(1.0, child + through);
        }
      }
    }
  });
}

void score_nodes_by_classes(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                            Context& ctx) {
  const auto width = static_cast<std::size_t>(model.taxonomy->size());
  const ClassesToNodes to_nodes(model, scored_classes(model));
  for_each_class_scores(model, data, begin, end, ctx, [&](Index s, std::span<const double> scores) {
    thread_local std::vector<double> probabilities;
    to_nodes.fill(scores, probabilities, rows.subspan(static_cast<std::size_t>(s - begin) * width, width));
  });
}

Index scored_nodes(const Taxonomy& taxonomy) {
  NodeId nodes = taxonomy.size();
  while (taxonomy.is_miscellaneous(nodes - 1)) --nodes;
  return nodes;
}

Index scored_nodes(const Model& model) {
  return scored_nodes(model.taxonomy());
}

NodeScores node_scores(const ModelBody& model, const Dataset& data, Consistency consistency, Context& ctx) {
  if (model.kernel && model.kernel->options.kind == KernelKind::kPrecomputed) {
    check_precomputed_columns(data, model.features);
  }
  parallel_for(ctx, data.samples(), kRowsPerTask,
               [&](Index begin, Index end) { require_usable(model, data, begin, end); });
  const Taxonomy& taxonomy = *model.taxonomy;
  const Index width = taxonomy.size();
  NodeScores result{.nodes = scored_nodes(taxonomy), .values = {}};
  result.values.resize(static_cast<std::size_t>(data.samples() * result.nodes));
  const Index together = std::clamp<Index>(kMostScoresTogether / width, 1, kMostRowsTogether);
  std::vector<double> rows;
  for (Index begin = 0; begin < data.samples(); begin += together) {
    const Index end = std::min(data.samples(), begin + together);
    rows.assign(static_cast<std::size_t>((end - begin) * width), 0);
    info_of(model.kind).score_nodes(model, data, begin, end, rows, ctx);
    parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
      for (Index s = from; s < to; ++s) {
        const auto row = std::span(rows).subspan(static_cast<std::size_t>(s * width), static_cast<std::size_t>(width));
        row[0] = 1;
        make_consistent(taxonomy, row, consistency);
        std::ranges::copy(row.first(static_cast<std::size_t>(result.nodes)), result.of(begin + s).begin());
      }
    });
  }
  return result;
}

NodeScores node_scores(const Model& model, const Dataset& data, const NodeScoreOptions& options, Context& ctx) {
  return node_scores(model.body(), with_model_features(data, model.body(), options.align_features, ctx),
                     options.consistency, ctx);
}

NodeScores node_scores(const Model& model, const Dataset& data, Context& ctx) {
  return node_scores(model, data, NodeScoreOptions{}, ctx);
}

NodeScores node_scores(const Model& model, const Dataset& data, Index begin, Index end, const NodeScoreOptions& options,
                       Context& ctx) {
  std::vector<Index> samples;
  for (Index s = begin; s < end; ++s) samples.push_back(s);
  return node_scores(model, data.subset(samples), options, ctx);
}

}  // namespace clade
