#include "classify/nodes/node_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "classify/decide/label_decisions.h"
#include "classify/linear/training_rows.h"
#include "classify/model_body.h"
#include "classify/model_kinds.h"
#include "classify/node_scores.h"
#include "classify/nodes/kernel_arrays.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/path_labels.h"
#include "core/parallel.h"
#include "data/missing.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 128;
constexpr Index kMostTogether = 1024;
constexpr Index kMostScoresTogether = Index{1} << 24;

// C += A B in blocks of a fixed number of rows, the last one filled up with zeros. A library may multiply a few rows in
// another order than many, and a sample's scores must not depend on the other samples.
void add_product_by_rows(const Matrix& a, const Matrix& b, Matrix& c, Context& ctx) {
  parallel_for(ctx, a.rows(), kRowsPerTask, [&](Index begin, Index end) {
    Matrix rows = Matrix::Zero(kRowsPerTask, a.cols());
    rows.topRows(end - begin) = a.middleRows(begin, end - begin);
    Matrix product = Matrix::Zero(kRowsPerTask, b.cols());
    add_product(rows, b, product, ctx);
    c.middleRows(begin, end - begin) += product.topRows(end - begin);
  });
}

void add_ridge(const RidgeExpansion& ridge, const ModelBody& model, const Dataset& data, Index begin, Index end,
               Matrix& sums, Context& ctx) {
  std::vector<Index> samples(static_cast<std::size_t>(end - begin));
  std::iota(samples.begin(), samples.end(), Index{0});
  std::vector<Index> rows(samples.size());
  std::iota(rows.begin(), rows.end(), begin);
  const Dataset complete = with_means(model, data.subset(rows), ctx);
  const KernelSamples queries(kernel_arrays(complete, samples, ridge.features, ridge.scale, model.has_unit_rows, ctx),
                              ridge.kernel, ctx);
  Matrix similarity(end - begin, ridge.support.size());
  parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
    std::vector<double> row(static_cast<std::size_t>(ridge.support.size()));
    for (Index s = from; s < to; ++s) {
      queries.row(ridge.kernel, ridge.support, s, row);
      similarity.row(s) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), std::ssize(row));
    }
  });
  add_product_by_rows(similarity, ridge.coefficient, sums, ctx);
}

// The sure part of the probabilities of labels where samples have one each: (1 - doubt) softmax(temperature x quality
// of the path). What is missing to 1 is anybody's: added up over the labels below a node, it would lift nodes with
// many.
std::vector<double> sure_parts(const NodeModel& nodes, const PathLabels& paths, const Matrix& sums, Index s) {
  std::vector<double> row(static_cast<std::size_t>(sums.cols()));
  for (Index c = 0; c < sums.cols(); ++c) row[static_cast<std::size_t>(c)] = sums(s, c);
  std::vector<double> quality(nodes.labels.size());
  paths.judge(row, nodes.path_threshold, quality);
  const double largest = *std::ranges::max_element(quality);
  double total = 0;
  for (double& q : quality) total += q = std::exp(nodes.temperature * (q - largest));
  for (double& q : quality) q *= (1 - nodes.doubt) / total;
  return quality;
}

// Labels of samples with one label each: the best paths.
void answer_with_paths(const NodeModel& nodes, const PathLabels& paths, const Matrix& sums, Index s, Index count,
                       Predictions& answer) {
  std::vector<double> quality = sure_parts(nodes, paths, sums, s);
  for (double& q : quality) q += nodes.doubt / static_cast<double>(quality.size());
  std::vector<std::size_t> order(quality.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto first = std::min<Index>(count, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + first, order.end(), [&](std::size_t a, std::size_t b) {
    return quality[a] != quality[b] ? quality[a] > quality[b] : a < b;
  });
  for (Index k = 0; k < first; ++k) {
    answer.labels.push_back(nodes.labels[order[static_cast<std::size_t>(k)]]);
    answer.scores.push_back(quality[order[static_cast<std::size_t>(k)]]);
  }
}

// The best leaves, or the nodes that are probable enough.
void answer_with_nodes(const ModelBody& model, std::span<const double> scores, const PredictOptions& options,
                       Predictions& answer) {
  const Taxonomy& taxonomy = *model.taxonomy;
  std::vector<NodeId> labels;
  if (options.top_k > 0) {  // the best leaves
    labels.assign(taxonomy.leaves().begin(), taxonomy.leaves().end());
    std::erase_if(labels, [&](NodeId node) { return static_cast<std::size_t>(node) >= scores.size(); });
  } else {
    labels = decided_labels(taxonomy, scores, std::vector<double>(scores.size(), options.threshold));
  }
  const auto first = options.top_k > 0 ? std::min<Index>(options.top_k, std::ssize(labels)) : std::ssize(labels);
  std::partial_sort(labels.begin(), labels.begin() + first, labels.end(), [&](NodeId a, NodeId b) {
    const double of_a = scores[static_cast<std::size_t>(a)];
    const double of_b = scores[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  for (Index k = 0; k < first; ++k) {
    const NodeId label = labels[static_cast<std::size_t>(k)];
    answer.labels.push_back(label);
    answer.scores.push_back(scores[static_cast<std::size_t>(label)]);
  }
}

// From the root down to the most probable child, as long as that is probable enough.
void answer_with_confidence(const Taxonomy& taxonomy, std::span<const double> scores, double confidence,
                            Predictions& answer) {
  const auto score = [&](NodeId node) {
    return static_cast<std::size_t>(node) < scores.size() ? scores[static_cast<std::size_t>(node)] : 0;
  };
  NodeId node = taxonomy.root();
  while (!taxonomy.is_leaf(node)) {
    const NodeId child = *std::ranges::max_element(taxonomy.children(node), {}, score);
    if (score(child) < confidence) break;
    node = child;
  }
  answer.labels.push_back(node);
  answer.scores.push_back(score(node));
}

}  // namespace

bool takes_missing_values(const ModelBody& model) {
  if (!model.node_model) return false;
  return !model.node_model->ridge || (model.replacement && !model.replacement->empty());
}

Dataset with_means(const ModelBody& model, const Dataset& data, Context& ctx) {
  if (!model.replacement || !has_missing_values(data)) return data;
  Index replaced = 0;
  return with_replaced_values(data, model.replacement, replaced, ctx);
}

void require_usable(const ModelBody& model, const Dataset& data, Index begin, Index end) {
  if (takes_missing_values(model)) {
    require_no_infinity(data, begin, end);
  } else {
    require_finite(data, begin, end);
  }
}

std::string node_model_text(const ModelBody& model) {
  const NodeModel& nodes = *model.node_model;
  std::string text = fmt::format("scores of {} nodes", nodes.columns());
  if (nodes.ridge) text += fmt::format(" by likeness to {} samples", nodes.ridge->support.size());
  if (nodes.forest) text += fmt::format("{} by {} trees", nodes.ridge ? " and" : "", nodes.forest->trees.size());
  return text;
}

Matrix node_sums(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx) {
  const NodeModel& nodes = *model.node_model;
  Matrix sums(end - begin, nodes.columns());
  for (Index c = 0; c < nodes.columns(); ++c) sums.col(c).setConstant(nodes.mean[static_cast<std::size_t>(c)]);
  if (nodes.ridge) add_ridge(*nodes.ridge, model, data, begin, end, sums, ctx);
  if (nodes.forest && nodes.forest_share == 1) {
    add_forest(*nodes.forest, model.features, data, begin, end, sums, ctx);
  } else if (nodes.forest) {
    Matrix by_forest = Matrix::Zero(sums.rows(), sums.cols());
    add_forest(*nodes.forest, model.features, data, begin, end, by_forest, ctx);
    sums += nodes.forest_share * by_forest;
  }
  return sums;
}

void score_nodes_directly(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                          Context& ctx) {
  const NodeModel& nodes = *model.node_model;
  const Index width = model.taxonomy->size();
  Matrix sums = node_sums(model, data, begin, end, ctx);
  if (!model.is_multilabel) {
    make_columns_consistent(*model.taxonomy, nodes.nodes, sums, ctx);
    const PathLabels paths(*model.taxonomy, nodes.labels, nodes.nodes);
    parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
      for (Index s = from; s < to; ++s) {
        const std::vector<double> probabilities = sure_parts(nodes, paths, sums, s);
        const std::span<double> row =
            rows.subspan(static_cast<std::size_t>(s * width), static_cast<std::size_t>(width));
        for (std::size_t y = 0; y < probabilities.size(); ++y) {
          for (const std::int32_t c : paths.path(y)) {
            double& score = row[static_cast<std::size_t>(nodes.nodes[static_cast<std::size_t>(c)])];
            score = std::min(1.0, score + probabilities[y]);
          }
        }
      }
    });
    return;
  }
  parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
    for (Index s = from; s < to; ++s) {
      for (Index c = 0; c < nodes.columns(); ++c) {
        rows[static_cast<std::size_t>(s * width + nodes.nodes[static_cast<std::size_t>(c)])] = nodes.map(sums(s, c));
      }
    }
  });
}

Predictions predict_by_nodes(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  const Taxonomy& taxonomy = *model.taxonomy;
  const bool by_thresholds = decides_by_thresholds(model, options);
  const Index together = std::clamp<Index>(kMostScoresTogether / taxonomy.size(), 1, kMostTogether);
  Predictions result;
  for (Index begin = 0; begin < data.samples(); begin += together) {
    const Index end = std::min(data.samples(), begin + together);
    require_usable(model, data, begin, end);
    std::vector<Predictions> answers(by_thresholds ? 0 : static_cast<std::size_t>(end - begin));
    if (model.is_multilabel || options.confidence > 0) {
      std::vector<Index> samples(static_cast<std::size_t>(end - begin));
      std::iota(samples.begin(), samples.end(), begin);
      const NodeScores scores = node_scores(model, data.subset(samples), Consistency::kDescendants, ctx);
      if (by_thresholds) append(decided_sets(model, scores, ctx), result);
      if (by_thresholds) continue;
      parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
        for (Index s = from; s < to; ++s) {
          Predictions& answer = answers[static_cast<std::size_t>(s)];
          if (options.confidence > 0) {
            answer_with_confidence(taxonomy, scores.of(s), options.confidence, answer);
          } else {
            answer_with_nodes(model, scores.of(s), options, answer);
          }
        }
      });
    } else {
      const NodeModel& nodes = *model.node_model;
      Matrix sums = node_sums(model, data, begin, end, ctx);
      make_columns_consistent(taxonomy, nodes.nodes, sums, ctx);
      const PathLabels paths(taxonomy, nodes.labels, nodes.nodes);
      parallel_for(ctx, end - begin, kRowsPerTask, [&](Index from, Index to) {
        for (Index s = from; s < to; ++s) {
          answer_with_paths(nodes, paths, sums, s, options.label_count(), answers[static_cast<std::size_t>(s)]);
        }
      });
    }
    for (Predictions& answer : answers) {
      answer.offsets.push_back(std::ssize(answer.labels));
      append(answer, result);
    }
  }
  return result;
}

}  // namespace clade
