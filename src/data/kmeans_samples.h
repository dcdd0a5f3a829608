#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <memory>
#include <vector>

#include "comm/even_blocks.h"
#include "math/kmeans_rows.h"

namespace clade {

// The samples of a data set as rows for k-means: those of the blocks that this process has. Sparse rows in double
// precision are used in place, so the data set must outlive this; those of a view or in single precision are copied,
// and so are dense rows.
class KMeansSamples {
 public:
  // All processes call it.
  KMeansSamples(const Dataset& data, const EvenBlocks& blocks, Context& ctx);
  const KMeansRows& rows() const { return *rows_; }

 private:
  std::vector<Index> offsets_;
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
  std::unique_ptr<KMeansRows> rows_;
};

}  // namespace clade
