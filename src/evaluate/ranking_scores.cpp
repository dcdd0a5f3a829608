#include "evaluate/ranking_scores.h"

#include <algorithm>

namespace clade {

double hierarchical_loss(const AncestorTable& table, NodeId a, NodeId b) {
  const auto above_a = table.of(a);
  const auto above_b = table.of(b);
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < above_a.size() && j < above_b.size();) {
    const NodeId x = above_a[i].node;
    const NodeId y = above_b[j].node;
    if (x == y) ++common;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return static_cast<double>(above_a.size() + above_b.size() - 2 * common) / 2;
}

RankingScore score_ranking(std::span<const NodeId> truth, std::span<const NodeId> list, std::span<const double> scores,
                           Index classes, const AncestorTable& table) {
  RankingScore result;
  const auto is_true = [&](NodeId label) { return std::find(truth.begin(), truth.end(), label) != truth.end(); };
  double misordered = 0;
  std::size_t listed = 0;  // number of labels with at least the score of the current block
  double true_listed = 0;  // number of true labels among them
  std::size_t block = 0;   // the current block of labels with equal scores is [block, listed)
  for (; block < list.size() && true_listed < static_cast<double>(truth.size()); block = listed) {
    double true_in_block = 0;
    while (listed < list.size() && scores[listed] == scores[block]) true_in_block += is_true(list[listed++]) ? 1 : 0;
    true_listed += true_in_block;
    const double wrong_listed = static_cast<double>(listed) - true_listed;
    result.average_precision += true_in_block * true_listed / static_cast<double>(listed);
    misordered += true_in_block * wrong_listed;
    if (true_in_block == 0 || wrong_listed == 0) continue;
    for (std::size_t t = block; t < listed; ++t) {
      if (!is_true(list[t])) continue;
      for (std::size_t w = 0; w < listed; ++w) {
        if (is_true(list[w])) continue;
        const double loss = hierarchical_loss(table, list[t], list[w]);
        result.maximal_loss = std::max(result.maximal_loss, loss);
        result.summed_loss += 2 * loss;
      }
    }
  }
  result.coverage = static_cast<double>(listed);
  const auto positives = static_cast<double>(truth.size());
  const double negatives = static_cast<double>(classes) - positives;
  result.average_precision /= positives;
  result.ranking_loss = negatives > 0 ? misordered / (positives * negatives) : 0;
  return result;
}

}  // namespace clade
