#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

// The labels of each sample, best first, with scores that never rise.
struct Predictions {
  std::vector<Index> offsets{0};  // samples + 1
  std::vector<NodeId> labels;
  std::vector<double> scores;

  Index samples() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const NodeId> labels_of(Index sample) const {
    const auto s = static_cast<std::size_t>(sample);
    return {labels.data() + offsets[s], static_cast<std::size_t>(offsets[s + 1] - offsets[s])};
  }
  std::span<const double> scores_of(Index sample) const {
    const auto s = static_cast<std::size_t>(sample);
    return {scores.data() + offsets[s], static_cast<std::size_t>(offsets[s + 1] - offsets[s])};
  }
};

// Which of a sample's ranked labels form its predicted label set.
enum class LabelSet {
  kAuto,       // what suits the model, or the predictions
  kTop1,       // the first
  kTopK,       // the first `top_k`
  kThreshold,  // the first, and all whose score reaches the threshold
  kAll,
};

// Reads a file with the columns sample, rank, label and score (docs/formats/predictions.md): predictions of any
// classifier for the samples of `data`. The result has one entry per sample of `data`, in its order; labels are nodes
// of data.taxonomy(). Samples are named as in the data, or by their 0-based number if the data has no sample names.
// Throws Error (kInput) with the line of the first error; every sample must have a prediction.
Predictions read_predictions(const std::string& path, const Dataset& data, Context& ctx);

// The samples of `data` that such a file has a row for, ascending; data.subset() of them can be read with it. Throws
// Error (kInput) with the line of the first error.
std::vector<Index> predicted_samples(const std::string& path, const Dataset& data, Context& ctx);

// Writes such a file, which appears whole or not at all; it is compressed if the path ends in .gz, .xz, .zst or .bz2.
// read_predictions gives back the same predictions. Throws Error (kInput) for what could not be read back: repeated
// sample names, names that are not UTF-8, scores that are not finite or rise, and samples without a prediction.
void write_predictions(const Predictions& predictions, const Dataset& data, const std::string& path, bool overwrite,
                       Context& ctx);

// Reads a file with the columns sample and cluster (docs/formats/predictions.md), one row per sample of `data`, and
// returns the cluster of each sample, in the data's order. A cluster may be any text; clusters are numbered from 0 in
// the order in which they first occur among the samples. Throws Error (kInput) with the line of the first error.
std::vector<Index> read_clusters(const std::string& path, const Dataset& data, Context& ctx);

// Writes such a file with a row per sample, in the data's order; it appears whole or not at all. Throws Error (kInput)
// if samples share a name, or a name could not be read back.
void write_clusters(std::span<const Index> clusters, const Dataset& data, const std::string& path, bool overwrite);

}  // namespace clade
