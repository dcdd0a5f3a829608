#include "classify/joint/label_threshold.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>

#include "classify/class_scores.h"

namespace clade {
namespace {

constexpr Index kBlock = 512;
constexpr double kRidge = 1e-8;  // share of the mean square of a score: classes with equal scores share their factor

// The ridge that ThresholdFit adds, for the sum of the diagonal of its matrix.
double ridge_for(double trace, Index rows) {
  return kRidge * (trace / static_cast<double>(rows) + 1e-300);
}

// The solution of ThresholdFit where there are no more samples than factors: a = S (S'S + ridge)^-1 t is the same as
// (SS' + ridge)^-1 S t, with a matrix of samples x samples.
std::vector<double> fit_of_few(const Eigen::MatrixXd& scores, const Eigen::VectorXd& wanted) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(scores.cols(), scores.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(scores.transpose());
  gram.diagonal().array() += ridge_for(gram.diagonal().sum(), scores.rows());
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factor(gram);
  Eigen::VectorXd shares;
  if (factor.info() == Eigen::Success) {
    shares = factor.solve(wanted);
  } else {
    shares = gram.selfadjointView<Eigen::Lower>().ldlt().solve(wanted);
  }
  const Eigen::VectorXd solved = scores * shares;
  return {solved.data(), solved.data() + solved.size()};
}

}  // namespace

double best_threshold(std::span<const double> scores, std::span<const char> is_label) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  const auto labels = std::count(is_label.begin(), is_label.end(), 1);
  // With k scores above it, a threshold misses the labels among the others and wrongly includes the non-labels among
  // the k.
  Index missed = labels;
  Index taken = 0;
  Index fewest = missed;
  double widest = 0;
  double best = order.empty() ? 0 : scores[order[0]] + 1;  // above all
  for (std::size_t k = 1; k <= order.size(); ++k) {
    is_label[order[k - 1]] != 0 ? --missed : ++taken;
    const double above = scores[order[k - 1]];
    const double below = k < order.size() ? scores[order[k]] : above - 2;
    if (above == below) continue;
    const Index errors = missed + taken;
    if (errors > fewest || (errors == fewest && above - below <= widest)) continue;
    fewest = errors;
    widest = above - below;
    best = (above + below) / 2;
  }
  return best;
}

ThresholdFit::ThresholdFit(Index classes)
    : gram_(Eigen::MatrixXd::Zero(classes + 1, classes + 1)), right_(Eigen::VectorXd::Zero(classes + 1)) {}

void ThresholdFit::add(std::span<const double> scores, std::span<const char> is_label) {
  Eigen::VectorXd column(right_.size());
  column.head(right_.size() - 1) = Eigen::Map<const Eigen::VectorXd>(scores.data(), std::ssize(scores));
  column(right_.size() - 1) = 1;
  gram_.selfadjointView<Eigen::Lower>().rankUpdate(column);
  right_ += best_threshold(scores, is_label) * column;
}

void ThresholdFit::add(const Eigen::MatrixXd& scores, const Eigen::VectorXd& wanted) {
  gram_.selfadjointView<Eigen::Lower>().rankUpdate(scores);
  right_ += scores * wanted;
}

std::vector<double> ThresholdFit::solve() const {
  Eigen::MatrixXd gram = gram_;
  gram.diagonal().array() += ridge_for(gram.diagonal().sum(), gram.rows());
  const Eigen::VectorXd solved = gram.selfadjointView<Eigen::Lower>().ldlt().solve(right_);
  return {solved.data(), solved.data() + solved.size()};
}

std::vector<double> learn_threshold(const ModelBody& model, const Dataset& data, Context& ctx) {
  const std::vector<NodeId>& classes = model.nodes[0].children;
  const auto q = std::ssize(classes);
  std::vector<std::int32_t> number(static_cast<std::size_t>(data.taxonomy().size()), -1);
  for (Index c = 0; c < q; ++c) {
    number[static_cast<std::size_t>(classes[static_cast<std::size_t>(c)])] = static_cast<std::int32_t>(c);
  }
  const bool has_few_samples = data.samples() <= q;
  const Index together = has_few_samples ? data.samples() : kBlock;
  ThresholdFit fit(has_few_samples ? 0 : q);
  for (Index begin = 0; begin < data.samples(); begin += together) {
    const Index count = std::min(together, data.samples() - begin);
    Eigen::MatrixXd scores(q + 1, count);
    Eigen::VectorXd wanted(count);
    for_each_class_scores(model, data, begin, begin + count, ctx, [&](Index s, std::span<const double> own) {
      std::vector<char> is_label(static_cast<std::size_t>(q), 0);
      for (const NodeId label : data.labels(s)) {
        is_label[static_cast<std::size_t>(number[static_cast<std::size_t>(label)])] = 1;
      }
      scores.col(s - begin).head(q) = Eigen::Map<const Eigen::VectorXd>(own.data(), q);
      scores(q, s - begin) = 1;
      wanted(s - begin) = best_threshold(own, is_label);
    });
    if (has_few_samples) return fit_of_few(scores, wanted);
    fit.add(scores, wanted);
  }
  return fit.solve();
}

}  // namespace clade
