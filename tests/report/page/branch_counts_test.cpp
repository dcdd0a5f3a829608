#include "report/page/branch_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "report/page/mistakes.h"

namespace clade {
namespace {

// root -> a, b; a -> c, d; b -> d, e: a DAG in which d has two parents.
Taxonomy small_dag() {
  TaxonomyBuilder builder;
  for (const auto& [parent, child] :
       {std::pair{"root", "a"}, {"root", "b"}, {"a", "c"}, {"a", "d"}, {"b", "d"}, {"b", "e"}}) {
    builder.edge(parent, child);
  }
  return builder.build();
}

JudgedSamples judged(const Taxonomy& taxonomy,
                     const std::vector<std::pair<std::set<std::string>, std::set<std::string>>>& samples) {
  JudgedSamples result;
  const auto add = [&](LabelSets& sets, const std::set<std::string>& names) {
    std::set<NodeId> nodes;
    for (const std::string& name : names) nodes.insert(*taxonomy.find(name));
    sets.nodes.insert(sets.nodes.end(), nodes.begin(), nodes.end());
    sets.offsets.push_back(std::ssize(sets.nodes));
  };
  for (const auto& [truth, predicted] : samples) {
    add(result.truth, truth);
    add(result.predicted, predicted);
    result.samples.push_back(std::ssize(result.samples));
  }
  return result;
}

using Named = std::map<std::string, Index>;

Named named(const Taxonomy& taxonomy, const std::vector<BranchCount>& counts) {
  Named result;
  for (const BranchCount& count : counts) {
    const std::string went = count.went == BranchCount::kStopped     ? "stopped"
                             : count.went == BranchCount::kElsewhere ? "elsewhere"
                                                                     : taxonomy.name(count.went);
    result[taxonomy.name(count.node) + ":" + taxonomy.name(count.child) + ">" + went] = count.count;
  }
  return result;
}

TEST(BranchCounts, FollowSamplesThroughADag) {
  const Taxonomy taxonomy = small_dag();
  EXPECT_EQ(named(taxonomy, branch_counts(judged(taxonomy, {{{"c"}, {"c"}}, {{"c"}, {"c"}}}), taxonomy)),
            (Named{{"root:a>a", 2}, {"a:c>c", 2}}));
  // d is below a and b, and c below a alone: at the root the way to a is right, and that to b was not taken.
  EXPECT_EQ(named(taxonomy, branch_counts(judged(taxonomy, {{{"d"}, {"c"}}}), taxonomy)),
            (Named{{"root:a>a", 1}, {"root:b>stopped", 1}, {"a:d>c", 1}, {"b:d>elsewhere", 1}}));
  EXPECT_EQ(named(taxonomy, branch_counts(judged(taxonomy, {{{"c"}, {"a"}}}), taxonomy)),
            (Named{{"root:a>a", 1}, {"a:c>stopped", 1}}));
  EXPECT_EQ(named(taxonomy, branch_counts(judged(taxonomy, {{{"c"}, {"e"}}}), taxonomy)),
            (Named{{"root:a>b", 1}, {"a:c>elsewhere", 1}}));
}

TEST(WrongLabels, ArePairedWithTheNearestTrueLabel) {
  const Taxonomy taxonomy = small_dag();
  Context ctx;
  const auto wrong =
      wrong_labels(judged(taxonomy, {{{"c", "e"}, {"c", "d"}}, {{"a"}, {"a"}}, {{"c"}, {"a"}}}), taxonomy, ctx);
  ASSERT_EQ(wrong.size(), 2U);
  EXPECT_EQ(taxonomy.name(wrong[0].predicted), "d");
  EXPECT_EQ(taxonomy.name(wrong[0].truth), "c");  // as near as e, and first
  EXPECT_EQ(wrong[0].distance, 2);
  EXPECT_EQ(wrong[1].judged, 2);
  EXPECT_EQ(wrong[1].distance, 1);
  const MistakeSummary summary = summarise_mistakes(wrong, taxonomy);
  EXPECT_EQ(summary.count, 2);
  EXPECT_EQ(summary.above, 1);
  EXPECT_EQ(summary.below_parent, 2);
  EXPECT_EQ(summary.by_distance, (std::vector<Index>{0, 1, 1}));
}

}  // namespace
}  // namespace clade
