#include "evaluate/measured_samples.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/parallel.h"
#include "evaluate/pair_facts.h"

namespace clade {
namespace {

constexpr Index kOutcomesPerChunk = 16384;
constexpr Index kMostChunks = 16;  // each counts all nodes of the taxonomy
constexpr Index kBlock = 64;       // outcomes whose facts a score function gets at once; they stay in the cache

// Compares and scores the outcomes [begin, end); `kept`, if not null, receives the scores of all outcomes.
template <class Comparer>
void score_range(const ScoredOutcomes& scored, const OutcomeDistances& distances, Index begin, Index end, double* kept,
                 OutcomeTotals& totals) {
  const Outcomes& outcomes = scored.outcomes;
  const std::size_t width = scored.functions.size();
  Comparer comparer(outcomes, scored.table, distances, scored.options.count_root);
  std::array<OutcomeFacts, kBlock> facts;
  std::array<double, kBlock> weights;
  std::vector<double> buffer(width * kBlock);
  for (Index first = begin; first < end; first += kBlock) {
    const auto size = static_cast<std::size_t>(std::min(kBlock, end - first));
    for (std::size_t k = 0; k < size; ++k) {
      comparer.compare(first + static_cast<Index>(k), facts[k], totals.counts);
    }
    double* const scores = kept == nullptr ? buffer.data() : kept + static_cast<std::size_t>(first) * width;
    for (std::size_t c = 0; c < width; ++c) scored.functions[c](std::span(facts).first(size), scores + c, width);
    for (std::size_t k = 0; k < size; ++k) {
      weights[k] = static_cast<double>(outcomes.weight(first + static_cast<Index>(k)));
    }
    totals.sums.add(std::span(weights).first(size), scores);
  }
}

std::vector<NodeScore> count_nodes(const ScoredOutcomes& scored, const MeasuredSamples::Weights& weights) {
  NodeCounts counts(scored.table.taxonomy());
  std::vector<NodeId> truth;
  std::vector<NodeId> predicted;
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (weights[o] == 0) continue;
    join_ancestors(scored.table, scored.outcomes.truth(static_cast<Index>(o)), truth);
    join_ancestors(scored.table, scored.outcomes.predicted(static_cast<Index>(o)), predicted);
    counts.add_nodes(truth, predicted, weights[o]);
  }
  return std::move(counts.nodes);
}

}  // namespace

void ScoreSums::add(std::span<const double> weights, const double* scores) {
  for (const double weight : weights) samples += weight;
  const std::size_t width = sums.size();
  // Sums are added sixteen at a time, in registers; each still adds up in the order of the outcomes.
  constexpr std::size_t kGroup = 16;
  std::size_t c = 0;
  for (; c + kGroup <= width; c += kGroup) {
    std::array<double, kGroup> group;
    std::copy_n(sums.data() + c, kGroup, group.data());
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double* const row = scores + k * width + c;
      for (std::size_t g = 0; g < kGroup; ++g) group[g] += weights[k] * row[g];
    }
    std::copy_n(group.data(), kGroup, sums.data() + c);
  }
  for (; c < width; ++c) {
    for (std::size_t k = 0; k < weights.size(); ++k) sums[c] += weights[k] * scores[k * width + c];
  }
}

void ScoreSums::add(const ScoreSums& other) {
  samples += other.samples;
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += other.sums[c];
}

OutcomeTotals score_outcomes(ScoredOutcomes& scored, const OutcomeDistances& distances, bool keep, Context& ctx) {
  const Index count = scored.outcomes.size();
  const Taxonomy& taxonomy = scored.table.taxonomy();
  const std::size_t width = scored.functions.size();
  if (keep) scored.scores.resize(static_cast<std::size_t>(count) * width);
  double* const kept = keep ? scored.scores.data() : nullptr;
  const bool is_fast = scored.outcomes.are_pairs() && scored.outcomes.loss.volume.empty() &&
                       taxonomy.levels() <= PairComparer::kMostLevels;
  const auto score = is_fast ? score_range<PairComparer> : score_range<OutcomeComparer>;
  const Index grain = std::max(kOutcomesPerChunk, chunk_count(count, kMostChunks));
  OutcomeTotals total = parallel_reduce(
      ctx, count, grain, OutcomeTotals{{0, std::vector<double>(width)}, {}},
      [&](Index begin, Index end) {
        OutcomeTotals part{{0, std::vector<double>(width)}, NodeCounts(taxonomy)};
        score(scored, distances, begin, end, kept, part);
        return part;
      },
      [](OutcomeTotals& sum, OutcomeTotals&& part) {
        sum.sums.add(part.sums);
        sum.counts.add(std::move(part.counts));
      });
  total.counts.settle(scored.table);
  return total;
}

MeasuredSamples::MeasuredSamples(const ScoredOutcomes& scored, const OutcomeTotals& totals)
    : scored_(scored), sums_(totals.sums), node_scores_(totals.counts.nodes) {}

MeasuredSamples::MeasuredSamples(const ScoredOutcomes& scored, Weights weights)
    : scored_(scored), weights_(std::move(weights)) {
  const std::size_t width = scored.functions.size();
  sums_.sums.resize(width);
  for (std::size_t o = 0; o < weights_.size(); ++o) {
    const double weight = weights_[o];
    if (weight != 0) sums_.add({&weight, 1}, scored.scores.data() + o * width);
  }
}

double MeasuredSamples::sum(ScoreFunction score) const {
  const auto at = std::find(scored_.functions.begin(), scored_.functions.end(), score);
  CLADE_CHECK(at != scored_.functions.end());
  return sums_.sums[static_cast<std::size_t>(at - scored_.functions.begin())];
}

const NodeAreas& MeasuredSamples::node_areas() const {
  if (!node_areas_) node_areas_ = scored_.curves->areas(weights_);
  return *node_areas_;
}

std::span<const NodeScore> MeasuredSamples::node_scores() const {
  if (node_scores_.empty()) node_scores_ = count_nodes(scored_, weights_);
  return node_scores_;
}

}  // namespace clade
