#pragma once

#include <clade/dataset.h>
#include <clade/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clade {

// Ways to cut a data set. All are functions of the data and the seed alone: the same seed gives the same cut, on any
// machine. Results are sample numbers, ascending; Dataset::subset turns them into views.

// The fold (0 .. folds - 1) of every sample, such that each label is spread over the folds as evenly as can be: counts
// of a label differ by at most one for single-label data; for several labels per sample the rarest label is dealt
// first (iterative stratification, Sechidis et al. 2011). Samples without a label are dealt out last.
// Throws Error (kInput) unless 2 <= folds <= samples.
std::vector<int> stratified_folds(const Dataset& data, int folds, std::uint64_t seed);

// Folds in which samples of one group stay together (documents of one author, images of one patient); group sizes are
// evened out greedily, largest group first. Throws Error (kInput) if there are fewer groups than folds.
std::vector<int> grouped_folds(std::span<const Index> group_of_sample, int folds, std::uint64_t seed);

struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

// The samples outside and inside one fold.
Split fold_split(std::span<const int> fold_of_sample, int fold);

// A stratified split with about `test_share` of the samples (and of every label) in the test part; both parts are
// non-empty. Throws Error (kInput) unless 0 < test_share < 1 and there are two samples or more.
Split train_test_split(const Dataset& data, double test_share, std::uint64_t seed);

// At most `per_class` samples of every class, drawn at random; a sample with several labels counts for one of them,
// drawn at random (the protocol for scarce data of Cai and Hofmann). Classes with fewer samples give all they have.
std::vector<Index> subsample_per_class(const Dataset& data, Index per_class, std::uint64_t seed);

}  // namespace clade
