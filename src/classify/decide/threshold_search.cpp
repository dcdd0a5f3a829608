#include "classify/decide/threshold_search.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr double kDrawnBy = 20;  // positive pairs of the group that a threshold is drawn to
constexpr int kSlopes = 24;
constexpr int kMostRounds = 50;
constexpr Index kSamplesTallied = 256;
constexpr Index kColumnsCounted = 32;
constexpr int kAllParts = PlacedScores::kParts;

double group_f1(const std::vector<PlaceCounts>& groups, const std::vector<int>& cuts) {
  double found = 0;
  double both = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    both += groups[g].positives;
    for (int k = 0; k <= cuts[g]; ++k) {
      found += groups[g].positive[static_cast<std::size_t>(k)];
      both += groups[g].all[static_cast<std::size_t>(k)];
    }
  }
  return both == 0 ? 0 : 2 * found / both;
}

// The counts, and those of kDrawnBy positive pairs that lie as the others do.
PlaceCounts drawn_to(PlaceCounts counts, const PlaceCounts& others) {
  if (others.positives > 0) counts.add(others, kDrawnBy / others.positives);
  return counts;
}

// For each group the cut, at most that of the group before it, such that the sum over groups of what best_cut_at()
// maximises is largest.
std::vector<int> falling_cuts(const std::vector<PlaceCounts>& groups, double slope, int cuts) {
  const auto choices = static_cast<std::size_t>(cuts) + 1;  // choice j is cut j - 1
  std::vector<std::vector<std::size_t>> best_from;          // [group][j]: the best choice of the group from j on
  std::vector<double> largest(choices, 0);  // of the groups so far, if the last one's choice is j or more
  for (const PlaceCounts& group : groups) {
    double gain = 0;
    std::vector<double> sum(largest);
    for (std::size_t j = 1; j < choices; ++j) {
      gain += 2 * group.positive[j - 1] - slope * group.all[j - 1];
      sum[j] += gain;
    }
    std::vector<std::size_t>& best = best_from.emplace_back(choices);
    best.back() = choices - 1;
    for (std::size_t j = choices - 1; j-- > 0;) best[j] = sum[j] >= sum[best[j + 1]] ? j : best[j + 1];
    for (std::size_t j = 0; j < choices; ++j) largest[j] = sum[best[j]];
  }
  std::vector<int> result(groups.size());
  std::size_t least = 0;
  for (std::size_t g = groups.size(); g-- > 0;) {
    least = best_from[g][least];
    result[g] = static_cast<int>(least) - 1;
  }
  return result;
}

}  // namespace

ThresholdSearch::ThresholdSearch(const Taxonomy& taxonomy, const ClosedLabels& labels, const Matrix& scores,
                                 Context& ctx)
    : labels_(labels), scores_(scores), ctx_(ctx), placed_(scores, labels.members, ctx) {
  std::vector<std::int32_t> column(static_cast<std::size_t>(taxonomy.size()), -1);
  for (std::size_t c = 0; c < labels.nodes.size(); ++c) {
    const NodeId node = labels.nodes[c];
    column[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(c);
    level_.push_back(static_cast<std::size_t>(taxonomy.depth(node)) - 1);
    parents_.emplace_back();
    for (const NodeId parent : taxonomy.parents(node)) {
      const std::int32_t above = column[static_cast<std::size_t>(parent)];
      if (above >= 0) parents_.back().push_back(static_cast<std::size_t>(above));
    }
  }
  const std::size_t levels = level_.empty() ? 0 : *std::ranges::max_element(level_) + 1;
  by_level_.assign(levels, std::vector<PlaceCounts>(kAllParts));
  parallel_for(ctx, kAllParts, 1, [&](Index part, Index) {
    for (Index c = 0; c < placed_.columns(); ++c) {
      by_level_[level_[static_cast<std::size_t>(c)]][static_cast<std::size_t>(part)].add(
          placed_.counts(c, static_cast<int>(part)));
    }
  });
}

std::vector<PlaceCounts> ThresholdSearch::groups(DecideBy by, int excluded) const {
  std::vector<PlaceCounts> levels(by_level_.size());
  PlaceCounts all;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (int part = 0; part < kAllParts; ++part) {
      if (part != excluded) levels[level].add(by_level_[level][static_cast<std::size_t>(part)]);
    }
    all.add(levels[level]);
  }
  if (by == DecideBy::kOne) return {all};
  for (PlaceCounts& level : levels) level = drawn_to(level, all);
  return levels;
}

NodeCuts ThresholdSearch::spread(const std::vector<int>& of_groups) const {
  NodeCuts cuts;
  for (const std::size_t level : level_) cuts.push_back(of_groups[of_groups.size() == 1 ? 0 : level]);
  return cuts;
}

PlaceCounts ThresholdSearch::counts_without(Index c, int excluded) const {
  if (excluded == PlacedScores::kNoPart) return placed_.counts(c, excluded);
  PlaceCounts counts;
  for (int part = 0; part < kAllParts; ++part) {
    if (part != excluded) counts.add(placed_.counts(c, part));
  }
  return counts;
}

NodeCuts ThresholdSearch::own_cuts(const std::vector<PlaceCounts>& groups, double slope, int excluded) const {
  NodeCuts cuts(level_.size());
  parallel_for(ctx_, placed_.columns(), kColumnsCounted, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const auto at = static_cast<std::size_t>(c);
      cuts[at] = best_cut_at(drawn_to(counts_without(c, excluded), groups[groups.size() == 1 ? 0 : level_[at]]), slope,
                             placed_.cuts());
    }
  });
  // Cuts must not rise on the way down. To lower those below, or to raise those above, would make chance add up from
  // level to level in one direction: what is half-way between the two does not.
  NodeCuts raised = cuts;
  for (std::size_t c = cuts.size(); c-- > 0;) {  // ids are topological
    for (const std::size_t above : parents_[c]) raised[above] = std::max(raised[above], raised[c]);
  }
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    for (const std::size_t above : parents_[c]) cuts[c] = std::min(cuts[c], cuts[above]);
  }
  for (std::size_t c = 0; c < cuts.size(); ++c) cuts[c] = (cuts[c] + raised[c] + 2) / 2 - 1;
  return cuts;
}

NodeCuts ThresholdSearch::best_cuts(DecideBy by, int excluded) const {
  const std::vector<PlaceCounts> counts = groups(by, excluded);
  double slope = 0;
  std::vector<int> best = falling_cuts(counts, slope, placed_.cuts());
  for (int round = 0; round < kMostRounds; ++round) {  // Dinkelbach's: few are needed
    const double f1 = group_f1(counts, best);
    if (f1 <= slope) break;
    slope = f1;
    best = falling_cuts(counts, slope, placed_.cuts());
  }
  return by == DecideBy::kNode ? own_cuts(counts, slope, excluded) : spread(best);
}

int ThresholdSearch::steps(DecideBy by) const {
  return by == DecideBy::kOne ? placed_.cuts() : kSlopes;
}

NodeCuts ThresholdSearch::cuts_at(DecideBy by, int step, int excluded) const {
  if (by == DecideBy::kOne) return spread({step});
  const double slope = 2 - 2.0 * (step + 1) / (kSlopes + 1);
  const std::vector<PlaceCounts> counts = groups(by, excluded);
  return by == DecideBy::kNode ? own_cuts(counts, slope, excluded)
                               : spread(falling_cuts(counts, slope, placed_.cuts()));
}

void ThresholdSearch::tally_nodes(Index begin, Index end, const NodeCuts& cuts,
                                  std::vector<DecisionTally>& result) const {
  std::vector<std::int32_t> taken(static_cast<std::size_t>(end - begin), 0);
  for (Index c = 0; c < placed_.columns(); ++c) {
    const int cut = cuts[static_cast<std::size_t>(c)];
    if (cut < 0) continue;
    const std::uint8_t* const places = placed_.column(c).data() + begin;
    for (std::size_t s = 0; s < taken.size(); ++s) taken[s] += places[s] <= cut ? 1 : 0;
  }
  for (Index s = begin; s < end; ++s) {
    DecisionTally& own = result[static_cast<std::size_t>(s)];
    const auto members = labels_.members.of(s);
    const auto is_taken = [&](std::int32_t c) {
      return placed_.column(c)[static_cast<std::size_t>(s)] <= cuts[static_cast<std::size_t>(c)];
    };
    own.truth = static_cast<double>(members.size());
    own.predicted = taken[static_cast<std::size_t>(s - begin)];
    own.common = static_cast<double>(std::ranges::count_if(members, is_taken));
    if (own.predicted > 0) continue;
    Index best = 0;  // the answer where no node reaches its threshold
    scores_.row(s).maxCoeff(&best);
    own.predicted = 1;
    own.common = std::ranges::binary_search(members, static_cast<std::int32_t>(best)) ? 1 : 0;
  }
}

DecisionTally ThresholdSearch::tally_labels(Index sample, const NodeCuts& cuts) const {
  std::vector<char> is_taken(cuts.size(), 0);
  bool takes_any = false;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    is_taken[c] = placed_.column(static_cast<Index>(c))[static_cast<std::size_t>(sample)] <= cuts[c] ? 1 : 0;
    takes_any = takes_any || is_taken[c] != 0;
  }
  if (!takes_any) {
    Index best = 0;
    scores_.row(sample).maxCoeff(&best);
    is_taken[static_cast<std::size_t>(best)] = 1;
  }
  return compare_labels(sample, is_taken);
}

DecisionTally ThresholdSearch::compare_labels(Index sample, const std::vector<char>& is_taken) const {
  std::vector<char> is_true(is_taken.size(), 0);
  std::vector<char> has_true_below(is_taken.size(), 0);
  std::vector<char> has_taken_below(is_taken.size(), 0);
  for (const std::int32_t c : labels_.members.of(sample)) is_true[static_cast<std::size_t>(c)] = 1;
  DecisionTally tally;
  for (std::size_t c = is_taken.size(); c-- > 0;) {
    const bool is_true_label = is_true[c] != 0 && has_true_below[c] == 0;
    const bool is_taken_label = is_taken[c] != 0 && has_taken_below[c] == 0;
    tally.truth += is_true_label ? 1 : 0;
    tally.predicted += is_taken_label ? 1 : 0;
    tally.common += is_true_label && is_taken_label ? 1 : 0;
    for (const std::size_t above : parents_[c]) {
      if (is_true[c] != 0) has_true_below[above] = 1;
      if (is_taken[c] != 0) has_taken_below[above] = 1;
    }
  }
  return tally;
}

std::vector<DecisionTally> ThresholdSearch::tally_sets(const PositivePairs& sets, bool by_label) const {
  std::vector<DecisionTally> result;
  for (Index s = 0; s < sets.samples(); ++s) {
    std::vector<char> is_taken(level_.size(), 0);
    for (const std::int32_t c : sets.of(s)) is_taken[static_cast<std::size_t>(c)] = 1;
    if (by_label) {
      result.push_back(compare_labels(s, is_taken));
      continue;
    }
    const auto members = labels_.members.of(s);
    const auto common =
        std::ranges::count_if(members, [&](auto c) { return is_taken[static_cast<std::size_t>(c)] != 0; });
    result.push_back(
        {static_cast<double>(common), static_cast<double>(sets.of(s).size()), static_cast<double>(members.size())});
  }
  return result;
}

std::vector<DecisionTally> ThresholdSearch::tally(const std::vector<NodeCuts>& cuts, bool by_label) const {
  std::vector<DecisionTally> result(static_cast<std::size_t>(placed_.samples()));
  parallel_for(ctx_, placed_.samples(), kSamplesTallied, [&](Index begin, Index end) {
    for (int part = 0; part < kAllParts; ++part) {
      const Index from = std::max(begin, placed_.part_begin(part));
      const Index to = std::min(end, placed_.part_begin(part + 1));
      const NodeCuts& own = cuts[static_cast<std::size_t>(part)];
      if (!by_label && from < to) tally_nodes(from, to, own, result);
      for (Index s = from; by_label && s < to; ++s) result[static_cast<std::size_t>(s)] = tally_labels(s, own);
    }
  });
  return result;
}

}  // namespace clade
