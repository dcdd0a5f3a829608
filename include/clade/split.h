#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Ways to split a data set. All depend on the data and the seed alone: the same seed gives the same split on any
// machine. Results are sample numbers, ascending; Dataset::subset turns them into views.

// The fold (0 .. folds - 1) of every sample, with each label spread over the folds as evenly as possible. With one
// label per sample, the counts of a label differ by at most one; with several, the rarest label is dealt first
// (iterative stratification, Sechidis et al. 2011). Samples without a label are dealt last. Throws Error (kInput)
// unless 2 <= folds <= samples.
std::vector<int> stratified_folds(const Dataset& data, int folds, std::uint64_t seed);

// Folds that keep the samples of one group together (documents of one author, images of one patient). Fold sizes are
// balanced greedily, largest group first. Throws Error (kInput) if there are fewer groups than folds.
std::vector<int> grouped_folds(std::span<const Index> group_of_sample, int folds, std::uint64_t seed);

struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

// The samples outside and inside one fold.
Split fold_split(std::span<const int> fold_of_sample, int fold);

// A stratified split with about `test_share` of the samples (and of every label) in the test part; neither part is
// empty. Throws Error (kInput) unless 0 < test_share < 1 and there are at least two samples.
Split train_test_split(const Dataset& data, double test_share, std::uint64_t seed);

// Splits whole groups (documents of one author): they are drawn at random, and each goes to the test part if that
// brings its size nearer to `test_share` of the samples. Neither part is empty. Throws Error (kInput) unless
// 0 < test_share < 1 and there are at least two groups.
Split group_split(std::span<const Index> group_of_sample, double test_share, std::uint64_t seed);

// The latest samples are the test part: about `test_share` of them. Samples of the same time stay together. Throws
// Error (kInput) unless 0 < test_share < 1 and there are at least two different times.
Split time_split(std::span<const Index> time_of_sample, double test_share);

// At most `per_class` samples of every class, drawn at random; a sample with several labels counts for one of them,
// also drawn at random (the protocol of Cai and Hofmann for scarce data). Classes with fewer samples give all they
// have.
std::vector<Index> subsample_per_class(const Dataset& data, Index per_class, std::uint64_t seed);

// What to keep of data; several of these are applied in this order.
struct PrepareOptions {
  std::string subtree;              // only samples with a label at or below this node, and only such labels
  bool single_labels = false;       // only samples with exactly one label
  bool without_duplicates = false;  // of samples with equal features, only the first
  Index merge_below = 0;            // labels of nodes with fewer samples become their parents, the deepest first
};

struct PreparedData {
  Dataset data;
  bool labels_changed = false;     // some label of a sample that was kept is another or was dropped
  std::vector<std::string> notes;  // what was left out or changed, with counts
};

// Throws Error (kInput) if there is no such node, or no sample is left. A class of a DAG that is too small is merged
// into its first parent; nothing is merged into a virtual root. If labels change, nodes that are neither a label nor
// above one leave the taxonomy; otherwise it stays as it is.
PreparedData prepare(const Dataset& data, const PrepareOptions& options, Context& ctx);

}  // namespace clade
