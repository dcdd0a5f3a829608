#pragma once

#include <clade/dataset.h>
#include <clade/types.h>

#include <cstdint>
#include <span>
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

// At most `per_class` samples of every class, drawn at random; a sample with several labels counts for one of them,
// also drawn at random (the protocol of Cai and Hofmann for scarce data). Classes with fewer samples give all they
// have.
std::vector<Index> subsample_per_class(const Dataset& data, Index per_class, std::uint64_t seed);

}  // namespace clade
