#include "classify/local/cross_scores.h"

#include <algorithm>

#include "classify/local/calibration.h"
#include "classify/pack.h"

namespace clade {
namespace {

struct Part {
  NodeTable table;
  TrainingRows rows;
  std::vector<double> weight;
};

Part part_of(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
             const std::vector<int>& fold, int left_out) {
  Part part;
  part.table.node = table.node;
  part.table.children = table.children;
  part.rows.features = rows.features;
  for (Index r = 0; r < table.samples(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (fold[at] == left_out) continue;
    part.table.rows.push_back(table.rows[at]);
    const auto labels = table.labels(r);
    part.table.columns.insert(part.table.columns.end(), labels.begin(), labels.end());
    part.table.offsets.push_back(std::ssize(part.table.columns));
    part.rows.append(rows, r);
    if (!weight.empty()) part.weight.push_back(weight[at]);
  }
  return part;
}

// Deals samples to folds, class by class.
class Dealer {
 public:
  Dealer(std::size_t classes, int folds) : folds_(folds), next_(classes) {
    for (std::size_t c = 0; c < classes; ++c) next_[c] = static_cast<int>(c) % folds;
  }
  int deal(std::int32_t of_class) {
    int& turn = next_[static_cast<std::size_t>(of_class)];
    const int fold = turn;
    turn = (turn + 1) % folds_;
    return fold;
  }

 private:
  int folds_;
  std::vector<int> next_;
};

}  // namespace

CrossScores no_scores(const NodeTable& table) {
  return CrossScores(static_cast<std::size_t>(table.samples()),
                     std::vector<double>(static_cast<std::size_t>(table.classes()), 0));
}

std::vector<int> dealt_folds(const NodeTable& table, int folds) {
  Dealer dealer(static_cast<std::size_t>(table.classes()), folds);
  std::vector<int> fold;
  for (Index r = 0; r < table.samples(); ++r) fold.push_back(dealer.deal(table.labels(r)[0]));
  return fold;
}

std::vector<int> dealt_folds(const Dataset& leaves, int folds) {
  Dealer dealer(static_cast<std::size_t>(leaves.taxonomy().size()), folds);
  std::vector<int> fold;
  for (Index s = 0; s < leaves.samples(); ++s) fold.push_back(dealer.deal(leaves.labels(s)[0]));
  return fold;
}

void add_fold_scores(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                     const NodeSolver& solver, const std::vector<int>& fold, int left_out, double prune, Context& ctx,
                     CrossScores& scores) {
  const Part part = part_of(table, rows, weight, fold, left_out);
  if (part.table.samples() == 0) return;
  const auto stream = static_cast<std::uint64_t>(table.node) + (static_cast<std::uint64_t>(left_out + 1) << 24);
  NodeSolution solution = solver.solve(part.table, part.rows, part.weight, stream, ctx);
  prune_in_place(solution.weights, prune);
  for (Index r = 0; r < table.samples(); ++r) {
    if (fold[static_cast<std::size_t>(r)] != left_out) continue;
    const auto columns = rows.columns_of(r);
    const auto values = rows.values_of(r);
    for (std::size_t o = 0; o < solution.order.size(); ++o) {
      double sum = solution.weights.bias[o];
      for (std::size_t k = 0; k < columns.size(); ++k) {
        sum += values[k] * solution.weights.w[o][static_cast<std::size_t>(columns[k])];
      }
      scores[static_cast<std::size_t>(r)][static_cast<std::size_t>(solution.order[o])] = sum;
    }
  }
}

Calibration calibration_of(const CrossScores& scores, const NodeTable& table, Index child, bool is_isotonic) {
  std::vector<double> own;
  std::vector<char> is_positive;
  for (Index r = 0; r < table.samples(); ++r) {
    own.push_back(scores[static_cast<std::size_t>(r)][static_cast<std::size_t>(child)]);
    const auto labels = table.labels(r);
    is_positive.push_back(std::binary_search(labels.begin(), labels.end(), static_cast<std::int32_t>(child)) ? 1 : 0);
  }
  return is_isotonic ? fit_isotonic(own, is_positive, {}) : fit_sigmoid(own, is_positive, {});
}

double temperature_of(const CrossScores& scores, const NodeTable& table) {
  std::vector<std::int32_t> label;
  for (Index r = 0; r < table.samples(); ++r) label.push_back(table.labels(r)[0]);
  return fit_temperature(scores, label, {});
}

}  // namespace clade
