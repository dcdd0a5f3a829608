#include "pipeline/tied_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace clade {
namespace {

constexpr double kTiedShare = 0.02;  // of a fold; scores that vary with the features hardly ever tie
constexpr Index kFewestTied = 3;

// The score at a share of the way through the scores, which ascend.
float at_rank(const std::vector<float>& scores, double share) {
  const auto place = static_cast<std::size_t>(share * static_cast<double>(scores.size()));
  return scores[std::min(place, scores.size() - 1)];
}

}  // namespace

void lift_ties(std::span<float> scores, std::span<const Index> fold_begin) {
  std::vector<std::vector<float>> folds;
  for (std::size_t k = 0; k + 1 < fold_begin.size(); ++k) {
    const auto begin = static_cast<std::size_t>(fold_begin[k]);
    const auto part = scores.subspan(begin, static_cast<std::size_t>(fold_begin[k + 1]) - begin);
    folds.emplace_back(part.begin(), part.end());
    std::ranges::sort(folds.back());
  }
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const std::vector<float>& own = folds[k];
    const auto size = static_cast<double>(own.size());
    for (Index s = fold_begin[k]; s < fold_begin[k + 1]; ++s) {
      float& score = scores[static_cast<std::size_t>(s)];
      const auto [first, last] = std::ranges::equal_range(own, score);
      const Index tied = last - first;
      if (score == 0 || tied < kFewestTied || static_cast<double>(tied) < kTiedShare * size) continue;
      const double middle = (static_cast<double>(first - own.begin()) + static_cast<double>(tied) / 2) / size;
      for (const std::vector<float>& other : folds) {
        if (!other.empty()) score = std::max(score, at_rank(other, middle));
      }
      // Sums in another order may differ in the last bit.
      score = std::nextafter(score, std::numeric_limits<float>::infinity());
    }
  }
}

}  // namespace clade
