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

std::vector<int> dealt_folds(const NodeTable& table, int folds) {
  std::vector<int> fold(static_cast<std::size_t>(table.samples()));
  std::vector<int> next(static_cast<std::size_t>(table.classes()));
  for (std::size_t c = 0; c < next.size(); ++c) next[c] = static_cast<int>(c) % folds;
  for (Index r = 0; r < table.samples(); ++r) {
    int& turn = next[static_cast<std::size_t>(table.labels(r)[0])];
    fold[static_cast<std::size_t>(r)] = turn;
    turn = (turn + 1) % folds;
  }
  return fold;
}

}  // namespace

CrossScores cross_scores(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                         const NodeSolver& solver, int folds, double prune, Context& ctx) {
  CrossScores scores(static_cast<std::size_t>(table.samples()),
                     std::vector<double>(static_cast<std::size_t>(table.classes()), 0));
  const std::vector<int> fold = dealt_folds(table, folds);
  for (int left_out = 0; left_out < folds; ++left_out) {
    const Part part = part_of(table, rows, weight, fold, left_out);
    if (part.table.samples() == 0) continue;
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
  return scores;
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
