#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

// Reads a file with the columns sample and cluster (docs/formats/predictions.md), one row per sample of `data`: the
// cluster of each sample, in the data's order. A cluster is any text; clusters are numbered from 0 in the order in
// which the samples of the data first have them. Throws Error (kInput) with the line of what is wrong first.
std::vector<Index> read_clusters(const std::string& path, const Dataset& data, Context& ctx);

// Writes such a file, a row per sample in the data's order; it appears whole or not at all. Throws Error (kInput) where
// samples share a name, or one could not be read back.
void write_clusters(std::span<const Index> clusters, const Dataset& data, const std::string& path, bool overwrite);

// Measures of how well clusters agree with classes. Both give one number (0 or above, in any order, with gaps if need
// be) per sample; the spans have the same size, at least 1. Throws Error (kInput) otherwise.
// See docs/methods/clustering-measures.md.

// The largest share of samples that any one-to-one matching of clusters to classes gets right. 1 is perfect.
// Cost: O(n log n + k^2 m) for k of the fewer and m of the more numerous of clusters and classes; memory O(n + k m).
double clustering_accuracy(std::span<const Index> classes, std::span<const Index> clusters);

// I(classes; clusters) / sqrt(H(classes) H(clusters)) (Strehl and Ghosh, 2002), from 0 to 1. Where both have one group
// only it is 1, where only one of them has it is 0. Cost: O(n log n).
double normalized_mutual_information(std::span<const Index> classes, std::span<const Index> clusters);

}  // namespace clade
