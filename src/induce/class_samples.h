#pragma once

#include <clade/dataset.h>

#include <span>
#include <vector>

namespace clade {

// The classes of a data set, whatever its hierarchy: the nodes that samples are labelled with, inner ones included, and
// the samples of each. A sample with several labels is one of each.
struct ClassSamples {
  std::vector<NodeId> classes;          // that have samples, ascending
  std::vector<NodeId> without_samples;  // leaves that no sample is labelled with, ascending
  std::vector<Index> offsets;           // classes + 1
  std::vector<Index> samples;           // of class k: samples[offsets[k]] ... , ascending
  Index unlabelled = 0;                 // samples without any label

  Index size() const { return std::ssize(classes); }
  std::span<const Index> of(Index k) const {
    const auto at = static_cast<std::size_t>(k);
    return {samples.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }
};

ClassSamples class_samples(const Dataset& data);

}  // namespace clade
