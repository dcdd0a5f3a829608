#include "classify/nodes/node_decisions.h"

#include <algorithm>
#include <limits>

#include "classify/cross_calibration.h"
#include "classify/local/calibration.h"
#include "classify/nodes/path_labels.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;
constexpr std::size_t kFewSamples = 500;
constexpr Index kMostQualities = 5'000'000;  // of samples x labels, to learn probabilities from

// Micro F1 over the nodes of paths, if every sample gets the label of the best path.
double path_f1(const PathLabels& paths, const Matrix& scores, std::span<const std::int32_t> truth, double threshold,
               Context& ctx) {
  struct Sums {
    double both = 0;
    double all = 0;
  };
  const Sums sums = parallel_reduce(
      ctx, scores.rows(), kRowsPerTask, Sums{},
      [&](Index begin, Index end) {
        Sums part;
        std::vector<double> quality(paths.labels().size());
        std::vector<double> row(static_cast<std::size_t>(scores.cols()));
        for (Index s = begin; s < end; ++s) {
          for (Index c = 0; c < scores.cols(); ++c) row[static_cast<std::size_t>(c)] = scores(s, c);
          paths.judge(row, threshold, quality);
          const auto best = static_cast<std::size_t>(std::ranges::max_element(quality) - quality.begin());
          const auto found = paths.path(best);
          const auto wanted = paths.path(static_cast<std::size_t>(truth[static_cast<std::size_t>(s)]));
          for (const std::int32_t column : found) part.both += std::ranges::binary_search(wanted, column) ? 1 : 0;
          part.all += static_cast<double>(found.size() + wanted.size());
        }
        return part;
      },
      [](Sums& total, Sums part) {
        total.both += part.both;
        total.all += part.all;
      });
  return sums.all == 0 ? 0 : 2 * sums.both / sums.all;
}

// Samples with one label, the candidates, and what weighs a path.
struct PathDecision {
  std::vector<NodeId> labels;  // candidates
  std::vector<std::int32_t> truth;
  double threshold = 0;
  double f1 = -1;
};

PathDecision decide_on_paths(const Dataset& data, std::span<const NodeId> nodes, const Matrix& scores, Context& ctx) {
  const Taxonomy& taxonomy = data.taxonomy();
  PathDecision result;
  std::vector<NodeId> truth;
  for (Index s = 0; s < data.samples(); ++s) truth.push_back(taxonomy.fold(data.labels(s)[0]));
  result.labels = truth;
  std::sort(result.labels.begin(), result.labels.end());
  result.labels.erase(std::unique(result.labels.begin(), result.labels.end()), result.labels.end());
  for (const NodeId node : truth) {
    const auto found = std::ranges::lower_bound(result.labels, node);
    result.truth.push_back(static_cast<std::int32_t>(found - result.labels.begin()));
  }
  const PathLabels paths(taxonomy, result.labels, nodes);
  for (const double threshold : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}) {
    const double f1 = path_f1(paths, scores, result.truth, threshold, ctx);
    if (f1 <= result.f1) continue;
    result.f1 = f1;
    result.threshold = threshold;
  }
  return result;
}

// Of few samples nearly all may be right, and then the squared error would trust them too much.
void learn_softmax(NodeModel& model, const std::vector<std::vector<double>>& qualities,
                   std::span<const std::int32_t> label, Context& ctx) {
  if (qualities.size() < kFewSamples) {
    model.temperature = fit_temperature(qualities, label, {});
    return;
  }
  const SharedSoftmax found = fit_softmax(qualities, label, ctx);
  model.temperature = found.temperature;
  model.doubt = found.doubt;
}

void learn_path_decision(NodeModel& model, const Dataset& data, const Matrix& scores, Context& ctx) {
  const PathDecision decision = decide_on_paths(data, model.nodes, scores, ctx);
  model.labels = decision.labels;
  model.path_threshold = decision.threshold;
  const PathLabels paths(data.taxonomy(), model.labels, model.nodes);
  const Index step = std::max<Index>(1, scores.rows() * std::ssize(model.labels) / kMostQualities);
  std::vector<std::vector<double>> qualities;
  std::vector<std::int32_t> chosen;
  std::vector<double> row(static_cast<std::size_t>(scores.cols()));
  for (Index s = 0; s < scores.rows(); s += step) {
    for (Index c = 0; c < scores.cols(); ++c) row[static_cast<std::size_t>(c)] = scores(s, c);
    paths.judge(row, model.path_threshold, qualities.emplace_back(model.labels.size()));
    chosen.push_back(decision.truth[static_cast<std::size_t>(s)]);
  }
  learn_softmax(model, qualities, chosen, ctx);
}

}  // namespace

void make_columns_consistent(const Taxonomy& taxonomy, std::span<const NodeId> nodes, Matrix& scores, Context& ctx) {
  std::vector<Index> column(static_cast<std::size_t>(taxonomy.size()), -1);
  for (std::size_t c = 0; c < nodes.size(); ++c) column[static_cast<std::size_t>(nodes[c])] = static_cast<Index>(c);
  parallel_for(ctx, scores.rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (Index c = scores.cols() - 1; c >= 0; --c) {  // ids are topological
      for (const NodeId parent : taxonomy.parents(nodes[static_cast<std::size_t>(c)])) {
        const Index above = column[static_cast<std::size_t>(parent)];
        if (above < 0) continue;
        auto target = scores.col(above).segment(begin, end - begin);
        target = target.cwiseMax(scores.col(c).segment(begin, end - begin));
      }
    }
  });
}

void learn_decisions(NodeModel& model, std::vector<double>& threshold, const Dataset& data, const ClosedLabels& labels,
                     Matrix scores, Context& ctx) {
  make_columns_consistent(data.taxonomy(), model.nodes, scores, ctx);
  const RankedPairs pairs = rank_pairs(scores, labels.members, ctx);
  model.map = fit_score_map(pairs);
  threshold.clear();
  if (has_several_labels(data)) {
    threshold.assign(static_cast<std::size_t>(data.taxonomy().size()), model.map(best_cut(pairs).threshold));
  } else {
    learn_path_decision(model, data, scores, ctx);
  }
}

double decision_f1(const Dataset& data, const ClosedLabels& labels, Matrix scores, Context& ctx) {
  make_columns_consistent(data.taxonomy(), labels.nodes, scores, ctx);
  if (has_several_labels(data)) return best_cut(rank_pairs(scores, labels.members, ctx)).f1;
  return decide_on_paths(data, labels.nodes, scores, ctx).f1;
}

std::vector<NodeId> decided_labels(const Taxonomy& taxonomy, std::span<const double> scores,
                                   std::span<const double> threshold) {
  const auto size = static_cast<NodeId>(scores.size());
  std::vector<char> is_reached(scores.size(), 0);
  std::vector<NodeId> labels;
  for (NodeId node = size - 1; node > 0; --node) {
    const auto at = static_cast<std::size_t>(node);
    const bool has_reached_child = is_reached[at] != 0;
    if (!has_reached_child && scores[at] < threshold[at]) continue;
    if (!has_reached_child) labels.push_back(node);
    for (const NodeId parent : taxonomy.parents(node)) is_reached[static_cast<std::size_t>(parent)] = 1;
  }
  if (labels.empty() && size > 1) {
    labels.push_back(static_cast<NodeId>(std::max_element(scores.begin() + 1, scores.end()) - scores.begin()));
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

}  // namespace clade
