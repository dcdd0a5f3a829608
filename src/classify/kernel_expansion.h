#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <vector>

#include "data/kernel/kernel_samples.h"

namespace clade {

// The outputs of a joint model in its dual form: u_z(x) = sum_j b_jz k(x_j, x) over its support samples.
struct KernelExpansion {
  KernelOptions options;  // gamma is set, not auto
  KernelSamples support;
  std::vector<Index> offsets{0};         // support samples + 1
  std::vector<std::int32_t> attributes;  // of each coefficient
  std::vector<double> values;

  // Outputs for sample i of `queries`, which are prepared like the support samples; `similarity` is scratch.
  void outputs(const KernelSamples& queries, Index i, std::vector<double>& similarity, std::vector<double>& out) const {
    similarity.resize(static_cast<std::size_t>(support.size()));
    queries.row(options, support, i, similarity);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t j = 0; j < similarity.size(); ++j) {
      for (auto e = static_cast<std::size_t>(offsets[j]); e < static_cast<std::size_t>(offsets[j + 1]); ++e) {
        out[static_cast<std::size_t>(attributes[e])] += similarity[j] * values[e];
      }
    }
  }
};

}  // namespace clade
