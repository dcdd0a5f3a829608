#include "classify/decide/placed_scores.h"

#include <algorithm>
#include <functional>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr std::size_t kMostCuts = PlaceCounts::kPlaces - 1;
constexpr Index kColumnsTogether = 16;

// Different scores of positive pairs, descending: all, or some that are about equally frequent.
std::vector<double> thresholds_among(const Matrix& scores, const PositivePairs& members) {
  std::vector<double> values;
  for (Index s = 0; s < members.samples(); ++s) {
    for (const std::int32_t c : members.of(s)) values.push_back(scores(s, c));
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  std::vector<double> distinct(values);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= kMostCuts) return distinct;
  std::vector<double> some;
  for (std::size_t k = 0; k < kMostCuts; ++k) some.push_back(values[(k + 1) * values.size() / kMostCuts - 1]);
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

}  // namespace

void PlaceCounts::add(const PlaceCounts& other, double factor) {
  for (std::size_t k = 0; k < kPlaces; ++k) {
    positive[k] += factor * other.positive[k];
    all[k] += factor * other.all[k];
  }
  positives += factor * other.positives;
}

PlacedScores::PlacedScores(const Matrix& scores, const PositivePairs& members, Context& ctx)
    : samples_(scores.rows()),
      columns_(scores.cols()),
      thresholds_(thresholds_among(scores, members)),
      places_(static_cast<std::size_t>(scores.rows() * scores.cols())),
      row_begin_(static_cast<std::size_t>(scores.cols()) + 1, 0),
      rows_(members.columns.size()) {
  parallel_for(ctx, columns_, kColumnsTogether, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      for (Index s = 0; s < samples_; ++s) {
        places_[static_cast<std::size_t>(c * samples_ + s)] =
            static_cast<std::uint8_t>(count_larger(scores(s, c), thresholds_));
      }
    }
  });
  for (const std::int32_t c : members.columns) ++row_begin_[static_cast<std::size_t>(c) + 1];
  for (std::size_t c = 1; c < row_begin_.size(); ++c) row_begin_[c] += row_begin_[c - 1];
  std::vector<std::size_t> next(row_begin_.begin(), row_begin_.end() - 1);
  for (Index s = 0; s < members.samples(); ++s) {
    for (const std::int32_t c : members.of(s))
      rows_[next[static_cast<std::size_t>(c)]++] = static_cast<std::int32_t>(s);
  }
}

PlaceCounts PlacedScores::counts(Index c, int part) const {
  PlaceCounts result;
  const Index begin = part == kNoPart ? 0 : part_begin(part);
  const Index end = part == kNoPart ? samples_ : part_begin(part + 1);
  const auto places = column(c);
  for (Index s = begin; s < end; ++s) ++result.all[places[static_cast<std::size_t>(s)]];
  for (const std::int32_t s : members_of(c)) {
    if (s < begin || s >= end) continue;
    ++result.positive[places[static_cast<std::size_t>(s)]];
    ++result.positives;
  }
  return result;
}

int best_cut_at(const PlaceCounts& counts, double slope, int cuts) {
  int best = -1;
  double largest = 0;
  double found = 0;
  double taken = 0;
  for (int k = 0; k < cuts; ++k) {
    found += counts.positive[static_cast<std::size_t>(k)];
    taken += counts.all[static_cast<std::size_t>(k)];
    const double gain = 2 * found - slope * taken;
    if (gain <= largest) continue;
    largest = gain;
    best = k;
  }
  return best;
}

}  // namespace clade
